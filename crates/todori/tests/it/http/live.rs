//! Changes reach those who subscribed, whoever made them, in both eras and over both transports.

use serde_json::{Value, json};

use crate::project::{Project, Server, modern_meta};
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
    let uri = |task: Value| format!("todori://tasks/{}", task["id"].as_str().unwrap());
    let watched = uri(server.direct("create_task", json!({"title": "watched"})));
    let other = uri(server.direct("create_task", json!({"title": "other"})));
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
    // Only what happens to a task is told of it, and of the board nothing any more.
    server.ask("resources/subscribe", json!({"uri": watched}));
    server.ask("resources/subscribe", json!({"uri": other}));
    assert_eq!(project.run(["add", "something else"]).code, 0);
    assert_eq!(project.run(["start", "other"]).code, 0);
    assert_eq!(updated(&mut server), other);
    let edited = project
        .board_text()
        .replace("title: watched", "title: edited by hand");
    project.write_board(edited);
    assert_eq!(updated(&mut server), watched);
    assert_eq!(project.run(["done", "other"]).code, 0);
    assert_eq!(updated(&mut server), other);
    let read = server.ask("resources/read", json!({"uri": watched}));
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("edited by hand")
    );
}

/// Asks for changes of the board as a client of the newer era does.
fn listen() -> Value {
    json!({"jsonrpc": "2.0", "id": "listen:0", "method": "subscriptions/listen", "params": {
        "notifications": {"resourceSubscriptions": ["todori://board"], "toolsListChanged": true},
        "_meta": modern_meta(&json!({}))}})
}

#[test]
fn over_stdio_in_the_newer_era() {
    let project = Project::new();
    let mut server = project.serve();
    server.send(&listen());
    let acknowledged = server.receive();
    assert_eq!(
        acknowledged["method"], "notifications/subscriptions/acknowledged",
        "{acknowledged}"
    );
    // The watch begins after the acknowledgement, and says so: what changed until then is told by that.
    let told = |server: &mut Server| {
        let told = server.receive();
        assert_eq!(told["method"], "notifications/resources/updated", "{told}");
        assert_eq!(told["params"]["uri"], "todori://board");
    };
    told(&mut server);
    assert_eq!(project.run(["add", "from outside"]).code, 0);
    told(&mut server);
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

/// Opens the stream of a session; a client that had one before says what it heard last.
fn stream(web: &Web, session: &str, heard: Option<&str>) -> impl Iterator<Item = String> + use<> {
    let heard = heard.map_or(String::new(), |id| format!("Last-Event-Id: {id}\r\n"));
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\
        Connection: close\r\n{heard}\r\n",
        web.address
    );
    let mut lines = web.lines(&request);
    assert!(lines.next().unwrap().contains("200"));
    lines
}

/// Waits until the board is said to have changed.
fn hears_of_the_board(lines: &mut impl Iterator<Item = String>) {
    let mut told = lines.filter(|line| line.contains("notifications/resources/updated"));
    assert!(told.next().expect("a notice").contains("todori://board"));
}

#[test]
fn subscriptions_survive_a_restart_of_the_server() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let session = web.session("/mcp");
    for (method, uri) in [
        ("resources/subscribe", "todori://sessions"),
        ("resources/subscribe", "todori://board"),
        ("resources/unsubscribe", "todori://sessions"),
    ] {
        let answer = web.ask_in(&session, "/mcp", method, json!({"uri": uri}));
        assert!(answer.get("result").is_some(), "{answer}");
    }
    drop(web);
    let web = Web::start(&project, &[]);
    let mut lines = stream(&web, &session, Some("7"));
    // Nobody knows what it has missed.
    hears_of_the_board(&mut lines);
    web.ask("/mcp", "create_task", json!({"title": "later"}));
    hears_of_the_board(&mut lines);
}

#[test]
fn subscriptions_survive_that_a_session_leaves_memory() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let session = web.session("/mcp");
    let board = json!({"uri": "todori://board"});
    web.ask_in(&session, "/mcp", "resources/subscribe", board);
    let before = stream(&web, &session, None);
    for _ in 0..1_010 {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "other", "version": "1"}}});
        assert_eq!(web.post("/mcp", &[], &message).status, 200);
    }
    assert!(before.last().is_some(), "its stream has ended");
    let mut lines = stream(&web, &session, Some("7"));
    hears_of_the_board(&mut lines);
    assert_eq!(project.run(["add", "from outside"]).code, 0);
    hears_of_the_board(&mut lines);
}

#[test]
fn over_http_in_the_newer_era() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let listen = listen().to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
        Mcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{listen}",
        web.address,
        listen.len()
    );
    let mut lines = web.lines(&request);
    assert!(lines.next().unwrap().contains("200"));
    let mut told = || {
        let told = lines.find(|line| line.contains("notifications/")).unwrap();
        let message = told.trim_start_matches("data:");
        serde_json::from_str::<Value>(message).unwrap_or_else(|_| panic!("{told}"))
    };
    assert_eq!(told()["method"], "notifications/subscriptions/acknowledged");
    let updated = |message: Value| {
        let (method, uri) = (&message["method"], &message["params"]["uri"]);
        assert_eq!(method, "notifications/resources/updated", "{message}");
        assert_eq!(uri, "todori://board");
    };
    updated(told());
    assert_eq!(project.run(["add", "from outside"]).code, 0);
    updated(told());
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
