//! `todori add`: adds a task at the end of the list.

use clap::Args;
use todori_domain::{
    Command, Description, IdSource as _, NewTask, Priority, RandomIds, TaskRef, Title,
};

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, task_json};

#[derive(Args)]
pub(super) struct Arguments {
    /// What to do
    #[arg(required = true, value_name = "TITLE")]
    title: Vec<String>,
    /// More about it
    #[arg(short, long, value_name = "TEXT")]
    description: Option<String>,
    /// How much it matters: high, medium or low
    #[arg(short, long, default_value = "medium", value_parser = parse_priority)]
    priority: Priority,
    /// A task that must be done first; may be repeated
    #[arg(long, value_name = "ID")]
    after: Vec<String>,
}

pub(super) fn parse_priority(text: &str) -> Result<Priority, String> {
    Priority::parse(text).ok_or_else(|| "expected high, medium or low".to_owned())
}

pub(super) fn run(arguments: Arguments, project: &Project, output: &mut Output) -> Ended {
    let Arguments {
        title,
        description,
        priority,
        after,
    } = arguments;
    let title = match Title::parse(&title.join(" ")) {
        Ok(title) => title,
        Err(error) => {
            output.error(&format!("the title {error}"), None);
            return Ended::Usage;
        }
    };
    let description = match Description::parse(&description.unwrap_or_default()) {
        Ok(description) => description,
        Err(error) => {
            output.error(&format!("the description {error}"), None);
            return Ended::Usage;
        }
    };
    let id = RandomIds.next_id();
    let waits_for = after.into_iter().map(TaskRef::new).collect();
    let new = NewTask {
        description,
        priority,
        waits_for,
        ..NewTask::titled(id, title)
    };
    let answer = match project.write(vec![Command::Add(new)], output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let Some(task) = answer.board.get(id) else {
        return Ended::StoreFailed;
    };
    if output.json {
        output.value(&task_json::task(task));
    } else {
        let id = answer.board.short_id(id, 8);
        output.line(&format!("Added {id} {}", harmless(task.title.as_str())));
    }
    Ended::Done
}
