//! `todori next`: which task to take, and why.

use clap::Args;
use serde_json::json;
use todori_domain::{NextFilter, Want, recommend};
use todori_store::task_json;

use super::output::{Output, Style};
use super::project::Project;
use super::{Ended, list};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori next\n  todori start \"$(todori next --json | jq -r .task.id)\""
)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let answer = match project.read(
        Want {
            presence: true,
            ..Want::default()
        },
        output,
    ) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let asking = &answer.moment.actor.session;
    let next = recommend(&answer.board, &NextFilter::default(), asking, &answer.live);
    if output.json {
        let task = next.task.as_ref().map(|task| task_json::full(task));
        output.value(&json!({"task": task, "rationale": next.rationale}));
        return Ended::Done;
    }
    if let Some(task) = &next.task {
        list::row(task, &answer.board, output);
    }
    output.paragraph(Style::Faint, &next.rationale);
    Ended::Done
}
