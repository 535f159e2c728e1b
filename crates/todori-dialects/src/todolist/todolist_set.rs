//! `todolist__set`: replaces the session's list.

use serde_json::json;
use todori_domain::{Command, Request};

use super::{DIALECT, items};
use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "todolist__set",
    title: "Replace this session's list",
    description: "Replace this session's whole todo list. At most one item may be in_progress",
    effect: Effect::Changes,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: items::input,
    output: || Shape::Object(vec![Field::required("summary", items::counts_shape(), "")]),
    transcript: Transcript::ListWritten,
    decode,
};

fn decode(arguments: &Arguments, context: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let items = items::read(arguments, context)?;
    let request = Request::Write(vec![Command::Replace { items }]);
    Ok(Call::new(&DIALECT, request, |answer| {
        Ok(Reply::data(
            json!({"summary": items::counts_of(&answer.board)}),
        ))
    }))
}
