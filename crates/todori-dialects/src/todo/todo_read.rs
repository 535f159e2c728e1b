//! `todo_read`: the whole list.

use todori_domain::{Request, Want};

use super::{DIALECT, views};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::Shape;
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "todo_read",
    title: "Read the todo list",
    description: "Read the project's todo list. Call it at the start, and before you change the list",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: || Shape::Object(Vec::new()),
    output: views::list_shape,
    transcript: Transcript::AllByStage,
    decode,
};

fn decode(_: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    Ok(Call::new(
        &DIALECT,
        Request::Read(Want::default()),
        |answer| Ok(views::list(answer, &[])),
    ))
}
