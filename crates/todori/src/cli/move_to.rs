//! `todori move`: puts a task somewhere else in the list.

use clap::{ArgGroup, Args};
use todori_domain::{Command, Place, Want};
use todori_store::task_json;

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, pick};

#[derive(Args)]
#[command(
    group = ArgGroup::new("where").required(true),
    after_help = "Examples:\n  todori move 3f2b --first\n  todori move login --before 9a0c"
)]
pub(super) struct Arguments {
    /// The task: its id, the first characters of it, or words of its title
    #[arg(value_name = "TASK")]
    task: String,
    /// Before all others
    #[arg(long, group = "where")]
    first: bool,
    /// Behind all others
    #[arg(long, group = "where")]
    last: bool,
    /// Right before this task
    #[arg(long, group = "where", value_name = "TASK")]
    before: Option<String>,
    /// Right behind this task
    #[arg(long, group = "where", value_name = "TASK")]
    after: Option<String>,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let moved = project.read(Want::default(), output).and_then(|answer| {
        let find = |given: &str, output: &mut Output| pick::on(&answer.board, given, output);
        let task = find(&arguments.task, output)?;
        let to = match (&arguments.before, &arguments.after) {
            (Some(other), _) => Place::Before(find(other, output)?),
            (None, Some(other)) => Place::After(find(other, output)?),
            (None, None) if arguments.first => Place::First,
            (None, None) => Place::Last,
        };
        let command = Command::Move {
            task: task.clone(),
            to,
        };
        Ok((task, project.write(vec![command], output)?))
    });
    let (task, answer) = match moved {
        Ok(moved) => moved,
        Err(ended) => return ended,
    };
    let board = &answer.board;
    let Ok(task) = board.resolve(&task) else {
        return Ended::StoreFailed;
    };
    if output.json {
        output.value(&task_json::full(task));
        return Ended::Done;
    }
    let place = board.in_order().position(|other| other.id == task.id);
    let place = place.map_or(0, |place| place + 1);
    let id = board.short_id(task.id, 8);
    output.line(&format!(
        "Moved {id} {}: it is now {place} of {}",
        harmless(task.title.as_str()),
        board.len()
    ));
    Ended::Done
}
