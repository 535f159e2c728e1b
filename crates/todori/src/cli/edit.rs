//! `todori edit`: changes the words or the priority of a task.

use std::io::Read as _;

use clap::Args;
use todori_domain::{Command, Description, Priority, TaskEdit, TaskRef, Title};

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, add, task_json};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori edit 3f2b --title \"Fix the login\" -p high\n  git log -1 --format=%B | todori edit 3f2b -d -"
)]
pub(super) struct Arguments {
    /// The task's id, or the first characters of it
    #[arg(value_name = "ID")]
    id: String,
    /// What to do
    #[arg(short, long, value_name = "TEXT")]
    title: Option<String>,
    /// More about it; `-` reads it from standard input, an empty text takes it away
    #[arg(short, long, value_name = "TEXT")]
    description: Option<String>,
    /// How much it matters: high, medium or low
    #[arg(short, long, value_parser = add::parse_priority)]
    priority: Option<Priority>,
}

pub(super) fn run(arguments: Arguments, project: &Project, output: &mut Output) -> Ended {
    let Arguments {
        id,
        title,
        description,
        priority,
    } = arguments;
    if title.is_none() && description.is_none() && priority.is_none() {
        output.error(
            "there is nothing to change",
            Some("use --title, --description or --priority"),
        );
        return Ended::Usage;
    }
    let edit = match edit(title.as_deref(), description, priority) {
        Ok(edit) => edit,
        Err(reason) => {
            output.error(&reason, None);
            return Ended::Usage;
        }
    };
    let task = TaskRef::new(id);
    let answer = match project.write(
        vec![Command::Edit {
            task: task.clone(),
            edit,
        }],
        output,
    ) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let Ok(task) = answer.board.resolve(&task) else {
        return Ended::StoreFailed;
    };
    if output.json {
        output.value(&task_json::task(task));
    } else {
        let id = answer.board.short_id(task.id, 8);
        output.line(&format!("Changed {id} {}", harmless(task.title.as_str())));
    }
    Ended::Done
}

fn edit(
    title: Option<&str>,
    description: Option<String>,
    priority: Option<Priority>,
) -> Result<TaskEdit, String> {
    let title = title
        .map(Title::parse)
        .transpose()
        .map_err(|error| format!("the title {error}"))?;
    let description = match description.as_deref() {
        Some("-") => {
            let mut text = String::new();
            let read = std::io::stdin().take(1024 * 1024).read_to_string(&mut text);
            read.map_err(|error| format!("cannot read the description: {error}"))?;
            Some(text.trim_end_matches('\n').to_owned())
        }
        _ => description,
    };
    let description = description.as_deref().map(Description::parse).transpose();
    let description = description.map_err(|error| format!("the description {error}"))?;
    Ok(TaskEdit {
        title,
        description,
        priority,
        ..TaskEdit::default()
    })
}
