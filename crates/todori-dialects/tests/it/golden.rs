//! What clients see, kept in files that a person has read. Set `TODORI_UPDATE_GOLDEN=1` to write them anew, then read
//! the difference.

use std::fmt::Write as _;

use serde_json::{Value, json};
use todori_dialects::{ALL, Audience, Block};
use todori_domain::{Board, Position, StoreError};

use crate::dispatcher::{Dispatcher, text};
use crate::kept;

fn check(name: &str, now: &str) {
    let otherwise = format!("{name} differs from what is kept; now it is:\n{now}");
    kept::check(&format!("tests/golden/{name}"), now, &otherwise);
}

#[test]
fn the_definitions_of_all_tools() {
    for dialect in ALL {
        let mut page = String::new();
        for tool in dialect.tools {
            let input = serde_json::to_string_pretty(&(tool.input)().input_schema()).unwrap();
            let output = (tool.output)().schema();
            let (name, title, description) = (tool.name, tool.title, tool.description);
            let whose = match tool.audience {
                Audience::Everybody => "",
                Audience::Widget => ", for the widget only",
            };
            writeln!(
                page,
                "# {name} ({title})\n{description}\n{:?}{whose}\ninput {input}\noutput {output}\n",
                tool.effect
            )
            .unwrap();
        }
        check(&format!("{}.tools.txt", dialect.name), &page);
    }
}

fn tell(page: &mut String, dispatcher: &mut Dispatcher, tool: &str, arguments: Value) -> Value {
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

/// The examples of spec/todolist.md.
#[test]
fn a_story_in_todolist() {
    let mut dispatcher = Dispatcher::new("todolist", Board::default());
    let (page, dispatcher) = (&mut String::new(), &mut dispatcher);
    let todos = |build: &str, fix: &str, test: &str| {
        json!({"todos": [
            {"content": "Run build", "status": build, "activeForm": "Running build"},
            {"content": "Fix errors", "status": fix, "activeForm": "Fixing errors"},
            {"content": "Run tests", "status": test, "activeForm": "Running tests"},
        ]})
    };
    tell(page, dispatcher, "todolist__get", json!({}));
    tell(
        page,
        dispatcher,
        "todolist__set",
        todos("pending", "pending", "pending"),
    );
    tell(
        page,
        dispatcher,
        "todolist__set",
        todos("in_progress", "pending", "pending"),
    );
    tell(
        page,
        dispatcher,
        "todolist__set",
        todos("completed", "in_progress", "pending"),
    );
    tell(page, dispatcher, "todolist__get", json!({}));
    tell(
        page,
        dispatcher,
        "todolist__set",
        todos("completed", "in_progress", "in_progress"),
    );
    tell(
        page,
        dispatcher,
        "todolist__set",
        todos("completed", "done", "pending"),
    );
    let item = |content: &str, form: &str| json!({"todos": [{"content": content, "status": "pending", "activeForm": form}]});
    tell(page, dispatcher, "todolist__set", item("", "x"));
    tell(page, dispatcher, "todolist__set", item("x", " "));
    tell(
        page,
        dispatcher,
        "todolist__set",
        json!({"todos": [{"content": "x", "status": "pending"}]}),
    );
    tell(
        page,
        dispatcher,
        "todolist__set",
        json!({"todos": [{"content": "x", "status": "pending", "activeForm": "x", "id": 1}]}),
    );
    tell(page, dispatcher, "todolist__set", json!({}));
    tell(
        page,
        dispatcher,
        "todolist__set",
        todos("completed", "completed", "completed"),
    );
    tell(page, dispatcher, "todolist__get", json!({}));
    check("todolist.story.txt", page);
}

/// The life cycle of spec/todowrite.md.
#[test]
fn a_story_in_todowrite() {
    let mut dispatcher = Dispatcher::new("todowrite", Board::default());
    let (page, dispatcher) = (&mut String::new(), &mut dispatcher);
    let todos = |first: &str, second: &str| {
        json!({"todos": [
            {"content": "Task 1", "activeForm": "Doing Task 1", "status": first},
            {"content": "Task 2", "activeForm": "Doing Task 2", "status": second},
        ]})
    };
    tell(
        page,
        dispatcher,
        "TodoWrite",
        todos("in_progress", "pending"),
    );
    tell(
        page,
        dispatcher,
        "TodoWrite",
        todos("completed", "in_progress"),
    );
    tell(
        page,
        dispatcher,
        "TodoWrite",
        todos("in_progress", "in_progress"),
    );
    tell(
        page,
        dispatcher,
        "TodoWrite",
        todos("completed", "completed"),
    );
    assert!(
        dispatcher.board.is_empty(),
        "a list that is finished is removed"
    );
    tell(page, dispatcher, "TodoWrite", json!({"todos": []}));
    check("todowrite.story.txt", page);
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

/// One story, told in all five dialects, leaves the same list.
#[test]
fn one_story_in_all_dialects_leaves_the_same_board() {
    let left = |dispatcher: &Dispatcher| -> Vec<(String, &'static str)> {
        dispatcher
            .board
            .in_order()
            .map(|task| (task.title.as_str().to_owned(), task.status.as_str()))
            .collect()
    };
    let titles = ["Run build", "Fix errors", "Run tests"];
    let mut told = Vec::new();
    let mut tasks = Dispatcher::new("tasks", Board::default());
    let ids: Vec<Value> = titles
        .iter()
        .map(|title| {
            tasks
                .call("create_task", json!({"title": title}))
                .unwrap()
                .structured["id"]
                .clone()
        })
        .collect();
    tasks
        .call("update_task", json!({"id": ids[0], "status": "done"}))
        .unwrap();
    told.push(left(&tasks));
    let mut todo = Dispatcher::new("todo", Board::default());
    let add: Vec<Value> = titles
        .iter()
        .map(|title| json!({"content": title}))
        .collect();
    let list = todo
        .call("todo_update", json!({"add": add}))
        .unwrap()
        .structured;
    todo.call(
        "todo_update",
        json!({"update": [{"id": list["todos"][0]["id"], "status": "done"}]}),
    )
    .unwrap();
    told.push(left(&todo));
    let whole = |status: &str| -> Value {
        let item = |(place, title): (usize, &&str)| {
            let status = if place == 0 { status } else { "pending" };
            json!({"content": title, "status": status, "activeForm": title})
        };
        json!({"todos": titles.iter().enumerate().map(item).collect::<Vec<_>>()})
    };
    for (dialect, tool) in [("todolist", "todolist__set"), ("todowrite", "TodoWrite")] {
        let mut dispatcher = Dispatcher::new(dialect, Board::default());
        dispatcher.call(tool, whole("pending")).unwrap();
        dispatcher.call(tool, whole("completed")).unwrap();
        told.push(left(&dispatcher));
    }
    let mut app = Dispatcher::new("app", Board::default());
    for title in titles {
        app.call("add_todo", json!({"title": title})).unwrap();
    }
    app.call("complete_todo_by_index", json!({"index": 1}))
        .unwrap();
    told.push(left(&app));
    for other in &told {
        assert_eq!(other, &told[0]);
    }
    assert_eq!(told[0][0], ("Run build".to_owned(), "done"));
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
