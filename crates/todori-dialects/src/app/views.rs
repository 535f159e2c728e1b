//! The list as a widget draws it.

use serde_json::{Value, json};
use todori_domain::{Answer, Board, Stage, TaskId};

use crate::call::{Block, Reply};
use crate::schema::{Field, Shape};

/// Ids are shortened to as many characters as tell them apart, but not to fewer.
const SHORTEST_ID: usize = 6;
/// What ids begin with here.
const ID_PREFIX: &str = "todo-";

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

/// All tasks that can be seen.
pub(super) fn tasks(board: &Board) -> Value {
    let seen = board
        .in_order()
        .filter_map(|task| Some((task, Stage::of(task.status)?)));
    seen.map(|(task, stage)| {
        json!({
            "id": id(board, task.id),
            "title": task.title.as_str(),
            "completed": stage == Stage::Completed,
        })
    })
    .collect()
}

/// A sentence for people and models, and the list for the widget.
pub(super) fn reply(answer: &Answer, sentence: String) -> Reply {
    let data = json!({"tasks": tasks(&answer.board)});
    Reply {
        structured: data.clone(),
        blocks: vec![Block::Text(sentence)],
        bare: data,
    }
}
