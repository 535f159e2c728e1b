//! The list as this dialect shows it, and reminders for the model.

use serde_json::{Value, json};
use todori_domain::{Answer, Board, Stage, Task};

use super::{PRIORITIES, STATUSES};
use crate::call::Reply;
use crate::schema::{Field, Shape};

/// Ids are shortened to as many characters as tell them apart, but to no fewer than this.
const SHORTEST_ID: usize = 6;
/// After this many hours without a change a list may be out of date.
const STALE_HOURS: i64 = 2;

/// The shape of a reply.
pub(super) fn list_shape() -> Shape {
    use Field as F;
    let item = Shape::Object(vec![
        F::required("id", Shape::Id, ""),
        F::required("content", Shape::any_text(), ""),
        F::required("status", Shape::Choice(STATUSES), ""),
        F::required("priority", Shape::Choice(PRIORITIES), ""),
        F::required("createdAt", Shape::Time, ""),
        F::required("updatedAt", Shape::Time, ""),
    ]);
    let counts = ["total", "pending", "in_progress", "done"];
    let counts = counts.map(|name| F::required(name, Shape::Integer(0), ""));
    Shape::Object(vec![
        F::required("todos", Shape::list(item), ""),
        F::required("summary", Shape::Object(counts.to_vec()), ""),
        F::optional("notes", Shape::list(Shape::any_text()), ""),
    ])
}

/// The whole list, with notes about the call.
pub(super) fn list(answer: &Answer, notes: &[String]) -> Reply {
    let board = &answer.board;
    let todos: Vec<Value> = board
        .in_order()
        .filter_map(|task| item(task, board))
        .collect();
    let count = |stage| seen(board).filter(|(_, seen)| *seen == stage).count();
    let (pending, busy) = (count(Stage::Pending), count(Stage::InProgress));
    let summary = json!({
        "total": todos.len(), "pending": pending, "in_progress": busy, "done": count(Stage::Completed),
    });
    let mut data = json!({"todos": todos, "summary": summary});
    if let (Some(map), false) = (data.as_object_mut(), notes.is_empty()) {
        map.insert("notes".to_owned(), json!(notes));
    }
    Reply::data(data).remind(reminder(answer, pending, busy))
}

fn seen(board: &Board) -> impl Iterator<Item = (&Task, Stage)> {
    board
        .in_order()
        .filter_map(|task| Some((&**task, Stage::of(task.status)?)))
}

fn item(task: &Task, board: &Board) -> Option<Value> {
    let status = match Stage::of(task.status)? {
        Stage::Pending => "pending",
        Stage::InProgress => "in_progress",
        Stage::Completed => "done",
    };
    Some(json!({
        "id": board.short_id(task.id, SHORTEST_ID),
        "content": task.title.as_str(),
        "status": status,
        "priority": task.priority.as_str(),
        "createdAt": task.created.to_string(),
        "updatedAt": task.updated.to_string(),
    }))
}

/// What a model should be reminded of, if anything.
fn reminder(answer: &Answer, pending: usize, busy: usize) -> Option<String> {
    let last = answer.board.by_id().map(|task| task.updated).max()?;
    let hours = (answer.moment.at.as_millis() - last.as_millis()) / 3_600_000;
    if pending + busy > 0 && hours >= STALE_HOURS {
        return Some(format!(
            "This list has not changed for {hours} hours. Bring it up to date before you rely on it."
        ));
    }
    (pending > 0 && busy == 0).then(|| {
        format!("{pending} pending, none in_progress. Mark the one you work on as in_progress.")
    })
}
