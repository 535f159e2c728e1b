//! `delete_task`: deletes a task.

use serde_json::json;
use todori_domain::{Command, Request, TaskId, Verdict};

use super::DIALECT;
use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "delete_task",
    title: "Delete a task",
    description: "Delete a task for good; it is taken out of other tasks' dependencies. For work that will not be \
        done, prefer status cancelled",
    effect: Effect::Destroys,
    audience: Audience::Everybody,
    always_load: false,
    meta: None,
    input: || Shape::Object(vec![Field::required("id", Shape::Id, "")]),
    output: || {
        Shape::Object(vec![
            Field::required("success", Shape::Boolean, ""),
            Field::required("deletedId", Shape::Id, ""),
        ])
    },
    transcript: Transcript::DeletedTask,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let command = Command::Delete {
        task: arguments.task("id"),
    };
    Ok(Call::new(
        &DIALECT,
        Request::Write(vec![command]),
        |answer| {
            let gone: Option<TaskId> = match &answer.verdict {
                Verdict::Changed(change) => {
                    let mut gone = change.tasks.iter().filter(|task| task.after.is_none());
                    gone.next().and_then(todori_domain::TaskChange::id)
                }
                Verdict::Read | Verdict::Refused(_) => None,
            };
            let id = gone.map(|id| id.to_string()).unwrap_or_default();
            Ok(Reply::data(json!({"success": true, "deletedId": id})))
        },
    ))
}
