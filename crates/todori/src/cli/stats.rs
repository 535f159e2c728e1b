//! `todori stats`: the board in figures.

use serde_json::{Map, Value, json};
use todori_domain::{Priority, Stats, Status, Want};

use super::Ended;
use super::output::Output;
use super::project::Project;

pub(super) fn run(project: &Project, output: &mut Output) -> Ended {
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
    if output.json {
        let by_status: Map<String, Value> = Status::ALL
            .map(|status| {
                (
                    status.as_str().to_owned(),
                    json!(progress.with_status(status)),
                )
            })
            .into_iter()
            .collect();
        let by_priority: Map<String, Value> = Priority::ALL
            .map(|priority| {
                (
                    priority.as_str().to_owned(),
                    json!(progress.with_priority(priority)),
                )
            })
            .into_iter()
            .collect();
        output.value(&json!({
            "total": progress.total(), "byStatus": by_status, "byPriority": by_priority,
            "blockedCount": progress.held_up, "avgCompletionDays": average_completion_days,
            "maxDepth": max_depth, "averageDepsPerTask": average_dependencies,
        }));
        return Ended::Done;
    }
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
