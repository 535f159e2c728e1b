//! `create_task`: adds a task at the end of the list.

use todori_domain::{Command, NewTask, Priority, Status, TaskRef};

use super::{MAX_TITLE, PRIORITIES, STATUSES, views, write_and_show};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "create_task",
    title: "Create a task",
    description: "Add a task to the project's list. Break work of three or more steps into tasks before you begin",
    effect: Effect::Adds,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: || {
        Shape::Object(vec![
            Field::required(
                "title",
                Shape::text(MAX_TITLE),
                "What to do, at most 200 characters",
            ),
            Field::optional("description", Shape::any_text(), ""),
            Field::optional("priority", Shape::Choice(PRIORITIES), "default medium"),
            Field::optional(
                "dependencies",
                Shape::list(Shape::Id),
                "Ids of tasks to be done first",
            ),
            Field::optional("status", Shape::Choice(STATUSES), "default pending"),
        ])
    },
    output: views::written_shape,
    transcript: Transcript::Task,
    decode,
};

fn decode(arguments: &Arguments, context: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let id = context.ids.next_id();
    let new = NewTask {
        description: arguments.description("description")?.flatten(),
        status: arguments.status("status").unwrap_or(Status::Pending),
        priority: arguments.priority("priority").unwrap_or(Priority::Medium),
        waits_for: arguments.tasks("dependencies").unwrap_or_default(),
        ..NewTask::titled(id, arguments.title("title")?)
    };
    Ok(write_and_show(Command::Add(new), TaskRef::from(id)))
}
