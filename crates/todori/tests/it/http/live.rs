//! Changes reach those who subscribed, whoever made them, in both eras and over both transports.

use serde_json::{Value, json};

use crate::project::{Project, Server};
use crate::web::Web;

/// The next message that is a notification about a resource.
fn updated(server: &mut Server) -> String {
    loop {
        let message = server.receive();
        if message["method"] == "notifications/resources/updated" {
            return message["params"]["uri"].as_str().unwrap().to_owned();
        }
    }
}

#[test]
fn over_stdio_in_the_older_era() {
    let project = Project::new();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    let task = server.direct("create_task", json!({"title": "watched"}));
    let uri = format!("todori://tasks/{}", task["id"].as_str().unwrap());
    assert!(
        server
            .ask("resources/subscribe", json!({"uri": "todori://board"}))
            .get("result")
            .is_some()
    );
    // The command line, another process, adds a task.
    assert_eq!(project.run(["add", "from outside"]).code, 0);
    assert_eq!(updated(&mut server), "todori://board");
    let board = server.ask("resources/read", json!({"uri": "todori://board"}));
    assert!(
        board["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("from outside")
    );
    server.ask("resources/unsubscribe", json!({"uri": "todori://board"}));
    // Only what happens to that task is told of it.
    server.ask("resources/subscribe", json!({"uri": uri}));
    assert_eq!(project.run(["add", "something else"]).code, 0);
    let edited = project
        .board_text()
        .replace("title: watched", "title: edited by hand");
    project.write_board(edited);
    assert_eq!(updated(&mut server), uri);
    let read = server.ask("resources/read", json!({"uri": uri}));
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("edited by hand")
    );
}

#[test]
fn over_stdio_in_the_newer_era() {
    let project = Project::new();
    let mut server = project.serve();
    let listen = json!({"jsonrpc": "2.0", "id": "listen:0", "method": "subscriptions/listen", "params": {
        "notifications": {"resourceSubscriptions": ["todori://board"], "toolsListChanged": true},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}});
    server.send(&listen);
    let acknowledged = server.receive();
    assert_eq!(
        acknowledged["method"], "notifications/subscriptions/acknowledged",
        "{acknowledged}"
    );
    // The watch begins after the acknowledgement: what is changed until the first word of it is told together.
    let mut told: Option<Value> = None;
    for number in 0..200 {
        assert_eq!(project.run(["add", &format!("task {number}")]).code, 0);
        if let Some(message) = server.receive_within(std::time::Duration::from_millis(250)) {
            told = Some(message);
            break;
        }
    }
    let told = told.expect("a word of the change");
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(told["params"]["uri"], "todori://board");
}

#[test]
fn over_http_in_the_older_era() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let session = web.session("/mcp");
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n",
        web.address
    );
    let mut lines = web.lines(&request);
    assert!(lines.next().unwrap().contains("200"));
    let subscribed = web.ask_in(
        &session,
        "/mcp",
        "resources/subscribe",
        json!({"uri": "todori://board"}),
    );
    assert!(subscribed.get("result").is_some(), "{subscribed}");
    // Another client changes the board.
    web.ask("/mcp", "create_task", json!({"title": "by somebody else"}));
    let told = lines
        .find(|line| line.contains("notifications/resources/updated"))
        .unwrap();
    assert!(told.contains("todori://board"));
}

#[test]
fn ids_are_completed() {
    let project = Project::new();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    let task = server.direct("create_task", json!({"title": "Find the needle"}));
    server.direct("create_task", json!({"title": "Hay"}));
    let id = task["id"].as_str().unwrap();
    for begun in [&id[..4], "needle"] {
        let answer = server.ask(
            "completion/complete",
            json!({
            "ref": {"type": "ref/prompt", "name": "task_context"},
            "argument": {"name": "taskId", "value": begun}}),
        );
        assert_eq!(
            answer["result"]["completion"]["values"],
            json!([id]),
            "{begun}"
        );
    }
}

#[test]
fn what_other_sessions_do_is_told_and_can_be_read() {
    let project = Project::new();
    let mut watcher = project.serve();
    watcher.initialize("2025-11-25");
    watcher.direct("create_task", json!({"title": "so that there is a board"}));
    watcher.ask("resources/subscribe", json!({"uri": "todori://sessions"}));
    // Another process plans on a list of its own.
    let mut command = project.command();
    command.env("TODORI_TOOLSETS", "todowrite");
    let mut agent = Server::start(command);
    let item = |status| {
        let one = json!({"content": "Run it", "activeForm": "Running it", "status": status});
        let two = json!({"content": "Ship it", "activeForm": "Shipping it", "status": "pending"});
        json!([one, two])
    };
    agent.direct("TodoWrite", json!({"todos": item("in_progress")}));
    assert_eq!(updated(&mut watcher), "todori://sessions");
    let read = |watcher: &mut Server| {
        let read = watcher.ask("resources/read", json!({"uri": "todori://sessions"}));
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(read(&mut watcher).contains("- [~] Running it"));
    agent.direct("TodoWrite", json!({"todos": item("completed")}));
    assert_eq!(updated(&mut watcher), "todori://sessions");
    let text = read(&mut watcher);
    assert!(text.contains("- [x] Run it"), "{text}");
    drop(agent);
    assert_eq!(updated(&mut watcher), "todori://sessions");
    assert!(!read(&mut watcher).contains("Run it"));
}
