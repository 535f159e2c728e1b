//! `todori done`: marks tasks as done, all of them or none.

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Answer, Status, TaskRef};

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, task_json};

#[derive(Args)]
pub(super) struct Arguments {
    /// The ids of the tasks, or the first characters of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

pub(super) fn run(arguments: Arguments, project: &Project, output: &mut Output) -> Ended {
    let wanted: Vec<TaskRef> = arguments.ids.into_iter().map(TaskRef::new).collect();
    let answer = match project.set_status(&wanted, Status::Done, output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let tasks: Vec<_> = wanted
        .iter()
        .filter_map(|task| answer.board.resolve(task).ok())
        .collect();
    if output.json {
        let tasks: Vec<Value> = tasks.iter().map(|task| task_json::task(task)).collect();
        output.value(&json!(tasks));
        return Ended::Done;
    }
    for task in &tasks {
        let id = answer.board.short_id(task.id, 8);
        output.line(&format!("Done {id} {}", harmless(task.title.as_str())));
    }
    tell_freed(
        &answer,
        &tasks.iter().map(|task| task.id).collect::<Vec<_>>(),
        output,
    );
    Ended::Done
}

/// Names the tasks that need not wait any longer.
fn tell_freed(answer: &Answer, done: &[todori_domain::TaskId], output: &mut Output) {
    let board = &answer.board;
    let mut told = Vec::new();
    for task in done.iter().flat_map(|&id| board.open_dependents(id)) {
        if board.open_dependencies(task).next().is_none() && !told.contains(&task.id) {
            told.push(task.id);
            let id = board.short_id(task.id, 8);
            output.line(&format!("Now free: {id} {}", harmless(task.title.as_str())));
        }
    }
}
