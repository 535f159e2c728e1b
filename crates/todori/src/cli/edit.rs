//! `todori edit`: changes the words or the priority of a task.

use std::sync::Arc;

use clap::Args;
use todori_domain::{Answer, Command, Priority, Task, TaskEdit, TaskRef, Title, Want};
use todori_store::task_json;

use super::output::{Output, harmless};
use super::project::{Project, refused};
use super::words::{self, Draft};
use super::{Ended, add, pick};

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
    #[arg(short, long, value_parser = add::priority(), hide_possible_values = true)]
    priority: Option<Priority>,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    change(arguments, project, output).map_or_else(|ended| ended, |()| Ended::Done)
}

fn change(arguments: &Arguments, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let task = pick::task(&arguments.task, project, output)?;
    let edit = given(arguments).map_err(|reason| unusable(&reason, output))?;
    if edit == TaskEdit::default() {
        in_editor(&task, project, output)
    } else {
        write(&task, edit, project, output)
    }
}

fn unusable(reason: &str, output: &Output) -> Ended {
    output.error(reason, None);
    Ended::Usage
}

fn write(
    task: &TaskRef,
    edit: TaskEdit,
    project: &Project,
    output: &mut Output,
) -> Result<(), Ended> {
    let command = Command::Edit {
        task: task.clone(),
        edit,
    };
    let answer = project.write(vec![command], output)?;
    let task = answer.board.resolve(task).map_err(|_| Ended::StoreFailed)?;
    if output.json {
        output.value(&task_json::full(task));
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

/// Lets somebody change title and description in their editor. Only what they changed is written: others may have
/// worked on the task meanwhile.
fn in_editor(task: &TaskRef, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let answer = project.read(Want::default(), output)?;
    let before = find(task, &answer, output)?;
    let description = before.description.as_ref().map_or("", |text| text.as_str());
    let draft = words::edit(before.title.as_str(), description, &project.settings);
    let mut draft = draft.map_err(|reason| unusable(&reason, output))?;
    if draft.is_untouched() {
        if output.json {
            output.value(&task_json::full(before));
        } else {
            output.line("Nothing was changed.");
        }
        return Ok(());
    }
    output.remind(draft.keep());
    let edit = changed(&draft).map_err(|reason| unusable(&reason, output))?;
    let answer = project.read(Want::default(), output)?;
    let now = find(task, &answer, output)?;
    let lost = if edit.title.is_some() && now.title != before.title {
        Some("title")
    } else if edit.description.is_some() && now.description != before.description {
        Some("description")
    } else {
        None
    };
    if let Some(field) = lost {
        let message = format!("somebody else changed the {field} while you wrote");
        let id = answer.board.short_id(now.id, 8);
        let hint = format!("nothing was changed; look at it (`todori show {id}`) and edit again");
        output.error(&message, Some(&hint));
        return Err(Ended::Refused);
    }
    write(task, edit, project, output)?;
    output.remind(None);
    draft.settle();
    Ok(())
}

fn changed(draft: &Draft) -> Result<TaskEdit, String> {
    Ok(TaskEdit {
        title: draft.new_title()?,
        description: draft.new_description()?,
        ..TaskEdit::default()
    })
}

fn find<'a>(
    task: &TaskRef,
    answer: &'a Answer,
    output: &mut Output,
) -> Result<&'a Arc<Task>, Ended> {
    let found = answer.board.resolve(task);
    found.map_err(|refusal| refused(&refusal, answer, output))
}
