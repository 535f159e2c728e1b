//! `todori done`, `block`, `defer`, `cancel` and `reopen`: say where tasks stand, all of them or none.

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Answer, Status, TaskId};
use todori_store::task_json;

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, pick};

#[derive(Args)]
pub(super) struct Arguments {
    /// The tasks: their ids, the first characters of them, or words of their titles
    #[arg(required = true, value_name = "TASK")]
    tasks: Vec<String>,
}

pub(super) fn run(
    arguments: &Arguments,
    status: Status,
    project: &Project,
    output: &mut Output,
) -> Ended {
    let wanted = match pick::tasks(&arguments.tasks, project, output) {
        Ok(wanted) => wanted,
        Err(ended) => return ended,
    };
    let answer = match project.set_status(&wanted, status, output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let tasks: Vec<_> = wanted
        .iter()
        .filter_map(|task| answer.board.resolve(task).ok())
        .collect();
    if output.json {
        let tasks: Vec<Value> = tasks.iter().map(|task| task_json::full(task)).collect();
        output.value(&json!(tasks));
        return Ended::Done;
    }
    let word = match status {
        Status::Blocked => "Blocked",
        Status::Deferred => "Deferred",
        Status::Cancelled => "Cancelled",
        Status::Done => "Done",
        Status::InProgress => "Started",
        Status::Pending => "Reopened",
    };
    for task in &tasks {
        let id = answer.board.short_id(task.id, 8);
        output.line(&format!("{word} {id} {}", harmless(task.title.as_str())));
    }
    if status == Status::Cancelled {
        output.line("`todori undo` takes this back.");
    }
    let settled: Vec<TaskId> = tasks.iter().map(|task| task.id).collect();
    if !status.is_open() {
        tell_freed(&answer, &settled, output);
    }
    Ended::Done
}

/// Names the tasks that need not wait any longer.
fn tell_freed(answer: &Answer, settled: &[TaskId], output: &mut Output) {
    let board = &answer.board;
    let mut told = Vec::new();
    for task in settled.iter().flat_map(|&id| board.open_dependents(id)) {
        if board.open_dependencies(task).next().is_none() && !told.contains(&task.id) {
            told.push(task.id);
            let id = board.short_id(task.id, 8);
            output.line(&format!("Now free: {id} {}", harmless(task.title.as_str())));
        }
    }
}
