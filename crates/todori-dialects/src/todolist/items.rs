//! The items of a session list: their shape, how they are read and counted, and what can be wrong with them. Shared by the
//! two dialects that write such a list.

use serde_json::{Value, json};
use todori_domain::{Board, Item, Stage, Task};

use crate::arguments::{Arguments, Problem, ProblemKind};
use crate::schema::{Field, Shape};
use crate::tool::Context;
use crate::wording::{self, Wording};

const STATUSES: &[&str] = &["pending", "in_progress", "completed"];

/// The shape of the arguments: a whole list.
pub(crate) fn input() -> Shape {
    let text = || Shape::Text {
        least: 1,
        most: None,
    };
    let item = Shape::Object(vec![
        Field::required("content", text(), "Imperative: Run tests"),
        Field::required("status", Shape::Choice(STATUSES), ""),
        Field::required("activeForm", text(), "Continuous: Running tests"),
    ]);
    Shape::Object(vec![Field::required(
        "todos",
        Shape::list(item),
        "The whole list",
    )])
}

/// The shape of an item in a reply.
pub(crate) fn item_shape() -> Shape {
    Shape::Object(vec![
        Field::required("content", Shape::any_text(), ""),
        Field::required("status", Shape::Choice(STATUSES), ""),
        Field::required("activeForm", Shape::any_text(), ""),
    ])
}

/// The shape of the counts in a reply.
pub(crate) fn counts_shape() -> Shape {
    let names = ["total", "pending", "in_progress", "completed"];
    Shape::Object(
        names
            .map(|name| Field::required(name, Shape::Integer(0), ""))
            .to_vec(),
    )
}

/// Reads the items.
pub(crate) fn read(
    arguments: &Arguments,
    context: &Context<'_>,
) -> Result<Vec<Item>, Vec<Problem>> {
    let mut items = Vec::new();
    for (place, item) in arguments.objects("todos").iter().enumerate() {
        let within = |problems: Vec<Problem>| {
            let name = |problem: Problem| Problem {
                path: format!("todos[{place}].{}", problem.path),
                ..problem
            };
            problems.into_iter().map(name).collect::<Vec<_>>()
        };
        let stage = match item.text("status") {
            Some("in_progress") => Stage::InProgress,
            Some("completed") => Stage::Completed,
            _ => Stage::Pending,
        };
        items.push(Item {
            id: context.ids.next_id(),
            title: item.title("content").map_err(within)?,
            active_form: Some(item.title("activeForm").map_err(within)?),
            stage,
        });
    }
    Ok(items)
}

/// An item of the board as it was written.
pub(crate) fn show(task: &Task) -> Option<Value> {
    let status = match Stage::of(task.status)? {
        Stage::Pending => "pending",
        Stage::InProgress => "in_progress",
        Stage::Completed => "completed",
    };
    let active_form = task.active_form.as_ref().unwrap_or(&task.title);
    Some(
        json!({"content": task.title.as_str(), "status": status, "activeForm": active_form.as_str()}),
    )
}

/// How many items there are of each kind.
pub(crate) fn counts(stages: impl Iterator<Item = Stage>) -> Value {
    let stages: Vec<Stage> = stages.collect();
    let count = |wanted| stages.iter().filter(|stage| **stage == wanted).count();
    json!({
        "total": stages.len(),
        "pending": count(Stage::Pending),
        "in_progress": count(Stage::InProgress),
        "completed": count(Stage::Completed),
    })
}

/// How many items there are of each kind on a board.
pub(crate) fn counts_of(board: &Board) -> Value {
    counts(board.in_order().filter_map(|task| Stage::of(task.status)))
}

/// What is wrong with a list, with the error codes of the specification.
pub(crate) fn invalid(problems: &[Problem]) -> Wording {
    let wording = wording::invalid(problems);
    let named = problems.first().and_then(|problem| match problem.kind {
        ProblemKind::Blank if problem.path.ends_with(".content") => Some("empty_content"),
        ProblemKind::Blank if problem.path.ends_with(".activeForm") => Some("empty_active_form"),
        ProblemKind::NotAChoice if problem.path.ends_with(".status") => Some("invalid_status"),
        ProblemKind::Blank | ProblemKind::NotAChoice | ProblemKind::Other => None,
    });
    Wording {
        code: named.unwrap_or(wording.code),
        ..wording
    }
}
