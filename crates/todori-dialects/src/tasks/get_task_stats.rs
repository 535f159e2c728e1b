//! `get_task_stats`: counts and figures of the board.

use serde_json::{Map, Value, json};
use todori_domain::{Priority, Request, Stats, Status, Want};

use super::{DIALECT, PRIORITIES, STATUSES};
use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "get_task_stats",
    title: "Task statistics",
    description: "Count tasks by status and priority, with completion time and dependency depth",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: false,
    meta: None,
    input: || Shape::Object(Vec::new()),
    output,
    transcript: Transcript::Nothing,
    decode,
};

fn output() -> Shape {
    let counts = |names: &'static [&'static str]| {
        let fields = names
            .iter()
            .map(|name| Field::required(name, Shape::Integer(0), ""));
        Shape::Object(fields.collect())
    };
    Shape::Object(vec![
        Field::required("total", Shape::Integer(0), ""),
        Field::required("byStatus", counts(STATUSES), ""),
        Field::required("byPriority", counts(PRIORITIES), ""),
        Field::required("blockedCount", Shape::Integer(0), ""),
        Field::required("avgCompletionDays", Shape::Number, ""),
        Field::required(
            "dependencyStats",
            Shape::Object(vec![
                Field::required("maxDepth", Shape::Integer(0), ""),
                Field::required("averageDepsPerTask", Shape::Number, ""),
            ]),
            "",
        ),
    ])
}

fn decode(_: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    Ok(Call::new(
        &DIALECT,
        Request::Read(Want::default()),
        |answer| {
            let Stats {
                progress,
                average_completion_days,
                max_depth,
                average_dependencies,
            } = Stats::of(&answer.board);
            let by_status: Map<String, Value> = Status::ALL
                .iter()
                .map(|&status| {
                    (
                        status.as_str().to_owned(),
                        json!(progress.with_status(status)),
                    )
                })
                .collect();
            let by_priority: Map<String, Value> = Priority::ALL
                .iter()
                .map(|&priority| {
                    (
                        priority.as_str().to_owned(),
                        json!(progress.with_priority(priority)),
                    )
                })
                .collect();
            Ok(Reply::data(json!({
                "total": progress.total(),
                "byStatus": by_status,
                "byPriority": by_priority,
                "blockedCount": progress.held_up,
                "avgCompletionDays": average_completion_days,
                "dependencyStats": {"maxDepth": max_depth, "averageDepsPerTask": average_dependencies},
            })))
        },
    ))
}
