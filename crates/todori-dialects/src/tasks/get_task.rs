//! `get_task`: one task, or one of its subtasks, in full; long ones piece by piece.

use todori_domain::{Refusal, Request, SubtaskRef, TaskRef, Want};

use super::DIALECT;
use super::views::{self, ReadFrom};
use crate::MAX_REPLY_BYTES;
use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "get_task",
    title: "Show a task",
    description: "Show one task with its description, subtasks and dependencies",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: false,
    meta: None,
    input: || {
        Shape::Object(vec![
            Field::required("id", Shape::Id, "Task id, or id.N of a subtask"),
            Field::optional(
                "from",
                Shape::Integer(0),
                "Description from this character on",
            ),
            Field::optional(
                "subtasksFrom",
                Shape::Integer(1),
                "Subtasks from this number on",
            ),
        ])
    },
    output: views::task_shape,
    transcript: Transcript::Task,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let given = arguments.text("id").unwrap_or_default().to_owned();
    let from = ReadFrom {
        character: arguments.number("from").unwrap_or(0),
        subtask: arguments.number("subtasksFrom").unwrap_or(0),
    };
    Ok(Call::new(
        &DIALECT,
        Request::Read(Want::default()),
        move |answer| {
            if let Some(wanted) = SubtaskRef::parse(&given) {
                let task = answer.board.resolve(&wanted.task)?;
                let id = task.subtask_id(wanted.number);
                let subtask = task
                    .subtasks
                    .iter()
                    .find(|subtask| subtask.number == wanted.number);
                let known = || task.subtasks.iter().map(|subtask| subtask.number).collect();
                let subtask = subtask.ok_or_else(|| Refusal::SubtaskNotFound {
                    subtask: id,
                    known: known(),
                })?;
                return Ok(Reply::data(views::subtask_from(
                    id,
                    subtask,
                    MAX_REPLY_BYTES,
                    from.character,
                )));
            }
            let task = answer.board.resolve(&TaskRef::new(given))?;
            Ok(Reply::data(views::task_from(task, MAX_REPLY_BYTES, from)))
        },
    ))
}
