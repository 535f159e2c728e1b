//! Every revision, every toolset, on one server.

use serde_json::{Value, json};

use crate::project::{Project, shows_widgets};
use crate::web::Web;

#[test]
fn one_url_speaks_all_revisions() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    // Plain JSON-RPC, as curl sends it.
    assert_eq!(
        web.ask("/mcp", "create_task", json!({"title": "direct"}))["result"]["title"],
        "direct"
    );
    // A session of an older revision.
    let session = web.session("/mcp");
    let called = web.ask_in(
        &session,
        "/mcp",
        "tools/call",
        json!({"name": "get_task_stats", "arguments": {}}),
    );
    assert_eq!(called["result"]["structuredContent"]["total"], 1);
    assert_eq!(
        web.ask_in(&session, "/mcp", "get_task_stats", json!({}))["result"]["total"],
        1
    );
    // An older client without a session.
    let bare = web.ask(
        "/mcp",
        "tools/call",
        json!({"name": "get_task_stats", "arguments": {}}),
    );
    assert_eq!(bare["result"]["structuredContent"]["total"], 1);
    // The newer era.
    let modern = web
        .ask_modern(
            "/mcp",
            "tools/call",
            json!({"name": "get_task_stats", "arguments": {}}),
        )
        .message();
    assert_eq!(modern["result"]["structuredContent"]["total"], 1);
    assert_eq!(modern["result"]["resultType"], "complete");
    let discovered = web
        .ask_modern("/mcp", "server/discover", json!({}))
        .message();
    assert!(
        discovered["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
}

fn tools(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_url_offers_its_own_toolsets() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "todo"]);
    let listed = |path: &str| tools(&web.ask(path, "tools/list", json!({})));
    assert_eq!(listed("/mcp"), ["todo_read", "todo_update"]);
    assert_eq!(listed("/mcp/"), ["todo_read", "todo_update"]);
    assert_eq!(listed("/mcp/tasks%2Ctodo/").len(), 13);
    assert_eq!(listed("/mcp/todolist"), ["todolist__get", "todolist__set"]);
    assert_eq!(listed("/mcp/todowrite"), ["TodoWrite"]);
    assert_eq!(listed("/mcp/app").len(), 6);
    assert_eq!(listed("/mcp/tasks,todo").len(), 13);
    assert_eq!(listed("/mcp/all").len(), 22);
    // A tool of another toolset is unknown here.
    let strange = web.ask(
        "/mcp",
        "tools/call",
        json!({"name": "add_todo", "arguments": {"title": "x"}}),
    );
    assert_eq!(strange["error"]["code"], -32602);
    assert_eq!(
        web.ask("/mcp", "add_todo", json!({"title": "x"}))["error"]["code"],
        -32601
    );
}

#[test]
fn all_project_toolsets_are_views_of_one_board() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "all"]);
    let call = |tool: &str, arguments: Value| {
        let answer = web.ask(
            "/mcp",
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        );
        answer["result"]["structuredContent"].clone()
    };
    let added = call("add_todo", json!({"title": "from the app"}));
    let todo = call("todo_read", json!({}));
    assert_eq!(todo["todos"][0]["content"], "from the app");
    let id = added["tasks"][0]["id"].as_str().unwrap();
    assert_eq!(call("get_task", json!({"id": id}))["title"], "from the app");
    call("update_task", json!({"id": id, "status": "blocked"}));
    assert_eq!(
        call("todo_read", json!({}))["todos"][0]["status"],
        "pending",
        "three states show less"
    );
    call("complete_todo", json!({"id": id}));
    assert_eq!(project.json(["list", "--all"])[0]["status"], "done");
}

#[test]
fn the_app_keeps_its_list_even_in_errors() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    web.ask("/mcp/app", "add_todo", json!({"title": "there"}));
    let refused = web.ask(
        "/mcp/app",
        "tools/call",
        json!({"name": "complete_todo", "arguments": {"id": "todo-1"}}),
    );
    let result = &refused["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["tasks"][0]["title"], "there");
    assert_eq!(result["structuredContent"]["error"]["code"], "not_found");
    let invalid = web.ask(
        "/mcp/app",
        "tools/call",
        json!({"name": "add_todo", "arguments": {"title": ""}}),
    );
    assert_eq!(
        invalid["error"]["code"], -32602,
        "an error of the protocol, as the specification says"
    );
    let listed = web.ask("/mcp/app", "tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["_meta"]["ui"]["resourceUri"], "ui://widget/todo.html");
    }
    let widget = web.ask(
        "/mcp/app",
        "resources/read",
        json!({"uri": "ui://widget/todo.html"}),
    );
    let contents = &widget["result"]["contents"];
    assert_eq!(contents.as_array().unwrap().len(), 1);
    assert_eq!(contents[0]["mimeType"], "text/html;profile=mcp-app");
    assert!(contents[0]["_meta"]["ui"]["csp"].is_object());
    let resources = web.ask("/mcp/app", "resources/list", json!({}));
    let uris: Vec<&Value> = resources["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["uri"])
        .collect();
    let known = [
        "todori://board",
        "todori://sessions",
        "ui://widget/todo.html",
    ];
    assert_eq!(uris, known);
}

#[test]
fn headers_that_contradict_the_body_are_refused() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
    ];
    let answer = web.post("/mcp", &headers, &message);
    assert_eq!(
        (answer.status, &answer.message()["error"]["code"]),
        (400, &json!(-32020))
    );
}

#[test]
fn direct_methods_keep_the_words_of_their_errors() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "all"]);
    let item = json!({"content": "x", "status": "in_progress", "activeForm": "x"});
    let refused = web.ask("/mcp", "TodoWrite", json!({"todos": [item, item]}));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["code"]),
        (&json!(-32602), &json!("multiple_in_progress"))
    );
    let refused = web.ask("/mcp", "todo_update", json!({"remove": ["ffffff"]}));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["code"]),
        (&json!(-32000), &json!("not_found"))
    );
}

#[test]
fn the_widget_moves_tasks_with_a_tool_that_models_do_not_see() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let listed = |able: &Value| {
        let session = web.session_as(able, "/mcp/app");
        let older = web.ask_in(&session, "/mcp/app", "tools/list", json!({}));
        let modern = web.ask_modern_as(able, "/mcp/app", "tools/list", json!({}));
        [tools(&older).len(), tools(&modern.message()).len()]
    };
    assert_eq!(listed(&json!({})), [6, 6]);
    assert_eq!(listed(&shows_widgets()), [7, 7]);

    let add =
        |title: &str| web.ask("/mcp/app", "add_todo", json!({"title": title}))["result"].take();
    add("first");
    let list = add("second");
    let id = |place: usize| list["tasks"][place]["id"].clone();
    let titles = |result: &Value| {
        let tasks = result["structuredContent"]["tasks"].as_array().unwrap();
        let titles = tasks.iter().map(|task| task["title"].clone());
        titles.collect::<Vec<_>>()
    };
    // Whoever knows it may call it, whatever they show: hosts decide that, and they were told.
    let call = |arguments: Value| {
        let params = json!({"name": "move_todo", "arguments": arguments});
        web.ask_modern("/mcp/app", "tools/call", params).message()
    };
    let moved = call(json!({"id": id(1), "before": id(0)}));
    assert_eq!(titles(&moved["result"]), ["second", "first"], "{moved}");
    assert_eq!(project.json(["list"])[0]["title"], "second");
    let refused = call(json!({"id": id(1), "after": "todo-ffffff"}));
    assert_eq!(refused["result"]["isError"], true);
    assert_eq!(titles(&refused["result"]), ["second", "first"]);
    let nowhere = call(json!({"id": id(1)}));
    assert_eq!(nowhere["error"]["code"], -32602, "{nowhere}");
}
