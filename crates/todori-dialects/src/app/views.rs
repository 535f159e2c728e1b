//! The list as the widget draws it.

use serde_json::{Map, Value, json};
use todori_domain::{Answer, Board, Priority, Stage, Status, Task, TaskId};

use super::ID_PREFIX;
use crate::call::{Block, Reply};
use crate::schema::{Field, Shape};

/// Ids are shortened to as many characters as tell them apart, but to no fewer than this.
const SHORTEST_ID: usize = 6;
/// The key of `_meta` with what the list does not contain.
const DETAILS: &str = "dev.todori/tasks";

pub(super) fn shape() -> Shape {
    let task = Shape::Object(vec![
        Field::required("id", Shape::Id, ""),
        Field::required("title", Shape::any_text(), ""),
        Field::required("completed", Shape::Boolean, ""),
    ]);
    Shape::Object(vec![Field::required("tasks", Shape::list(task), "")])
}

/// The id of a task as it is shown here.
pub(super) fn id(board: &Board, id: TaskId) -> String {
    format!("{ID_PREFIX}{}", board.short_id(id, SHORTEST_ID))
}

/// All tasks that this dialect shows.
pub(super) fn tasks(board: &Board) -> Value {
    seen(board)
        .map(|(task, stage)| {
            json!({
                "id": id(board, task.id),
                "title": task.title.as_str(),
                "completed": stage == Stage::Completed,
            })
        })
        .collect()
}

fn seen(board: &Board) -> impl Iterator<Item = (&Task, Stage)> {
    board
        .in_order()
        .filter_map(|task| Some((&**task, Stage::of(task.status)?)))
}

/// What the widget shows of tasks beyond the list, by id. Only what differs from the default, to keep it small; not in the
/// list itself, because models read that.
pub(super) fn meta(board: &Board) -> Map<String, Value> {
    let details: Map<String, Value> = seen(board)
        .map(|(task, _)| (task.id, details(board, task)))
        .filter(|(_, details)| !details.is_empty())
        .map(|(task, details)| (id(board, task), Value::Object(details)))
        .collect();
    let all = (!details.is_empty()).then(|| (DETAILS.to_owned(), Value::Object(details)));
    all.into_iter().collect()
}

fn details(board: &Board, task: &Task) -> Map<String, Value> {
    let mut details = Map::new();
    let mut say = |name: &str, value: Value| {
        details.insert(name.to_owned(), value);
    };
    match task.status {
        // The list says these two.
        Status::Pending | Status::Done => {}
        status @ (Status::InProgress | Status::Blocked | Status::Deferred | Status::Cancelled) => {
            say("status", json!(status.as_str()));
        }
    }
    if task.priority != Priority::Medium {
        say("priority", json!(task.priority.as_str()));
    }
    if let Some(words) = &task.active_form {
        say("activeForm", json!(words.as_str()));
    }
    if let Some(session) = &task.assignee {
        say("assignee", json!(session.as_str()));
    }
    // Tasks that are cancelled or deleted block nothing and are not in the list.
    let waits_for = task.waits_for.iter().copied().filter(|&other| {
        let other = board.get(other);
        other.is_some_and(|other| Stage::of(other.status).is_some())
    });
    let waits_for: Vec<String> = waits_for.map(|other| id(board, other)).collect();
    if !waits_for.is_empty() {
        say("waitsFor", json!(waits_for));
    }
    details
}

/// A sentence for people and models, and the list for the widget.
pub(super) fn reply(answer: &Answer, sentence: String) -> Reply {
    let data = json!({"tasks": tasks(&answer.board)});
    Reply {
        structured: data.clone(),
        blocks: vec![Block::Text(sentence)],
        bare: data,
        meta: meta(&answer.board),
    }
}
