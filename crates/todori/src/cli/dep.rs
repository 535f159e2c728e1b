//! `todori dep`: what a task waits for.

use clap::{Args, Subcommand};
use todori_domain::{Answer, Command, TaskEdit, TaskRef, Verdict, Want};
use todori_store::task_json;

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, pick, tree};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori dep add \"Write the test\" \"Find the cause\"\n  todori dep rm 3f2b 9a0c\n  todori dep show 3f2b"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Let a task wait for others
    #[command(after_help = "Example:\n  todori dep add \"Write the test\" \"Find the cause\"")]
    Add(Pair),
    /// Let a task no longer wait for others
    #[command(after_help = "Example:\n  todori dep rm 3f2b 9a0c")]
    Rm(Pair),
    /// Show all that a task waits for, as a tree
    #[command(after_help = "Example:\n  todori dep show 3f2b")]
    Show {
        /// The task: its id, the first characters of it, or words of its title
        #[arg(value_name = "TASK")]
        task: String,
    },
}

#[derive(Args)]
struct Pair {
    /// The task that waits: its id, the first characters of it, or words of its title
    #[arg(value_name = "TASK")]
    task: String,
    /// What must be done first
    #[arg(required = true, value_name = "FIRST")]
    first: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let done = match &arguments.what {
        What::Add(pair) => change(pair, project, output, |edit, first| {
            edit.waits_also_for = first;
        }),
        What::Rm(pair) => change(pair, project, output, |edit, first| {
            edit.waits_no_longer_for = first;
        }),
        What::Show { task } => show(task, project, output),
    };
    done.map_or_else(|ended| ended, |()| Ended::Done)
}

fn change(
    pair: &Pair,
    project: &Project,
    output: &mut Output,
    set: impl FnOnce(&mut TaskEdit, Vec<TaskRef>),
) -> Result<(), Ended> {
    let read = project.read(Want::default(), output)?;
    let task = pick::on(&read.board, &pair.task, output)?;
    let first = pair.first.iter();
    let first: Result<Vec<TaskRef>, Ended> = first
        .map(|given| pick::on(&read.board, given, output))
        .collect();
    let mut edit = TaskEdit::default();
    set(&mut edit, first?);
    let command = Command::Edit {
        task: task.clone(),
        edit,
    };
    let answer = project.write(vec![command], output)?;
    let board = &answer.board;
    let task = board.resolve(&task).map_err(|_| Ended::StoreFailed)?;
    if output.json {
        output.value(&task_json::full(task));
        return Ok(());
    }
    tell_gone(&answer, output);
    let (id, title) = (board.short_id(task.id, 8), harmless(task.title.as_str()));
    if task.waits_for.is_empty() {
        output.line(&format!("{id} {title} waits for nothing"));
    } else {
        output.line(&format!("{id} {title} waits for"));
        tree::below(task, board, output);
    }
    Ok(())
}

/// Says what a task no longer waits for.
fn tell_gone(answer: &Answer, output: &mut Output) {
    let Verdict::Changed(change) = &answer.verdict else {
        return;
    };
    let mut any = false;
    for change in &change.tasks {
        let (Some(before), Some(after)) = (&change.before, &change.after) else {
            continue;
        };
        let gone = before.waits_for.iter();
        for &id in gone.filter(|id| !after.waits_for.contains(id)) {
            let title = answer.board.get(id).map_or("", |task| task.title.as_str());
            let id = answer.board.short_id(id, 8);
            output.line(&format!("No longer waits for {id} {}", harmless(title)));
            any = true;
        }
    }
    if any {
        output.line("`todori undo` brings this back.");
    }
}

fn show(given: &str, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let answer = project.read(Want::default(), output)?;
    let task = pick::on(&answer.board, given, output)?;
    let task = answer
        .board
        .resolve(&task)
        .map_err(|_| Ended::StoreFailed)?;
    if output.json {
        output.value(&task_json::full(task));
    } else {
        tree::whole(&[task], &answer.board, output);
    }
    Ok(())
}
