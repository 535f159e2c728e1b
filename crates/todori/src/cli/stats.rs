//! `todori stats`: the board in figures.

use clap::Args;
use serde_json::Map;
use todori_domain::{Priority, Stats, Status, Want};

use super::output::Output;
use super::project::Project;
use super::{Ended, call};

#[derive(Args)]
#[command(after_help = "Examples:\n  todori stats\n  todori stats --json | jq .byStatus")]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, project: &Project, output: &mut Output) -> Ended {
    if output.json {
        // The same figures, and the same names for them, as agents get.
        return call::print("get_task_stats", Map::new(), project, output);
    }
    let answer = match project.read(Want::default(), output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let Stats {
        progress,
        average_completion_days,
        max_depth,
        average_dependencies,
    } = Stats::of(&answer.board);
    let total = progress.total().max(1);
    output.line(&format!("{} tasks", progress.total()));
    for status in Status::ALL {
        let count = progress.with_status(status);
        let bar = output.bar(count, total, 24);
        output.line(&format!(
            "{} {:<12} {count:>5}  {bar}",
            output.sign(status),
            status.as_str()
        ));
    }
    output.line("");
    for priority in Priority::ALL {
        output.line(&format!(
            "   {:<12} {:>5}",
            priority.as_str(),
            progress.with_priority(priority)
        ));
    }
    output.line("");
    output.line(&format!(
        "   held up      {:>5}  (blocked, or waiting for an open task)",
        progress.held_up
    ));
    output.line(&format!("   longest wait {max_depth:>5}  (tasks in a row)"));
    output.line(&format!(
        "   dependencies {average_dependencies:>5}  (a task, on average)"
    ));
    output.line(&format!(
        "   days to done {average_completion_days:>5}  (on average)"
    ));
    Ended::Done
}
