//! `update_task`: changes the fields of a task that are given.

use todori_domain::{Command, TaskEdit};

use super::{MAX_TITLE, PRIORITIES, STATUSES, views, write_and_show};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "update_task",
    title: "Update a task",
    description: "Change a task: set status in-progress when you start it (it is then yours) and done as soon as it \
        is finished",
    effect: Effect::Changes,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: || {
        Shape::Object(vec![
            Field::required("id", Shape::Id, ""),
            Field::optional("title", Shape::text(MAX_TITLE), ""),
            Field::optional("description", Shape::any_text(), ""),
            Field::optional("status", Shape::Choice(STATUSES), ""),
            Field::optional("priority", Shape::Choice(PRIORITIES), ""),
            Field::optional(
                "dependencies",
                Shape::list(Shape::Id),
                "Replaces the whole list",
            ),
        ])
    },
    output: views::written_shape,
    transcript: Transcript::Task,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let edit = TaskEdit {
        title: arguments.optional_title("title")?,
        description: arguments.description("description")?,
        status: arguments.status("status"),
        priority: arguments.priority("priority"),
        waits_for: arguments.tasks("dependencies"),
        ..TaskEdit::default()
    };
    let task = arguments.task("id");
    Ok(write_and_show(
        Command::Edit {
            task: task.clone(),
            edit,
        },
        task,
    ))
}
