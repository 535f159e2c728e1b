//! `add_subtask`: adds a subtask to a task.

use todori_domain::Command;

use super::{MAX_TITLE, views, write_and_show};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "add_subtask",
    title: "Add a subtask",
    description: "Add a step to a task; its id is parentId.N",
    effect: Effect::Adds,
    audience: Audience::Everybody,
    always_load: false,
    meta: None,
    input: || {
        Shape::Object(vec![
            Field::required("parentId", Shape::Id, ""),
            Field::required("title", Shape::text(MAX_TITLE), ""),
            Field::optional("description", Shape::any_text(), ""),
        ])
    },
    output: views::written_shape,
    transcript: Transcript::Task,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let task = arguments.task("parentId");
    let title = arguments.title("title")?;
    let description = arguments.description("description")?.flatten();
    Ok(write_and_show(
        Command::AddSubtask {
            task: task.clone(),
            title,
            description,
        },
        task,
    ))
}
