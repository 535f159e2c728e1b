//! `delete_subtask`: deletes a subtask.

use todori_domain::Command;

use super::{update_subtask, views, write_and_show};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "delete_subtask",
    title: "Delete a subtask",
    description: "Delete a subtask; its number is not used again",
    effect: Effect::Destroys,
    audience: Audience::Everybody,
    always_load: false,
    meta: None,
    input: || Shape::Object(vec![Field::required("subtaskId", Shape::Id, "parentId.N")]),
    output: views::written_shape,
    transcript: Transcript::Task,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let subtask = update_subtask::subtask(arguments)?;
    let task = subtask.task.clone();
    Ok(write_and_show(Command::DeleteSubtask { subtask }, task))
}
