//! What the widget is told beyond the list that models read.

use std::sync::Arc;

use serde_json::{Value, json};
use todori_dialects::Reply;
use todori_domain::{Board, StoreError, Task, Title};

use crate::dispatcher::Dispatcher;

/// A board that `tasks` made: one in progress, one that waits for it, one put off, one cancelled, one as usual.
fn board() -> Dispatcher {
    let mut dispatcher = Dispatcher::new("tasks", Board::default());
    let mut make = |arguments: Value| {
        let made = dispatcher.call("create_task", arguments).unwrap();
        made.structured["id"].clone()
    };
    let tests = make(json!({"title": "Run the tests"}));
    let gone = make(json!({"title": "Ask nobody"}));
    let later = make(json!({"title": "Paint it"}));
    make(json!({"title": "Ship it", "priority": "high", "dependencies": [tests, gone]}));
    make(json!({"title": "Buy milk"}));
    for (id, status) in [
        (tests, "in-progress"),
        (gone, "cancelled"),
        (later, "deferred"),
    ] {
        dispatcher
            .call("update_task", json!({"id": id, "status": status}))
            .unwrap();
    }
    // No tool of `tasks` says this; the command line and other dialects do.
    let mut board = (*dispatcher.board).clone();
    let mut running = Task::clone(board.in_order().next().unwrap());
    running.active_form = Some(Title::parse("Running the tests").unwrap());
    board.put(Arc::new(running));
    Dispatcher::new("app", board)
}

fn details(reply: &Reply) -> Value {
    reply
        .meta
        .get("dev.todori/tasks")
        .cloned()
        .unwrap_or_default()
}

#[test]
fn the_widget_is_told_what_is_not_as_usual_and_the_model_is_not() {
    let mut dispatcher = board();
    let reply = dispatcher.call("list_todos", json!({})).unwrap();
    let ids: Vec<String> = reply.structured["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 4, "what is cancelled is not in the list");
    assert_eq!(
        details(&reply),
        json!({
            (ids[0].as_str()): {"status": "in-progress", "activeForm": "Running the tests", "assignee": "tester"},
            (ids[1].as_str()): {"status": "deferred"},
            (ids[2].as_str()): {"priority": "high", "waitsFor": [ids[0]]},
        })
    );
    assert!(!reply.structured.to_string().contains("Running"));
    assert_eq!(reply.bare, reply.structured);
}

#[test]
fn a_plain_list_needs_no_more_words() {
    let mut dispatcher = Dispatcher::new("app", Board::default());
    let reply = dispatcher
        .call("add_todo", json!({"title": "Buy milk"}))
        .unwrap();
    assert!(reply.meta.is_empty());
}

#[test]
fn a_refusal_shows_the_list_and_a_store_that_failed_shows_none() {
    let mut dispatcher = board();
    let shown = dispatcher.call("list_todos", json!({})).unwrap();
    let fault = dispatcher
        .call("complete_todo", json!({"id": "todo-ffffff"}))
        .unwrap_err();
    assert_eq!(
        fault.structured.unwrap()["tasks"],
        shown.structured["tasks"]
    );
    assert_eq!(*fault.meta, shown.meta);
    let fault = dispatcher.dialect.store_fault(&StoreError::NoBoard {
        reason: "nothing here".to_owned(),
        advice: "some advice".to_owned(),
    });
    assert_eq!(fault.structured, None, "an empty list would be drawn");
}
