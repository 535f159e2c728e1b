//! `todori sub`: the steps of a task.

use clap::{Args, Subcommand};
use todori_domain::{Command, Status, SubtaskEdit, SubtaskRef, TaskRef, Title};

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, task_json};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Add a step to a task
    Add {
        /// The task's id, or the first characters of it
        #[arg(value_name = "ID")]
        id: String,
        /// What to do
        #[arg(required = true, value_name = "TITLE")]
        title: Vec<String>,
    },
    /// Mark a step as done
    Done {
        /// The step: the task's id, a dot and the step's number
        #[arg(value_name = "ID.N")]
        step: String,
    },
    /// Take a step away
    Rm {
        /// The step: the task's id, a dot and the step's number
        #[arg(value_name = "ID.N")]
        step: String,
    },
}

pub(super) fn run(arguments: Arguments, project: &Project, output: &mut Output) -> Ended {
    let (task, command) = match understand(arguments.what) {
        Ok(understood) => understood,
        Err(reason) => {
            output.error(&reason, None);
            return Ended::Usage;
        }
    };
    let answer = match project.write(vec![command], output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let Ok(task) = answer.board.resolve(&task) else {
        return Ended::StoreFailed;
    };
    if output.json {
        output.value(&task_json::task(task));
        return Ended::Done;
    }
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

fn understand(what: What) -> Result<(TaskRef, Command), String> {
    let find = |step: &str| {
        SubtaskRef::parse(step).ok_or_else(|| format!("{step} is no step; write it as 3f2b.2"))
    };
    match what {
        What::Add { id, title } => {
            let title =
                Title::parse(&title.join(" ")).map_err(|error| format!("the title {error}"))?;
            let task = TaskRef::new(id);
            Ok((
                task.clone(),
                Command::AddSubtask {
                    task,
                    title,
                    description: None,
                },
            ))
        }
        What::Done { step } => {
            let subtask = find(&step)?;
            let edit = SubtaskEdit {
                status: Some(Status::Done),
                ..SubtaskEdit::default()
            };
            Ok((subtask.task.clone(), Command::EditSubtask { subtask, edit }))
        }
        What::Rm { step } => {
            let subtask = find(&step)?;
            Ok((subtask.task.clone(), Command::DeleteSubtask { subtask }))
        }
    }
}
