//! What holds whatever is in the tasks: replies fit the budget and their schemas; writing back what was read changes
//! nothing, or is refused.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use todori_dialects::{CUT_MARK, MAX_LIST_BYTES, MAX_REPLY_BYTES, Reply};
use todori_domain::testing::generate;
use todori_domain::{Board, Status, Task};

use crate::dispatcher::{Dispatcher, bytes, text};
use crate::json_schema;

/// Boards with tasks that are far too large for a reply.
fn heavy_board() -> impl Strategy<Value = Board> {
    let heavy = (
        generate::id().prop_flat_map(generate::task),
        0usize..90,
        0usize..60,
    );
    let heavy = heavy.prop_map(|(mut task, dependencies, subtasks)| {
        // Now and then words that take as much room in JSON as words can.
        if subtasks % 7 == 3 {
            let dense =
                todori_domain::Title::parse(&format!("x{}", "\u{1}".repeat(1_999))).unwrap();
            task.title = dense.clone();
            task.active_form = Some(dense.clone());
            task.subtasks
                .iter_mut()
                .for_each(|subtask| subtask.title = dense.clone());
            task.assignee = Some(todori_domain::SessionName::new(&"\u{1F527}".repeat(128)));
        }
        for number in 0..dependencies {
            let mut bytes = [7; 16];
            bytes[0] = u8::try_from(number).unwrap();
            task.waits_for
                .push(todori_domain::TaskId::from_bytes(bytes));
        }
        task.waits_for.dedup();
        if let Some(subtask) = task.subtasks.first().cloned() {
            for number in 0..u32::try_from(subtasks).unwrap() {
                let number = task.next_subtask + number;
                task.subtasks.push(todori_domain::Subtask {
                    number,
                    ..subtask.clone()
                });
            }
            task.next_subtask += 100;
        }
        task
    });
    prop::collection::vec(heavy, 1..24)
        .prop_map(|tasks| Board::from_tasks(tasks.into_iter().map(Arc::new)))
}

fn check(
    dispatcher: &Dispatcher,
    tool: &str,
    reply: &Reply,
    most: usize,
) -> Result<(), TestCaseError> {
    prop_assert!(
        bytes(reply) <= most,
        "{tool}: {} bytes in {:?}",
        bytes(reply),
        reply.blocks
    );
    let schema = (dispatcher.dialect.tool(tool).unwrap().output)().schema();
    prop_assert_eq!(
        json_schema::fault(&schema, &reply.structured),
        None,
        "{}",
        tool
    );
    let first: Value = serde_json::from_str(text(&reply.blocks[0])).unwrap();
    prop_assert_eq!(&first, &reply.bare);
    Ok(())
}

fn all_statuses() -> Value {
    json!(Status::ALL.map(Status::as_str))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn every_reply_fits_the_budget_and_its_schema(
        board in prop_oneof![generate::board(0..12).boxed(), heavy_board().boxed()],
        fields in prop::collection::vec(prop::sample::select(vec!["id", "title", "description", "subtasks",
            "dependencies", "metadata", "assignee", "activeForm", "created", "completed", "priority", "status", "updated",
            "openSubtasks"]), 0..30),
    ) {
        let tasks: Vec<Arc<Task>> = board.in_order().cloned().collect();
        let mut dispatcher = Dispatcher::new("tasks", board);
        for (tool, arguments) in [
            ("get_tasks", json!({})),
            ("get_tasks", json!({"status": all_statuses(), "offset": 1, "limit": 50})),
            ("query_tasks", json!({"fields": fields, "sort": {"field": "updated", "order": "desc"}})),
        ] {
            let reply = dispatcher.call(tool, arguments).unwrap();
            check(&dispatcher, tool, &reply, MAX_LIST_BYTES)?;
            let shown = reply.structured["tasks"].as_array().unwrap().len();
            prop_assert!(shown <= 20);
            prop_assert!(shown > 0 || reply.structured.get("nextOffset").is_none(), "a page is never empty while there is more");
        }
        for tool in ["get_task_stats", "get_next_task"] {
            let reply = dispatcher.call(tool, json!({})).unwrap();
            check(&dispatcher, tool, &reply, MAX_REPLY_BYTES)?;
        }
        let restored = dispatcher.prompt("session_restore", json!({}));
        prop_assert!(restored.len() <= MAX_LIST_BYTES, "{} bytes:\n{restored}", restored.len());
        for task in tasks.iter().take(4) {
            let id = task.id.to_string();
            let reply = dispatcher.call("get_task", json!({"id": id})).unwrap();
            check(&dispatcher, "get_task", &reply, MAX_REPLY_BYTES)?;
            let context = dispatcher.prompt("task_context", json!({"taskId": id}));
            prop_assert!(context.len() <= MAX_LIST_BYTES, "{} bytes:\n{context}", context.len());
            for (tool, arguments) in [
                ("add_subtask", json!({"parentId": id, "title": "one more"})),
                ("update_task", json!({"id": id, "status": "in-progress"})),
                ("update_task", json!({"id": id, "priority": "low"})),
            ] {
                let reply = dispatcher.call(tool, arguments).unwrap();
                check(&dispatcher, tool, &reply, MAX_REPLY_BYTES)?;
            }
            let number = dispatcher.board.get(task.id).unwrap().subtasks[0].number;
            let subtask = format!("{id}.{number}");
            for (tool, arguments) in [
                ("get_task", json!({"id": subtask})),
                ("update_subtask", json!({"subtaskId": subtask, "status": "done"})),
                ("delete_subtask", json!({"subtaskId": subtask})),
            ] {
                let reply = dispatcher.call(tool, arguments).unwrap();
                check(&dispatcher, tool, &reply, MAX_REPLY_BYTES)?;
            }
            let reply = dispatcher.call("delete_task", json!({"id": id})).unwrap();
            check(&dispatcher, "delete_task", &reply, MAX_REPLY_BYTES)?;
        }
        let nonsense = "x".repeat(5000);
        for (tool, arguments) in [
            ("get_task", json!({"id": nonsense})),
            ("create_task", json!({"title": nonsense, "description": nonsense.repeat(20), nonsense.clone(): 1})),
            ("create_task", json!({"title": "x", "dependencies": [nonsense]})),
            ("update_subtask", json!({"subtaskId": nonsense})),
        ] {
            let fault = dispatcher.call(tool, arguments).unwrap_err();
            prop_assert!(fault.to_json().to_string().len() <= MAX_REPLY_BYTES);
        }
    }

    #[test]
    fn writing_back_what_was_read_changes_nothing(board in prop_oneof![generate::board(0..8).boxed(), heavy_board().boxed()]) {
        let before = Arc::new(board.clone());
        let mut dispatcher = Dispatcher::new("tasks", board);
        for task in before.in_order() {
            let shown = dispatcher.call("get_task", json!({"id": task.id.to_string()})).unwrap().structured;
            let mut back = json!({});
            for field in ["id", "title", "description", "priority", "dependencies"] {
                if let Some(value) = shown.get(field) {
                    back[field] = value.clone();
                }
            }
            // Setting a status again is no change either, unless the file says something that no tool would.
            let usual = task.completed.is_some() == (task.status == Status::Done)
                && task.assignee.is_some() == (task.status == Status::InProgress);
            if usual && task.status != Status::InProgress {
                back["status"] = shown["status"].clone();
            }
            let cut = back.to_string().contains(CUT_MARK);
            match dispatcher.call("update_task", back) {
                Ok(_) => prop_assert!(!cut, "what was cut is refused"),
                Err(fault) => prop_assert!(cut || task.title.as_str().chars().count() > 200, "{fault:?}"),
            }
            prop_assert_eq!(&dispatcher.board, &before);
        }
    }

    #[test]
    fn a_long_description_can_be_read_in_pieces(text in generate::description(), task in generate::id().prop_flat_map(generate::task)) {
        let whole = text.as_ref().map_or("", |text| text.as_str()).to_owned();
        prop_assume!(!whole.contains(CUT_MARK));
        let id = task.id.to_string();
        let task = Task { description: text, ..task };
        let mut dispatcher = Dispatcher::new("tasks", Board::from_tasks([Arc::new(task)]));
        let (mut read, mut from) = (String::new(), 0);
        loop {
            let shown = dispatcher.call("get_task", json!({"id": id, "from": from})).unwrap().structured;
            let piece = shown.get("description").and_then(Value::as_str).unwrap_or("").to_owned();
            let Some((kept, mark)) = piece.split_once(CUT_MARK) else {
                read.push_str(&piece);
                break;
            };
            read.push_str(kept);
            let next: usize = mark.rsplit("from: ").next().unwrap().trim_end_matches(['}', '⟧']).parse().unwrap();
            prop_assert!(next > from, "reading on gets somewhere");
            from = next;
        }
        prop_assert_eq!(read, whole);
    }

    #[test]
    fn subtasks_can_be_read_in_pieces(board in heavy_board()) {
        let tasks: Vec<Arc<Task>> = board.in_order().cloned().collect();
        let mut dispatcher = Dispatcher::new("tasks", board);
        for task in tasks.iter().take(3) {
            let (mut seen, mut from) = (Vec::new(), Some(1));
            while let Some(number) = from {
                let shown = dispatcher.call("get_task", json!({"id": task.id.to_string(), "subtasksFrom": number})).unwrap();
                check(&dispatcher, "get_task", &shown, MAX_REPLY_BYTES)?;
                let subtasks = shown.structured["subtasks"].as_array().unwrap();
                seen.extend(subtasks.iter().map(|subtask| subtask["id"].as_str().unwrap().rsplit('.').next().unwrap().to_owned()));
                let next = shown.structured.get("nextSubtask").and_then(Value::as_u64);
                prop_assert!(next.is_none_or(|next| next > number), "reading on gets somewhere");
                from = next;
            }
            let all: Vec<String> = task.subtasks.iter().map(|subtask| subtask.number.to_string()).collect();
            prop_assert_eq!(seen, all);
        }
    }

    #[test]
    fn pages_show_every_task_once(board in generate::board(0..40)) {
        let all: Vec<String> = board.in_order().map(|task| task.id.to_string()).collect();
        let mut dispatcher = Dispatcher::new("tasks", board);
        let (mut seen, mut offset) = (Vec::new(), Some(0));
        while let Some(from) = offset {
            let page = dispatcher.call("get_tasks", json!({"offset": from})).unwrap().structured;
            seen.extend(page["tasks"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()));
            offset = page.get("nextOffset").and_then(Value::as_u64);
        }
        prop_assert_eq!(seen, all);
    }

    #[test]
    fn todo_writes_back_what_it_reads_and_nothing_changes(board in generate::board(0..10)) {
        let before = Arc::new(board.clone());
        let mut dispatcher = Dispatcher::new("todo", board);
        let shown = dispatcher.call("todo_read", json!({})).unwrap();
        let schema = (dispatcher.dialect.tool("todo_read").unwrap().output)().schema();
        prop_assert_eq!(json_schema::fault(&schema, &shown.structured), None);
        let todos = shown.structured["todos"].as_array().unwrap();
        // A task that a dead session has in progress is taken over by whoever says that it is in progress.
        let same = |todo: &&Value| todo["status"] != "in_progress";
        let updates: Vec<Value> = todos.iter().filter(same).map(|todo| json!({
            "id": todo["id"], "content": todo["content"], "status": todo["status"], "priority": todo["priority"],
        })).collect();
        let order: Vec<Value> = todos.iter().map(|todo| todo["id"].clone()).collect();
        let usual = before.by_id().all(|task| task.status != Status::Done || task.completed.is_some());
        prop_assume!(usual);
        let reply = dispatcher.call("todo_update", json!({"update": updates, "reorder": order})).unwrap();
        prop_assert_eq!(&dispatcher.board, &before);
        prop_assert_eq!(json_schema::fault(&schema, &reply.structured), None);
    }

    #[test]
    fn todolist_writes_back_what_it_reads_and_nothing_changes(board in generate::board(0..8)) {
        let one = board.by_id().filter(|task| task.status == Status::InProgress).count() <= 1;
        let forms = board.by_id().all(|task| task.active_form.is_some());
        prop_assume!(one);
        let before = Arc::new(board.clone());
        let mut dispatcher = Dispatcher::new("todolist", board);
        let shown = dispatcher.call("todolist__get", json!({})).unwrap().structured;
        let set = dispatcher.call("todolist__set", json!({"todos": shown["todos"]})).unwrap().structured;
        prop_assert_eq!(&set["summary"], &shown["summary"]);
        prop_assert_eq!(dispatcher.call("todolist__get", json!({})).unwrap().structured, shown);
        let distinct: std::collections::HashSet<&str> = before.by_id().map(|task| task.title.as_str()).collect();
        if forms && distinct.len() == before.len() {
            prop_assert_eq!(&dispatcher.board, &before);
        }
    }

    #[test]
    fn app_writes_back_what_it_reads_and_nothing_changes(board in generate::board(0..10)) {
        let before = Arc::new(board.clone());
        let mut dispatcher = Dispatcher::new("app", board);
        let shown = dispatcher.call("list_todos", json!({})).unwrap().structured;
        for task in shown["tasks"].as_array().unwrap() {
            let reply = dispatcher.call("complete_todo", json!({"id": task["id"], "completed": task["completed"]})).unwrap();
            prop_assert_eq!(&reply.structured, &shown);
        }
        prop_assert_eq!(&dispatcher.board, &before);
    }
}
