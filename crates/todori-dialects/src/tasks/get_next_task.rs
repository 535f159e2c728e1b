//! `get_next_task`: what to do now, and why.

use serde_json::{Value, json};
use todori_domain::{NextFilter, Request, Want, recommend};

use super::{DIALECT, PRIORITIES, STATUSES, views};
use crate::MAX_REPLY_BYTES;
use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "get_next_task",
    title: "Next task",
    description: "Recommend the task to work on next, and say why. It skips tasks that wait for others or that \
        another agent has in progress",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: || {
        Shape::Object(vec![
            Field::optional(
                "status",
                Shape::Choices(STATUSES),
                "default pending, in-progress",
            ),
            Field::optional("priority", Shape::Choices(PRIORITIES), ""),
        ])
    },
    output: || {
        Shape::Object(vec![
            Field::required(
                "task",
                Shape::Nullable(Box::new(views::written_shape())),
                "",
            ),
            Field::required("rationale", Shape::any_text(), ""),
        ])
    },
    transcript: Transcript::OptionalTask,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let filter = NextFilter {
        statuses: arguments.statuses("status"),
        priorities: arguments.priorities("priority"),
    };
    let want = Want {
        presence: true,
        ..Want::default()
    };
    Ok(Call::new(&DIALECT, Request::Read(want), move |answer| {
        let asking = &answer.moment.actor.session;
        let next = recommend(&answer.board, &filter, asking, &answer.live);
        let frame = json!({"task": null, "rationale": next.rationale})
            .to_string()
            .len();
        let task = next.task.map_or(Value::Null, |task| {
            views::task(&task, MAX_REPLY_BYTES - frame)
        });
        Ok(Reply::data(
            json!({"task": task, "rationale": next.rationale}),
        ))
    }))
}
