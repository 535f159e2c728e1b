//! `todori sub`: the steps of a task.

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
    /// Add a step to a task
    #[command(after_help = "Example:\n  todori sub add 3f2b Write a test")]
    Add {
        /// The task: its id, the first characters of it, or words of its title
        #[arg(value_name = "TASK")]
        task: String,
        /// What to do
        #[arg(required = true, value_name = "TITLE")]
        title: Vec<String>,
    },
    /// Mark a step as done
    #[command(after_help = "Example:\n  todori sub done 3f2b.1")]
    Done {
        /// The step: the task, a dot and the step's number
        #[arg(value_name = "TASK.N")]
        step: String,
    },
    /// Mark a step as not done
    #[command(after_help = "Example:\n  todori sub reopen 3f2b.1")]
    Reopen {
        /// The step: the task, a dot and the step's number
        #[arg(value_name = "TASK.N")]
        step: String,
    },
    /// Change the words of a step
    #[command(after_help = "Example:\n  todori sub edit login.2 \"Write two tests\"")]
    Edit {
        /// The step: the task, a dot and the step's number
        #[arg(value_name = "TASK.N")]
        step: String,
        /// What to do
        #[arg(required = true, value_name = "TITLE")]
        title: Vec<String>,
    },
    /// Take a step away
    #[command(
        after_help = "Examples:\n  todori sub rm 3f2b.2\n  todori undo                   brings it back"
    )]
    Rm {
        /// The step: the task, a dot and the step's number
        #[arg(value_name = "TASK.N")]
        step: String,
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
        "{} {title}: {done}/{} steps",
        answer.board.short_id(task.id, 8),
        task.subtasks.len()
    ));
    for step in &task.subtasks {
        let line = format!(
            "{} {:>3}. {}",
            output.sign(step.status),
            step.number,
            output.fit(step.title.as_str(), 8)
        );
        output.line(&line);
    }
    Ended::Done
}

/// Says which steps were taken away.
fn tell_gone(answer: &Answer, output: &mut Output) {
    let Verdict::Changed(change) = &answer.verdict else {
        return;
    };
    for change in &change.tasks {
        let (Some(before), Some(after)) = (&change.before, &change.after) else {
            continue;
        };
        let stays = |number: u32| after.subtasks.iter().any(|step| step.number == number);
        for step in before.subtasks.iter().filter(|step| !stays(step.number)) {
            let title = harmless(step.title.as_str());
            output.line(&format!("Removed step {} {title}", step.number));
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
        let subtask = pick::step(given, project, output)?;
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
        What::Done { step } => set(step, status(Status::Done), output),
        What::Reopen { step } => set(step, status(Status::Pending), output),
        What::Edit { step, title } => {
            let edit = SubtaskEdit {
                title: Some(titled(title, output)?),
                ..SubtaskEdit::default()
            };
            set(step, edit, output)
        }
        What::Rm { step } => {
            let subtask = pick::step(step, project, output)?;
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
