//! Stories told in the dialects over a project board, kept in files that a person has read: `tasks`, `todo` and `app`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use todori_dialects::Block;
use todori_domain::Board;

use crate::dispatcher::{Dispatcher, text};
use crate::golden::check;

/// Calls a tool and writes the call and its reply to the page; returns the structured reply.
pub(crate) fn tell(
    page: &mut String,
    dispatcher: &mut Dispatcher,
    tool: &str,
    arguments: Value,
) -> Value {
    writeln!(page, "> {tool} {arguments}").unwrap();
    let answer = dispatcher.call(tool, arguments);
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
    let mut dispatcher = Dispatcher::new("tasks", Board::default());
    let page = &mut String::new();
    let dispatcher = &mut dispatcher;
    tell(page, dispatcher, "get_next_task", json!({}));
    let server = tell(
        page,
        dispatcher,
        "create_task",
        json!({"title": "Implement MCP server",
        "description": "Build stdio transport and tool handlers", "priority": "high"}),
    );
    let root = tell(
        page,
        dispatcher,
        "create_task",
        json!({"title": "Set up project root detection", "priority": "high"}),
    );
    let id = |task: &Value| task["id"].as_str().unwrap().to_owned();
    let (server, root) = (id(&server), id(&root));
    tell(
        page,
        dispatcher,
        "update_task",
        json!({"id": server, "dependencies": [root]}),
    );
    tell(
        page,
        dispatcher,
        "get_next_task",
        json!({"priority": ["high", "medium"]}),
    );
    tell(
        page,
        dispatcher,
        "update_task",
        json!({"id": &root[..8], "status": "in-progress"}),
    );
    tell(
        page,
        dispatcher,
        "add_subtask",
        json!({"parentId": root, "title": "Walk up to .git"}),
    );
    tell(
        page,
        dispatcher,
        "add_subtask",
        json!({"parentId": root, "title": "Ask the environment", "description": "TODORI_PROJECT_ROOT"}),
    );
    tell(
        page,
        dispatcher,
        "update_subtask",
        json!({"subtaskId": format!("{root}.1"), "status": "done"}),
    );
    tell(
        page,
        dispatcher,
        "delete_subtask",
        json!({"subtaskId": format!("{root}.2")}),
    );
    tell(page, dispatcher, "get_tasks", json!({}));
    tell(page, dispatcher, "get_tasks", json!({"limit": 1}));
    tell(
        page,
        dispatcher,
        "query_tasks",
        json!({"filters": {"status": "pending"}, "sort": {"field": "priority", "order": "desc"}, "fields": ["title", "created"]}),
    );
    tell(page, dispatcher, "get_task", json!({"id": server}));
    tell(
        page,
        dispatcher,
        "get_task",
        json!({"id": format!("{root}.1")}),
    );
    writeln!(
        page,
        "> session_restore\n{}",
        dispatcher.prompt("session_restore", json!({}))
    )
    .unwrap();
    writeln!(
        page,
        "> task_context\n{}",
        dispatcher.prompt("task_context", json!({"taskId": server}))
    )
    .unwrap();
    writeln!(
        page,
        "> task_context\n{}",
        dispatcher.prompt("task_context", json!({"taskId": root}))
    )
    .unwrap();
    tell(
        page,
        dispatcher,
        "update_task",
        json!({"id": root, "dependencies": [server]}),
    );
    tell(
        page,
        dispatcher,
        "update_task",
        json!({"id": root, "dependencies": ["ffff0000"]}),
    );
    tell(
        page,
        dispatcher,
        "get_task",
        json!({"id": "nonexistent-uuid"}),
    );
    tell(
        page,
        dispatcher,
        "update_subtask",
        json!({"subtaskId": format!("{root}.7"), "status": "done"}),
    );
    tell(
        page,
        dispatcher,
        "create_task",
        json!({"title": "x", "priority": "urgent"}),
    );
    tell(
        page,
        dispatcher,
        "update_task",
        json!({"id": root, "status": "done"}),
    );
    tell(page, dispatcher, "get_next_task", json!({}));
    tell(page, dispatcher, "get_task_stats", json!({}));
    tell(page, dispatcher, "delete_task", json!({"id": root}));
    tell(page, dispatcher, "get_task", json!({"id": server}));
    writeln!(
        page,
        "> session_restore\n{}",
        dispatcher.prompt("session_restore", json!({}))
    )
    .unwrap();
    check("tasks.story.txt", page);
}

/// The examples of spec/todo.md, and what can go wrong.
#[test]
fn a_story_in_todo() {
    let mut dispatcher = Dispatcher::new("todo", Board::default());
    let (page, dispatcher) = (&mut String::new(), &mut dispatcher);
    tell(page, dispatcher, "todo_read", json!({}));
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"add": [{"content": "Fix the login", "priority": "high"}]}),
    );
    let list = tell(page, dispatcher, "todo_read", json!({}));
    let first = list["todos"][0]["id"].clone();
    let list = tell(
        page,
        dispatcher,
        "todo_update",
        json!({
            "add": [{"content": "Summarise documentation cleanup", "priority": "medium"}],
            "update": [{"id": first, "status": "in_progress"}],
        }),
    );
    let second = list["todos"][1]["id"].clone();
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"add": [{"content": "Fix the login"}]}),
    );
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"add": [{"content": "Third"}], "reorder": [second, first]}),
    );
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"reorder": [second, first]}),
    );
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"reorder": [second, first, first]}),
    );
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"remove": ["ffffff"], "add": [{"content": "not added"}]}),
    );
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"update": [{"id": first, "status": "completed"}]}),
    );
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"add": [{"content": " "}]}),
    );
    tell(
        page,
        dispatcher,
        "todo_update",
        json!({"remove": [second], "update": [{"id": first, "status": "done"}]}),
    );
    check("todo.story.txt", page);
}

/// The messages of spec/app.md.
#[test]
fn a_story_in_app() {
    let mut dispatcher = Dispatcher::new("app", Board::default());
    let (page, dispatcher) = (&mut String::new(), &mut dispatcher);
    tell(
        page,
        dispatcher,
        "add_todo",
        json!({"title": "Buy groceries"}),
    );
    tell(page, dispatcher, "add_todo", json!({"title": "Buy stamps"}));
    let list = tell(page, dispatcher, "add_todo", json!({"title": "Call home"}));
    writeln!(page, "(structured) {list}\n").unwrap();
    tell(
        page,
        dispatcher,
        "complete_todo",
        json!({"id": list["tasks"][0]["id"]}),
    );
    tell(page, dispatcher, "list_todos", json!({}));
    tell(
        page,
        dispatcher,
        "complete_todo",
        json!({"id": list["tasks"][0]["id"]}),
    );
    tell(
        page,
        dispatcher,
        "complete_todo",
        json!({"id": list["tasks"][0]["id"], "completed": false}),
    );
    tell(
        page,
        dispatcher,
        "complete_todo_by_index",
        json!({"index": 2}),
    );
    tell(
        page,
        dispatcher,
        "complete_todo_by_index",
        json!({"index": 7}),
    );
    tell(
        page,
        dispatcher,
        "complete_todo_by_title",
        json!({"title": "GROCER"}),
    );
    tell(
        page,
        dispatcher,
        "complete_todo_by_title",
        json!({"title": "buy"}),
    );
    tell(
        page,
        dispatcher,
        "complete_todo_by_title",
        json!({"title": "nothing like it"}),
    );
    tell(page, dispatcher, "complete_todo", json!({"id": "todo-1"}));
    tell(
        page,
        dispatcher,
        "complete_todo_by_index",
        json!({"index": 0}),
    );
    tell(page, dispatcher, "add_todo", json!({"title": ""}));
    let [first, second, third] = [0, 1, 2].map(|place| list["tasks"][place]["id"].clone());
    for arguments in [
        json!({"id": third, "before": first}),
        json!({"id": third, "before": first}),
        json!({"id": third, "after": second}),
        json!({"id": third, "after": third}),
        json!({"id": third, "after": "todo-1"}),
        json!({"id": "todo-1", "before": first}),
        json!({"id": third}),
        json!({"id": third, "before": first, "after": second}),
    ] {
        tell(page, dispatcher, "move_todo", arguments);
    }
    let list = tell(page, dispatcher, "delete_completed", json!({}));
    writeln!(page, "(structured) {list}\n").unwrap();
    tell(page, dispatcher, "delete_completed", json!({}));
    tell(page, dispatcher, "list_todos", json!({}));
    check("app.story.txt", page);
}
