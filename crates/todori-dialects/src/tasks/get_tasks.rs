//! `get_tasks`: a page of the list.

use todori_domain::{Request, Want, query};

use super::{DIALECT, filters, views};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::Shape;
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "get_tasks",
    title: "List tasks",
    description: "List the project's tasks, optionally filtered by status, priority or date; paged",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: || Shape::Object(filters::fields()),
    output: || filters::page_shape(views::row_shape()),
    transcript: Transcript::SomeTasks,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let filter = filters::filter(arguments);
    let (offset, limit) = filters::window(arguments);
    Ok(Call::new(
        &DIALECT,
        Request::Read(Want::default()),
        move |answer| {
            let page = query(&answer.board, &filter, None, offset, limit);
            Ok(filters::reply(
                &page,
                offset,
                "repeat with offset",
                views::row,
            ))
        },
    ))
}
