//! `todori add`: adds a task at the end of the list.

use clap::Args;
use todori_domain::{Command, IdSource as _, NewTask, Priority, RandomIds, TaskRef, Title, Want};
use todori_store::task_json;

use super::known::{OneOf, one_of};
use super::output::{Output, harmless};
use super::project::Project;
use super::words::{self, Words};
use super::{Ended, pick};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori add Fix the login\n  todori add \"Write a test\" -p high --after login\n  git log -1 --format=%B | todori add Review -d -\n  todori add -e                     write title and description in your editor"
)]
pub(super) struct Arguments {
    /// What to do
    #[arg(required_unless_present = "editor", value_name = "TITLE")]
    title: Vec<String>,
    /// More about it; `-` reads it from standard input
    #[arg(short, long, value_name = "TEXT")]
    description: Option<String>,
    /// Write title (the first line) and description in your editor
    #[arg(short, long, conflicts_with = "description")]
    editor: bool,
    /// How much it matters: high, medium or low
    #[arg(short, long, default_value = "medium", value_parser = priority(), hide_possible_values = true)]
    priority: Priority,
    /// A task that must be done first; may be repeated
    #[arg(long, value_name = "TASK")]
    after: Vec<String>,
}

/// Reads a priority.
pub(super) fn priority() -> OneOf<Priority> {
    one_of(parse_priority, Priority::ALL.map(Priority::as_str))
}

pub(super) fn parse_priority(text: &str) -> Result<Priority, String> {
    Priority::parse(text).ok_or_else(|| "expected high, medium or low".to_owned())
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    add(arguments, project, output).map_or_else(|ended| ended, |()| Ended::Done)
}

fn add(arguments: &Arguments, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let begun = arguments.title.join(" ");
    let unusable = |reason: String, output: &mut Output| {
        output.error(&reason, None);
        Ended::Usage
    };
    if !arguments.editor {
        let words = given(&begun, arguments.description.as_deref());
        let words = words.map_err(|reason| unusable(reason, output))?;
        let waits_for = pick::tasks(&arguments.after, project, output)?;
        return write(arguments, words, waits_for, project, output);
    }
    // Whatever can be refused is refused before somebody has written a text for it.
    let waits_for = pick::tasks(&arguments.after, project, output)?;
    project.read(Want::default(), output)?;
    let draft = words::edit(&begun, "", &project.settings);
    let mut draft = draft.map_err(|reason| unusable(reason, output))?;
    output.remind(draft.keep());
    let words = draft.words().map_err(|reason| unusable(reason, output))?;
    write(arguments, words, waits_for, project, output)?;
    output.remind(None);
    draft.settle();
    Ok(())
}

fn write(
    arguments: &Arguments,
    words: Words,
    waits_for: Vec<TaskRef>,
    project: &Project,
    output: &mut Output,
) -> Result<(), Ended> {
    let Words { title, description } = words;
    let id = RandomIds.next_id();
    let new = NewTask {
        description,
        priority: arguments.priority,
        waits_for,
        ..NewTask::titled(id, title)
    };
    let answer = project.write(vec![Command::Add(new)], output)?;
    let task = answer.board.get(id).ok_or(Ended::StoreFailed)?;
    if output.json {
        output.value(&task_json::full(task));
    } else {
        let id = answer.board.short_id(id, 8);
        output.line(&format!("Added {id} {}", harmless(task.title.as_str())));
    }
    Ok(())
}

/// The words as they were given.
fn given(title: &str, description: Option<&str>) -> Result<Words, String> {
    let title = Title::parse(title).map_err(|error| format!("the title {error}"))?;
    let description = words::description(description.unwrap_or_default())?;
    Ok(Words { title, description })
}
