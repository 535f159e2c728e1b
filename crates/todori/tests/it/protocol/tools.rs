//! The tools, the prompts and the direct methods, through the real program.

use std::fs;

use serde_json::{Value, json};

use crate::project::Project;

fn text(result: &Value) -> Value {
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn the_examples_of_the_specification() {
    let project = Project::new();
    let mut server = project.serve();
    let created = server.direct(
        "create_task",
        json!({"title": "Implement MCP server",
        "description": "Build stdio transport and tool handlers", "priority": "high"}),
    );
    assert_eq!(created["status"], "pending");
    assert_eq!(
        (&created["dependencies"], &created["subtasks"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(
        created["metadata"]["created"],
        created["metadata"]["updated"]
    );
    let next = server.direct("get_next_task", json!({"priority": ["high", "medium"]}));
    assert_eq!(next["task"]["id"], created["id"]);
    assert_eq!(
        next["rationale"],
        "Recommended: high priority, no dependencies, topologically first"
    );
    let answer = server.ask("get_task", json!({"id": "nonexistent-uuid"}));
    let expected = json!({"code": -32000, "message": "Task not found", "data": {"taskId": "nonexistent-uuid"}});
    assert_eq!(answer["error"], expected);
}

#[test]
fn successes_carry_data_twice_and_refusals_once() {
    let project = Project::new();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    let created = server.call("create_task", json!({"title": "a"}));
    assert_eq!(text(&created), created["structuredContent"]);
    assert_eq!(created["isError"], false);
    let refused = server.call("get_task", json!({"id": "ffff"}));
    assert_eq!(refused["isError"], true);
    assert!(refused.get("structuredContent").is_none());
    assert_eq!(text(&refused)["error"]["code"], -32000);
    assert_eq!(refused["_meta"]["dev.todori/error"]["code"], -32000);
    let invalid = server.call("create_task", json!({"title": "x".repeat(201)}));
    assert_eq!(text(&invalid)["error"]["code"], -32602);
    let id = created["structuredContent"]["id"].clone();
    let cycle = server.call("update_task", json!({"id": id, "dependencies": [id]}));
    assert_eq!(text(&cycle)["error"]["code"], -32001);
    assert_eq!(text(&cycle)["error"]["data"]["cycle"], json!([id]));
}

#[test]
fn without_a_project_the_server_runs_and_says_what_to_do() {
    let nowhere = Project::nowhere();
    let mut server = nowhere.serve();
    server.initialize("2025-11-25");
    let refused = server.call("get_tasks", json!({}));
    let error = &text(&refused)["error"];
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32002), &json!("Project root not found"))
    );
    assert!(
        error["data"]["hint"]
            .as_str()
            .unwrap()
            .contains("todori init")
    );
    assert_eq!(
        server.ask("create_task", json!({"title": "x"}))["error"]["code"],
        -32002
    );
    assert_eq!(
        fs::read_dir(nowhere.path()).unwrap().count(),
        0,
        "nothing was created"
    );
    // The project that is made now is found by the server that runs already.
    assert_eq!(nowhere.run(["init"]).code, 0);
    assert_eq!(server.direct("get_tasks", json!({})), json!([]));
}

#[test]
fn starting_up_and_reading_leave_no_trace() {
    let project = Project::nowhere();
    fs::create_dir(project.path().join(".git")).unwrap();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    server.ask("tools/list", json!({}));
    server.direct("get_tasks", json!({}));
    server.direct("get_next_task", json!({}));
    assert_eq!(server.finish(), Some(0));
    let there: Vec<_> = fs::read_dir(project.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(there, [".git"]);
}

#[test]
fn a_broken_board_is_named_with_line_and_column_and_left_alone() {
    let project = Project::new();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    let broken = "version: 1\ntasks:\n<<<<<<< HEAD\n";
    project.write_board(broken);
    for tool in ["get_tasks", "create_task"] {
        let arguments = if tool == "get_tasks" {
            json!({})
        } else {
            json!({"title": "x"})
        };
        let refused = server.call(tool, arguments);
        let error = &text(&refused)["error"];
        assert_eq!(error["code"], -32603);
        let message = ".todori/tasks.yaml is broken at line 3, column 1: a merge conflict was not resolved here";
        assert_eq!(error["message"], message);
    }
    assert_eq!(project.board_text(), broken);
    project.write_board("version: 1\ntasks: {}\n");
    assert_eq!(
        server.direct("create_task", json!({"title": "x"}))["title"],
        "x"
    );
}

#[test]
fn two_servers_share_one_board_and_see_who_has_what() {
    let project = Project::new();
    let (mut first, mut second) = (project.serve(), project.serve());
    first.initialize("2025-11-25");
    second.initialize("2025-11-25");
    let task = first.direct("create_task", json!({"title": "one"}));
    let other = second.direct("create_task", json!({"title": "two"}));
    let started = first.call(
        "update_task",
        json!({"id": task["id"], "status": "in-progress"}),
    );
    let holder = started["structuredContent"]["assignee"].clone();
    // The other server is recommended the other task, and told whose the first one is.
    assert_eq!(
        second.direct("get_next_task", json!({}))["task"]["id"],
        other["id"]
    );
    let refused = second.call(
        "update_task",
        json!({"id": task["id"], "status": "in-progress"}),
    );
    assert_eq!(refused["structuredContent"]["assignee"], holder);
    let reminder = &refused["content"][1];
    assert_eq!(reminder["annotations"]["audience"], json!(["assistant"]));
    assert!(
        reminder["text"]
            .as_str()
            .unwrap()
            .contains("Another session")
    );
    // Once the first is gone, its task comes first.
    drop(first);
    let next = second.direct("get_next_task", json!({}));
    assert_eq!(next["task"]["id"], task["id"]);
    assert!(
        next["rationale"]
            .as_str()
            .unwrap()
            .contains("left in progress by a session that ended")
    );
    let taken = second.direct(
        "update_task",
        json!({"id": task["id"], "status": "in-progress"}),
    );
    assert_ne!(taken["assignee"], holder);
}

#[test]
fn a_task_that_was_cut_can_be_read_in_full_as_a_resource() {
    let project = Project::new();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    let long = "A line of some length.\n".repeat(400);
    let task = server.direct("create_task", json!({"title": "long", "description": long}));
    assert!(task["description"].as_str().unwrap().contains("⟦todori: "));
    let id = task["id"].as_str().unwrap();
    let read = server.ask(
        "resources/read",
        json!({"uri": format!("todori://tasks/{id}")}),
    );
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "text/markdown");
    assert!(contents["text"].as_str().unwrap().contains(&long));
    let unknown = server.ask("resources/read", json!({"uri": "todori://tasks/ffff"}));
    assert_eq!(unknown["error"]["code"], -32002);
    let templates = server.ask("resources/templates/list", json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"][0]["uriTemplate"],
        "todori://tasks/{id}"
    );
}

#[test]
fn requests_that_come_in_one_go_are_answered_as_if_one_after_the_other() {
    let project = Project::new();
    let mut server = project.serve();
    let mut lines = String::new();
    for number in 0..40 {
        let title = format!("task {number}");
        lines.push_str(&format!("{}\n", json!({"jsonrpc": "2.0", "id": number * 2, "method": "create_task", "params": {"title": title}})));
        lines.push_str(&format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": number * 2 + 1, "method": "get_task_stats"})
        ));
    }
    assert!(server.send_raw(lines.as_bytes()));
    let mut totals = vec![0; 40];
    for _ in 0..80 {
        let answer = server.receive();
        let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        if id % 2 == 1 {
            totals[id / 2] = answer["result"]["total"].as_u64().unwrap();
        }
    }
    assert_eq!(totals, (1..=40).collect::<Vec<u64>>());
    let listed = project.json(["list"]);
    let titles: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        (0..40)
            .map(|number| format!("task {number}"))
            .collect::<Vec<_>>()
    );
}

/// The first command of the README.
#[test]
fn the_first_session_of_the_readme_goes_well() {
    let project = Project::nowhere();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let session = fs::File::open(root.join("docs/guide/first-session.jsonl")).unwrap();
    let mut command = project.command();
    command
        .arg("--project")
        .arg(project.path())
        .arg("serve")
        .stdin(session);
    let output = command.output().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    let mut answers = answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let restored = answers.find(|answer| answer["id"] == 6).unwrap();
    let text = restored["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    assert!(
        text.contains("Total Tasks: 2") && text.contains("Find out why the login fails"),
        "{text}"
    );
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let first_screen: String = readme.lines().take(24).collect();
    assert!(
        first_screen.contains("serve < docs/guide/first-session.jsonl")
            && first_screen.contains("./test")
    );
}
