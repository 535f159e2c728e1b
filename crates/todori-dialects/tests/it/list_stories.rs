//! Stories told in the dialects over a session list, `todolist` and `todowrite`; and one story told in all dialects, which
//! leaves the same list.

use serde_json::{Value, json};
use todori_domain::Board;

use crate::dispatcher::Dispatcher;
use crate::golden::check;
use crate::stories::tell;

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

/// One story, told in five dialects, leaves the same list.
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
