//! Arguments as real clients send them.

use serde_json::{Value, json};
use todori_domain::testing::{letter, task};
use todori_domain::{Board, Description};

use crate::dispatcher::Dispatcher;

fn dispatcher() -> Dispatcher {
    let mut first = task("a");
    first.description = Description::parse("some text").unwrap();
    first.waits_for = vec![letter("b")];
    Dispatcher::new(
        "tasks",
        Board::from_tasks([first, task("b")].map(std::sync::Arc::new)),
    )
}

fn id() -> String {
    letter("a").to_string()
}

/// The message of the fault, which must be about invalid arguments.
fn check(tool: &str, arguments: Value, expected: &str) {
    let mut dispatcher = dispatcher();
    let before = dispatcher.board.clone();
    let fault = dispatcher.call(tool, arguments).unwrap_err();
    assert_eq!(fault.code(), json!(-32602));
    assert_eq!(fault.message, format!("Invalid params: {expected}"));
    assert_eq!(dispatcher.board, before, "nothing is changed");
}

#[test]
fn what_breaks_the_schema_is_named_with_what_was_expected() {
    check(
        "create_task",
        json!({}),
        "title: required, a string that is not blank",
    );
    check(
        "create_task",
        json!({"title": null}),
        "title: required, a string that is not blank",
    );
    check(
        "create_task",
        json!({"title": " \n"}),
        "title: must not be blank",
    );
    check(
        "create_task",
        json!({"title": "x".repeat(201)}),
        "title: must be at most 200 characters, got 201",
    );
    check(
        "create_task",
        json!({"title": 7}),
        "title: expected a string that is not blank, got 7",
    );
    check(
        "create_task",
        json!({"title": "x", "status": "started"}),
        "status: expected one of pending, in-progress, blocked, done, deferred, cancelled, got \"started\"",
    );
    check(
        "create_task",
        json!({"title": "x", "desc": "lost?"}),
        "desc: unknown argument; known: title, description, priority, dependencies, status",
    );
    check(
        "create_task",
        json!({"title": "x", "dependencies": "abcd"}),
        "dependencies: expected a list, each item a task id, or the first characters of one, got \"abcd\"",
    );
    check(
        "get_tasks",
        json!({"status": ["done", "nope"], "limit": 0}),
        "status[1]: expected one of pending, in-progress, blocked, done, deferred, cancelled, got \"nope\"; \
         limit: expected an integer, at least 1, got 0",
    );
    check(
        "get_tasks",
        json!({"createdAfter": "yesterday"}),
        "createdAfter: expected an ISO 8601 time such as 2026-11-15T07:00:00Z, got \"yesterday\"",
    );
    check(
        "query_tasks",
        json!({"fields": ["id", "colour"]}),
        "fields[1]: expected one of id, title, status, priority, description, dependencies, subtasks, openSubtasks, \
         activeForm, assignee, created, updated, completed, metadata, got \"colour\"",
    );
    check(
        "query_tasks",
        json!({"filters": {"statos": "done"}}),
        "filters.statos: unknown argument; known: status, priority, createdAfter, createdBefore, updatedAfter, \
         updatedBefore, offset, limit",
    );
    check(
        "update_subtask",
        json!({"subtaskId": id()}),
        "subtaskId: expected parentId.N, such as 3f2b8c1e.2",
    );
    check(
        "get_task",
        json!({"id": ""}),
        "id: expected a task id, or the first characters of one, got \"\"",
    );
    check(
        "get_task_stats",
        json!({"x": 1}),
        "x: unknown argument; known: none",
    );
    check(
        "create_task",
        json!({"title": "x", "description": "y".repeat(65_537)}),
        "description: must be at most 65536 bytes, got 65537",
    );
    check(
        "update_task",
        json!({"id": id(), "description": "abc⟦todori: 5 more characters⟧"}),
        "description: contains text that was cut when it was read; read all of it first",
    );
}

fn update(arguments: Value) -> Dispatcher {
    let mut dispatcher = dispatcher();
    dispatcher.call("update_task", arguments).unwrap();
    dispatcher
}

#[test]
fn null_and_nothing_mean_absent() {
    let mut dispatcher = dispatcher();
    let before = dispatcher.board.clone();
    let absent = json!({"id": id(), "title": null, "description": null, "status": "", "priority": "", "dependencies": null});
    dispatcher.call("update_task", absent).unwrap();
    assert_eq!(dispatcher.board, before);
    let page = dispatcher
        .call(
            "get_tasks",
            json!({"status": "", "createdAfter": "", "offset": null}),
        )
        .unwrap();
    assert_eq!(page.structured["total"], 2);
}

#[test]
fn an_empty_value_clears_unless_every_property_is_filled_in() {
    let cleared = update(json!({"id": id(), "description": "", "dependencies": []}));
    let task = cleared.board.get(letter("a")).unwrap();
    assert_eq!((task.description.clone(), task.waits_for.len()), (None, 0));
    let strict = update(
        json!({"id": id(), "title": "", "description": "", "status": "done", "priority": "", "dependencies": []}),
    );
    let task = strict.board.get(letter("a")).unwrap();
    assert_eq!(task.title.as_str(), "a");
    assert!(task.description.is_some() && task.waits_for.len() == 1);
    assert_eq!(task.status, todori_domain::Status::Done);
}

#[test]
fn numbers_come_as_texts_and_fractions_too() {
    let mut dispatcher = dispatcher();
    for one in [json!(1), json!("1"), json!(1.0), json!(" 1 ")] {
        let page = dispatcher
            .call("get_tasks", json!({"limit": one, "offset": "1"}))
            .unwrap();
        assert_eq!(page.structured["tasks"].as_array().unwrap().len(), 1);
    }
    assert!(dispatcher.call("get_tasks", json!({"limit": 1.5})).is_err());
}

#[test]
fn what_a_client_adds_to_every_call_is_dropped() {
    let mut dispatcher = dispatcher();
    assert!(
        dispatcher
            .call("get_task_stats", json!({"wait_for_previous": true}))
            .is_ok()
    );
}

#[test]
fn a_sort_by_nothing_is_the_order_of_the_list() {
    let mut dispatcher = dispatcher();
    let usual = dispatcher
        .call("query_tasks", json!({}))
        .unwrap()
        .structured;
    for sort in [
        json!({}),
        json!(null),
        json!({"field": null, "order": null}),
        json!({"order": "asc"}),
    ] {
        assert_eq!(
            dispatcher
                .call("query_tasks", json!({"sort": sort}))
                .unwrap()
                .structured,
            usual
        );
    }
}

#[test]
fn one_word_or_a_list_of_words() {
    let mut dispatcher = dispatcher();
    for status in [
        json!("pending"),
        json!(["pending"]),
        json!(["pending", "done"]),
    ] {
        assert_eq!(
            dispatcher
                .call("get_tasks", json!({"status": status}))
                .unwrap()
                .structured["total"],
            2
        );
    }
    assert_eq!(
        dispatcher
            .call("get_tasks", json!({"status": "done"}))
            .unwrap()
            .structured["total"],
        0
    );
}
