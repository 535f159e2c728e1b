//! What todori's own server really answers, in all five dialects, told as Claude Code tells it.

use serde_json::{Value, json};

use super::{text, track};
use crate::project::{Project, Server};

/// A server, and the lines that Claude Code would write about it.
struct Session {
    server: Server,
    lines: String,
    calls: usize,
}

impl Session {
    /// Calls a tool; gives its structured data.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let result = self.server.call(tool, arguments.clone());
        // Either spelling of the server's name, and either way to tell a result.
        let odd = self.calls % 2 == 1;
        let server = if odd {
            "todori"
        } else {
            "plugin_todori_todori"
        };
        let content = &result["content"];
        let failed = result["isError"] == true;
        let told = match (failed, odd) {
            (true, _) => json!(format!("Error: {}", content[0]["text"])),
            (false, true) => {
                json!({"content": content[0]["text"], "structuredContent": result["structuredContent"]})
            }
            (false, false) => content.clone(),
        };
        // A dialect whose text is a sentence has its data in the structured part only.
        let told = if content[0]["text"].as_str().unwrap().starts_with(['{', '[']) || failed {
            told
        } else {
            json!({"content": content[0]["text"], "structuredContent": result["structuredContent"]})
        };
        let call = json!({"type": "tool_use", "id": id, "name": format!("mcp__{server}__{tool}"), "input": arguments});
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed});
        for line in [
            json!({"type": "assistant", "message": {"content": [call]}, "parent_tool_use_id": null}),
            json!({"type": "user", "message": {"content": [block]}, "tool_use_result": told}),
        ] {
            self.lines += &format!("{line}\n");
        }
        result["structuredContent"].clone()
    }

    /// The last block that is shown.
    fn check(&self, expected: &str) {
        let shown = text(&track(self.lines.as_bytes(), &[]).stdout);
        let last = shown.rsplit("Progress: ").next().unwrap();
        assert_eq!(last, expected, "{shown}");
    }
}

#[test]
fn all_dialects_of_todori_are_followed() {
    let project = Project::new();
    let mut command = project.command();
    command.env("TODORI_TOOLSETS", "all");
    let mut server = Server::start(command);
    server.initialize("2025-11-25");
    let mut session = Session {
        server,
        lines: String::new(),
        calls: 0,
    };
    let id = |task: &Value| task["id"].as_str().unwrap().to_owned();
    let read = id(&session.call("create_task", json!({"title": "Read the spec"})));
    let write = id(&session.call("create_task", json!({"title": "Write the parser"})));
    session.call(
        "update_task",
        json!({"id": read[..8], "status": "in-progress"}),
    );
    session.call("update_task", json!({"id": "ffffffff", "status": "done"}));
    session.call("add_subtask", json!({"parentId": write, "title": "Lexer"}));
    session.call(
        "update_subtask",
        json!({"subtaskId": format!("{write}.1"), "status": "done"}),
    );
    session.call("update_task", json!({"id": write, "status": "blocked"}));
    session.check(
        "0/2 completed\nCurrently working on: 1 task(s)\n\n1. [~] Read the spec\n2. [!] Write the parser  (1/1 subtasks)\n",
    );
    session.call(
        "todo_update",
        json!({"update": [{"id": read, "status": "done"}], "add": [{"content": "Run the tests"}]}),
    );
    session.call("add_todo", json!({"title": "Ship it"}));
    session.check(
        "1/4 completed\nCurrently working on: 0 task(s)\n\n1. [x] Read the spec\n2. [!] Write the parser  (1/1 subtasks)\n\
         3. [ ] Run the tests\n4. [ ] Ship it\n",
    );
    session.call("complete_todo_by_title", json!({"title": "ship"}));
    session.call("delete_completed", json!({}));
    session.call("get_tasks", json!({}));
    session.call("query_tasks", json!({"fields": ["title", "status"]}));
    session.call("get_next_task", json!({}));
    session.check(
        "0/2 completed\nCurrently working on: 0 task(s)\n\n1. [!] Write the parser  (1/1 subtasks)\n2. [ ] Run the tests\n",
    );
    session.call("delete_task", json!({"id": write}));
    let item = |content: &str, status: &str| json!({"content": content, "status": status, "activeForm": format!("{content}...")});
    session.call(
        "TodoWrite",
        json!({"todos": [item("Plan", "in_progress"), item("Do", "pending")]}),
    );
    session.call(
        "todolist__set",
        json!({"todos": [item("Plan", "completed"), item("Do", "in_progress")]}),
    );
    session.call(
        "todolist__set",
        json!({"todos": [item("Plan", "in_progress"), item("Do", "in_progress")]}),
    );
    session.call("todolist__get", json!({}));
    session.check(
        "1/3 completed\nCurrently working on: 1 task(s)\n\n1. [ ] Run the tests\n2. [x] Plan\n3. [~] Do...\n",
    );
}
