//! `update_subtask`: changes the fields of a subtask that are given.

use todori_domain::{Command, SubtaskEdit, SubtaskRef};

use super::{MAX_TITLE, STATUSES, views, write_and_show};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "update_subtask",
    title: "Update a subtask",
    description: "Change the status or words of a subtask",
    effect: Effect::Changes,
    audience: Audience::Everybody,
    always_load: false,
    meta: None,
    input: || {
        Shape::Object(vec![
            Field::required("subtaskId", Shape::Id, "parentId.N"),
            Field::optional("status", Shape::Choice(STATUSES), ""),
            Field::optional("title", Shape::text(MAX_TITLE), ""),
            Field::optional("description", Shape::any_text(), ""),
        ])
    },
    output: views::written_shape,
    transcript: Transcript::Task,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let subtask = subtask(arguments)?;
    let edit = SubtaskEdit {
        title: arguments.optional_title("title")?,
        description: arguments.description("description")?,
        status: arguments.status("status"),
    };
    let task = subtask.task.clone();
    Ok(write_and_show(Command::EditSubtask { subtask, edit }, task))
}

/// The subtask that is meant.
pub(super) fn subtask(arguments: &Arguments) -> Result<SubtaskRef, Vec<Problem>> {
    SubtaskRef::parse(arguments.text("subtaskId").unwrap_or_default()).ok_or_else(|| {
        vec![Problem::new(
            "subtaskId",
            "expected parentId.N, such as 3f2b8c1e.2",
        )]
    })
}
