//! Both eras of the protocol on one server.

use serde_json::{Value, json};

use crate::project::{Project, Server, shows_widgets};

#[test]
fn every_older_revision_is_agreed_on() {
    let project = Project::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = project.serve();
        let answer = server.initialize(version);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "todori");
        assert!(
            result["capabilities"]["tools"].is_object(),
            "standard capability objects: {result}"
        );
        assert!(result["capabilities"]["prompts"].is_object());
        assert!(
            result["instructions"]
                .as_str()
                .unwrap()
                .starts_with("The project's task list")
        );
        let tools = server.ask("tools/list", json!({}));
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 11);
        assert!(
            tools["result"].get("resultType").is_none(),
            "nothing of the new era in the old one"
        );
    }
}

#[test]
fn what_is_too_new_for_initialize_is_answered_with_the_newest_that_has_it() {
    let project = Project::new();
    for version in ["2026-07-28", "2099-01-01", "nonsense"] {
        let answer = project.serve().initialize(version);
        assert_eq!(
            answer["result"]["protocolVersion"], "2025-11-25",
            "{version}"
        );
    }
}

#[test]
fn the_new_era_needs_no_handshake() {
    let project = Project::new();
    let mut server = project.serve();
    let discovered = server.ask_modern("server/discover", json!({}));
    let versions = discovered["result"]["supportedVersions"]
        .as_array()
        .unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{discovered}");
    let tools = server.ask_modern("tools/list", json!({}));
    assert_eq!(tools["result"]["resultType"], "complete");
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 11);
    let created = server.ask_modern(
        "tools/call",
        json!({"name": "create_task", "arguments": {"title": "modern", "status": "in-progress"}}),
    );
    let task = &created["result"]["structuredContent"];
    assert_eq!(task["title"], "modern");
    assert!(
        task["assignee"]
            .as_str()
            .unwrap()
            .starts_with("modern-client-"),
        "{task}"
    );
    // The direct methods too, and old and new mixed on one connection.
    assert_eq!(
        server.ask_modern("get_task_stats", json!({}))["result"]["total"],
        1
    );
    assert_eq!(
        server.initialize("2025-06-18")["result"]["protocolVersion"],
        "2025-06-18"
    );
    assert_eq!(
        server.ask("get_task_stats", json!({}))["result"]["total"],
        1
    );
}

#[test]
fn a_removed_method_is_unknown_in_the_new_era() {
    let project = Project::new();
    let mut server = project.serve();
    assert_eq!(
        server.ask_modern("ping", json!({}))["error"]["code"],
        -32601
    );
    assert_eq!(
        server.ask_modern("resources/subscribe", json!({"uri": "x"}))["error"]["code"],
        -32601
    );
}

#[test]
fn a_revision_that_nobody_speaks_is_refused() {
    let project = Project::new();
    let mut server = project.serve();
    let answer = server.ask(
        "tools/list",
        json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}}),
    );
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
}

#[test]
fn tools_are_listed_with_all_that_clients_ask_for() {
    let project = Project::new();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    let answer = server.ask("tools/list", json!({}));
    for tool in answer["result"]["tools"].as_array().unwrap() {
        let hints = [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ];
        for hint in hints {
            assert!(
                tool["annotations"][hint].is_boolean(),
                "Codex refuses a tool without {hint}: {tool}"
            );
        }
        assert!(
            tool["title"].is_string()
                && tool["inputSchema"].is_object()
                && tool["outputSchema"].is_object()
        );
    }
    let always = |tool: &&Value| tool["_meta"]["anthropic/alwaysLoad"] == true;
    assert_eq!(
        answer["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .filter(always)
            .count(),
        4
    );
}

#[test]
fn the_widgets_own_tool_is_listed_to_those_who_show_widgets_only() {
    let project = Project::new();
    let server = || {
        let mut command = project.command();
        command.env("TODORI_TOOLSETS", "app");
        Server::start(command)
    };
    let older = |able: &Value| {
        let mut server = server();
        server.initialize_as(able, "2025-11-25");
        server.ask("tools/list", json!({}))["result"]["tools"].take()
    };
    let modern = |able: &Value| {
        let answer = &mut server().ask_modern_as(able, "tools/list", json!({}));
        // The lists differ, so nobody may share one.
        assert_eq!(answer["result"]["cacheScope"], "private");
        answer["result"]["tools"].take()
    };
    let plain = older(&json!({}));
    let names: Vec<&Value> = plain
        .as_array()
        .unwrap()
        .iter()
        .map(|t| &t["name"])
        .collect();
    let of_the_specification = [
        "add_todo",
        "list_todos",
        "complete_todo",
        "complete_todo_by_index",
        "complete_todo_by_title",
        "delete_completed",
    ];
    assert_eq!(names, of_the_specification);
    let other = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "sampling": {}});
    for same in [older(&other), modern(&json!({})), modern(&other)] {
        assert_eq!(same, plain);
    }
    for told in [older(&shows_widgets()), modern(&shows_widgets())] {
        let told = told.as_array().unwrap();
        assert_eq!(told[..6], plain.as_array().unwrap()[..]);
        assert_eq!(told.len(), 7);
        assert_eq!(told[6]["name"], "move_todo");
        assert_eq!(
            told[6]["_meta"]["ui"],
            json!({"resourceUri": "ui://widget/todo.html", "visibility": ["app"]})
        );
        assert_eq!(told[6]["annotations"]["destructiveHint"], false);
    }
}
