//! `todori edit`: changes the words or the priority of a task.

use clap::Args;
use todori_domain::{Command, Priority, Task, TaskEdit, Title, Want};

use super::output::{Output, harmless};
use super::project::Project;
use super::words::{self, Words};
use super::{Ended, add, pick, task_json};

#[derive(Args)]
#[command(
    after_help = "Without options, title and description are opened in your editor.\n\nExamples:\n  todori edit 3f2b\n  todori edit login --title \"Fix the login\" -p high\n  git log -1 --format=%B | todori edit 3f2b -d -"
)]
pub(super) struct Arguments {
    /// The task: its id, the first characters of it, or words of its title
    #[arg(value_name = "TASK")]
    task: String,
    /// What to do
    #[arg(short, long, value_name = "TEXT")]
    title: Option<String>,
    /// The same while it is being done ("Running the tests"); an empty text takes it away
    #[arg(long, value_name = "TEXT")]
    active: Option<String>,
    /// More about it; `-` reads it from standard input, an empty text takes it away
    #[arg(short, long, value_name = "TEXT")]
    description: Option<String>,
    /// How much it matters: high, medium or low
    #[arg(short, long, value_parser = add::parse_priority)]
    priority: Option<Priority>,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    change(arguments, project, output).map_or_else(|ended| ended, |()| Ended::Done)
}

fn change(arguments: &Arguments, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let task = pick::task(&arguments.task, project, output)?;
    let edit = match given(arguments) {
        Ok(edit) if edit == TaskEdit::default() => {
            let answer = project.read(Want::default(), output)?;
            let task = answer
                .board
                .resolve(&task)
                .map_err(|_| Ended::StoreFailed)?;
            in_editor(task, project)
        }
        given => given,
    };
    let edit = edit.map_err(|reason| {
        output.error(&reason, None);
        Ended::Usage
    })?;
    let command = Command::Edit {
        task: task.clone(),
        edit,
    };
    let answer = project.write(vec![command], output)?;
    let task = answer
        .board
        .resolve(&task)
        .map_err(|_| Ended::StoreFailed)?;
    if output.json {
        output.value(&task_json::task(task));
    } else {
        let id = answer.board.short_id(task.id, 8);
        output.line(&format!("Changed {id} {}", harmless(task.title.as_str())));
    }
    Ok(())
}

/// What the options say.
fn given(arguments: &Arguments) -> Result<TaskEdit, String> {
    let title = |text: &str| Title::parse(text).map_err(|error| format!("the title {error}"));
    let active = |text: &str| match text {
        "" => Ok(None),
        text => Title::parse(text)
            .map(Some)
            .map_err(|error| format!("the active form {error}")),
    };
    let description = arguments.description.as_deref();
    Ok(TaskEdit {
        title: arguments.title.as_deref().map(title).transpose()?,
        active_form: arguments.active.as_deref().map(active).transpose()?,
        description: description.map(words::description).transpose()?,
        priority: arguments.priority,
        ..TaskEdit::default()
    })
}

/// What somebody makes of title and description in their editor.
fn in_editor(task: &Task, project: &Project) -> Result<TaskEdit, String> {
    let description = task.description.as_ref().map_or("", |text| text.as_str());
    let begun = format!("{}\n\n{description}\n", task.title.as_str());
    let Words { title, description } = words::edit(&begun, &project.settings)?;
    Ok(TaskEdit {
        title: Some(title),
        description: Some(description),
        ..TaskEdit::default()
    })
}
