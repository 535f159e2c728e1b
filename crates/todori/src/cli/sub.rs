//! `todori sub`: the subtasks of a task.

use clap::{Args, Subcommand};
use todori_domain::{Answer, Command, Status, SubtaskEdit, TaskRef, Title, Verdict};
use todori_store::task_json;

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, pick};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori sub add 3f2b Write a test\n  todori sub done 3f2b.1\n  todori sub edit login.2 \"Write two tests\""
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Add a subtask to a task
    #[command(after_help = "Example:\n  todori sub add 3f2b Write a test")]
    Add {
        /// The task: its id, the first characters of it, or words of its title
        #[arg(value_name = "TASK")]
        task: String,
        /// What to do
        #[arg(required = true, value_name = "TITLE")]
        title: Vec<String>,
    },
    /// Mark a subtask as done
    #[command(after_help = "Example:\n  todori sub done 3f2b.1")]
    Done {
        /// The subtask: its task, a dot and its number
        #[arg(value_name = "TASK.N")]
        subtask: String,
    },
    /// Mark a subtask as not done
    #[command(after_help = "Example:\n  todori sub reopen 3f2b.1")]
    Reopen {
        /// The subtask: its task, a dot and its number
        #[arg(value_name = "TASK.N")]
        subtask: String,
    },
    /// Change the title of a subtask
    #[command(after_help = "Example:\n  todori sub edit login.2 \"Write two tests\"")]
    Edit {
        /// The subtask: its task, a dot and its number
        #[arg(value_name = "TASK.N")]
        subtask: String,
        /// What to do
        #[arg(required = true, value_name = "TITLE")]
        title: Vec<String>,
    },
    /// Delete a subtask
    #[command(
        after_help = "Examples:\n  todori sub rm 3f2b.2\n  todori undo                   brings it back"
    )]
    Rm {
        /// The subtask: its task, a dot and its number
        #[arg(value_name = "TASK.N")]
        subtask: String,
    },
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let (task, command) = match understand(&arguments.what, project, output) {
        Ok(understood) => understood,
        Err(ended) => return ended,
    };
    let answer = match project.write(vec![command], output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let Ok(task) = answer.board.resolve(&task) else {
        return Ended::StoreFailed;
    };
    if output.json {
        output.value(&task_json::full(task));
        return Ended::Done;
    }
    tell_gone(&answer, output);
    let done = task.subtasks.len() - task.open_subtasks();
    let title = harmless(task.title.as_str());
    output.line(&format!(
        "{} {title}: {done}/{} subtasks",
        answer.board.short_id(task.id, 8),
        task.subtasks.len()
    ));
    for subtask in &task.subtasks {
        let line = format!(
            "{} {:>3}. {}",
            output.sign(subtask.status),
            subtask.number,
            output.fit(subtask.title.as_str(), 8)
        );
        output.line(&line);
    }
    Ended::Done
}

/// Says which subtasks were deleted.
fn tell_gone(answer: &Answer, output: &mut Output) {
    let Verdict::Changed(change) = &answer.verdict else {
        return;
    };
    for change in &change.tasks {
        let (Some(before), Some(after)) = (&change.before, &change.after) else {
            continue;
        };
        let stays = |number: u32| {
            after
                .subtasks
                .iter()
                .any(|subtask| subtask.number == number)
        };
        for subtask in before
            .subtasks
            .iter()
            .filter(|subtask| !stays(subtask.number))
        {
            let title = harmless(subtask.title.as_str());
            output.line(&format!("Deleted subtask {} {title}", subtask.number));
            output.line("`todori undo` brings it back.");
        }
    }
}

fn understand(
    what: &What,
    project: &Project,
    output: &mut Output,
) -> Result<(TaskRef, Command), Ended> {
    let set = |given: &str, edit: SubtaskEdit, output: &mut Output| {
        let subtask = pick::subtask(given, project, output)?;
        Ok((subtask.task.clone(), Command::EditSubtask { subtask, edit }))
    };
    let status = |status| SubtaskEdit {
        status: Some(status),
        ..SubtaskEdit::default()
    };
    match what {
        What::Add { task, title } => {
            let title = titled(title, output)?;
            let task = pick::task(task, project, output)?;
            let command = Command::AddSubtask {
                task: task.clone(),
                title,
                description: None,
            };
            Ok((task, command))
        }
        What::Done { subtask } => set(subtask, status(Status::Done), output),
        What::Reopen { subtask } => set(subtask, status(Status::Pending), output),
        What::Edit { subtask, title } => {
            let edit = SubtaskEdit {
                title: Some(titled(title, output)?),
                ..SubtaskEdit::default()
            };
            set(subtask, edit, output)
        }
        What::Rm { subtask } => {
            let subtask = pick::subtask(subtask, project, output)?;
            Ok((subtask.task.clone(), Command::DeleteSubtask { subtask }))
        }
    }
}

fn titled(words: &[String], output: &mut Output) -> Result<Title, Ended> {
    Title::parse(&words.join(" ")).map_err(|error| {
        output.error(&format!("the title {error}"), None);
        Ended::Usage
    })
}
