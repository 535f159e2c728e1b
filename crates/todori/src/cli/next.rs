//! `todori next`: which task to take, and why.

use serde_json::json;
use todori_domain::{NextFilter, Want, recommend};

use super::output::{Look, Output};
use super::project::Project;
use super::{Ended, list, task_json};

pub(super) fn run(project: &Project, output: &mut Output) -> Ended {
    let answer = match project.read(
        Want {
            presence: true,
            history: 0,
        },
        output,
    ) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let asking = &answer.moment.actor.session;
    let next = recommend(&answer.board, &NextFilter::default(), asking, &answer.live);
    if output.json {
        let task = next.task.as_ref().map(|task| task_json::task(task));
        output.value(&json!({"task": task, "rationale": next.rationale}));
        return Ended::Done;
    }
    if let Some(task) = &next.task {
        list::row(task, &answer.board, output);
    }
    output.paragraph(Look::Faint, &next.rationale);
    Ended::Done
}
