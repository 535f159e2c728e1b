//! What clients see, kept in files that a person has read. Set `TODORI_UPDATE_GOLDEN=1` to write them anew, then read
//! the difference.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use todori_dialects::{ALL, Block};
use todori_domain::{Board, Position, StoreError};

use crate::desk::{Desk, text};

#[expect(
    clippy::disallowed_methods,
    reason = "the tests' own switch, and the tests' own files"
)]
fn check(name: &str, now: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("TODORI_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, now).unwrap();
    }
    let then = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        then == now,
        "{name} differs from what is kept; now it is:\n{now}"
    );
}

#[test]
fn the_definitions_of_all_tools() {
    for dialect in ALL {
        let mut page = String::new();
        for tool in dialect.tools {
            let input = serde_json::to_string_pretty(&(tool.input)().input_schema()).unwrap();
            let output = (tool.output)().schema();
            let (name, title, description) = (tool.name, tool.title, tool.description);
            writeln!(
                page,
                "# {name} ({title})\n{description}\n{:?}\ninput {input}\noutput {output}\n",
                tool.effect
            )
            .unwrap();
        }
        check(&format!("{}.tools.txt", dialect.name), &page);
    }
}

fn tell(page: &mut String, desk: &mut Desk, tool: &str, arguments: Value) -> Value {
    writeln!(page, "> {tool} {arguments}").unwrap();
    let answer = desk.call(tool, arguments);
    match &answer {
        Ok(reply) => {
            for block in &reply.blocks {
                let mark = if matches!(block, Block::Reminder(_)) {
                    "(reminder) "
                } else {
                    ""
                };
                writeln!(page, "{mark}{}", text(block)).unwrap();
            }
        }
        Err(fault) => writeln!(page, "{}", fault.to_json()).unwrap(),
    }
    writeln!(page).unwrap();
    answer.map(|reply| reply.structured).unwrap_or_default()
}

/// A story in the words of spec/tasks.md: every tool, every refusal, both prompts.
#[test]
fn a_story_in_tasks() {
    let mut desk = Desk::new("tasks", Board::default());
    let page = &mut String::new();
    let desk = &mut desk;
    tell(page, desk, "get_next_task", json!({}));
    let server = tell(
        page,
        desk,
        "create_task",
        json!({"title": "Implement MCP server",
        "description": "Build stdio transport and tool handlers", "priority": "high"}),
    );
    let root = tell(
        page,
        desk,
        "create_task",
        json!({"title": "Set up project root detection", "priority": "high"}),
    );
    let id = |task: &Value| task["id"].as_str().unwrap().to_owned();
    let (server, root) = (id(&server), id(&root));
    tell(
        page,
        desk,
        "update_task",
        json!({"id": server, "dependencies": [root]}),
    );
    tell(
        page,
        desk,
        "get_next_task",
        json!({"priority": ["high", "medium"]}),
    );
    tell(
        page,
        desk,
        "update_task",
        json!({"id": &root[..8], "status": "in-progress"}),
    );
    tell(
        page,
        desk,
        "add_subtask",
        json!({"parentId": root, "title": "Walk up to .git"}),
    );
    tell(
        page,
        desk,
        "add_subtask",
        json!({"parentId": root, "title": "Ask the environment", "description": "TODORI_PROJECT_ROOT"}),
    );
    tell(
        page,
        desk,
        "update_subtask",
        json!({"subtaskId": format!("{root}.1"), "status": "done"}),
    );
    tell(
        page,
        desk,
        "delete_subtask",
        json!({"subtaskId": format!("{root}.2")}),
    );
    tell(page, desk, "get_tasks", json!({}));
    tell(page, desk, "get_tasks", json!({"limit": 1}));
    tell(
        page,
        desk,
        "query_tasks",
        json!({"filters": {"status": "pending"}, "sort": {"field": "priority", "order": "desc"}, "fields": ["title", "created"]}),
    );
    tell(page, desk, "get_task", json!({"id": server}));
    tell(page, desk, "get_task", json!({"id": format!("{root}.1")}));
    writeln!(
        page,
        "> session_restore\n{}",
        desk.prompt("session_restore", json!({}))
    )
    .unwrap();
    writeln!(
        page,
        "> task_context\n{}",
        desk.prompt("task_context", json!({"taskId": server}))
    )
    .unwrap();
    writeln!(
        page,
        "> task_context\n{}",
        desk.prompt("task_context", json!({"taskId": root}))
    )
    .unwrap();
    tell(
        page,
        desk,
        "update_task",
        json!({"id": root, "dependencies": [server]}),
    );
    tell(
        page,
        desk,
        "update_task",
        json!({"id": root, "dependencies": ["ffff0000"]}),
    );
    tell(page, desk, "get_task", json!({"id": "nonexistent-uuid"}));
    tell(
        page,
        desk,
        "update_subtask",
        json!({"subtaskId": format!("{root}.7"), "status": "done"}),
    );
    tell(
        page,
        desk,
        "create_task",
        json!({"title": "x", "priority": "urgent"}),
    );
    tell(
        page,
        desk,
        "update_task",
        json!({"id": root, "status": "done"}),
    );
    tell(page, desk, "get_next_task", json!({}));
    tell(page, desk, "get_task_stats", json!({}));
    tell(page, desk, "delete_task", json!({"id": root}));
    tell(page, desk, "get_task", json!({"id": server}));
    writeln!(
        page,
        "> session_restore\n{}",
        desk.prompt("session_restore", json!({}))
    )
    .unwrap();
    check("tasks.story.txt", page);
}

#[test]
fn what_goes_wrong_with_stores() {
    let (file, reason) = (
        ".todori/tasks.yaml".to_owned(),
        "the disk is full".to_owned(),
    );
    let at = Position { line: 3, column: 5 };
    let errors = [
        StoreError::NoProject {
            from: "/somewhere".to_owned(),
        },
        StoreError::Broken {
            file: file.clone(),
            at,
            reason: "the key title stands here twice".to_owned(),
        },
        StoreError::Vanished { file },
        StoreError::Busy { seconds: 10 },
        StoreError::Unreadable {
            reason: reason.clone(),
        },
        StoreError::NotApplied {
            reason: reason.clone(),
        },
        StoreError::OutcomeUnknown { reason },
    ];
    for dialect in ALL {
        let mut page = String::new();
        for error in &errors {
            writeln!(page, "{}", dialect.store_fault(error).to_json()).unwrap();
        }
        check(&format!("{}.store-faults.txt", dialect.name), &page);
    }
}
