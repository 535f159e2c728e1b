//! `todolist__get`: the session's list.

use serde_json::{Value, json};
use todori_domain::{Request, Want};

use super::{DIALECT, items};
use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "todolist__get",
    title: "Show this session's list",
    description: "Get the current state of this session's todo list",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: || Shape::Object(Vec::new()),
    output: || {
        Shape::Object(vec![
            Field::required("todos", Shape::list(items::item_shape()), ""),
            Field::required("summary", items::counts_shape(), ""),
        ])
    },
    transcript: Transcript::ListRead,
    decode,
};

fn decode(_: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    Ok(Call::new(
        &DIALECT,
        Request::Read(Want::default()),
        |answer| {
            let todos: Vec<Value> = answer
                .board
                .in_order()
                .filter_map(|task| items::show(task))
                .collect();
            let summary = items::counts_of(&answer.board);
            Ok(Reply::data(json!({"todos": todos, "summary": summary})))
        },
    ))
}
