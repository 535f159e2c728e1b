//! `todori start`: takes a task.

use clap::Args;
use todori_domain::Status;
use todori_store::task_json;

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, pick};
use crate::event_text::who;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori start login\n  todori start 3f2b\n  todori reopen 3f2b                puts it down again"
)]
pub(super) struct Arguments {
    /// The task: its id, the first characters of it, or words of its title
    #[arg(value_name = "TASK")]
    task: String,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let wanted = match pick::task(&arguments.task, project, output) {
        Ok(wanted) => wanted,
        Err(ended) => return ended,
    };
    let answer = match project.set_status(std::slice::from_ref(&wanted), Status::InProgress, output)
    {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let Ok(task) = answer.board.resolve(&wanted) else {
        return Ended::StoreFailed;
    };
    let own = task.assignee.as_ref() == Some(&answer.moment.actor.session);
    if !own {
        let holder = task.assignee.as_ref().map_or("somebody", who);
        output.error(
            &format!("{holder} has this task in progress"),
            Some("`todori next` says what else there is"),
        );
        return Ended::Refused;
    }
    if output.json {
        output.value(&task_json::full(task));
    } else {
        let id = answer.board.short_id(task.id, 8);
        output.line(&format!("Started {id} {}", harmless(task.title.as_str())));
        let waiting = answer.board.open_dependencies(task).count();
        if waiting > 0 {
            output.line(&format!("It waits for {waiting} open: todori show {id}"));
        }
    }
    Ended::Done
}
