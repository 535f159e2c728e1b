//! `todori show`: everything about a task.

use clap::Args;
use todori_domain::{Board, Status, Task, Want};
use todori_store::task_json;

use super::output::{Output, Style, harmless};
use super::project::{Project, refused};
use super::{Ended, pick};
use crate::event_text::who;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori show 3f2b\n  todori show \"fix the login\"\n  todori show 3f2b --json | jq -r .description"
)]
pub(super) struct Arguments {
    /// The task: its id, the first characters of it, or words of its title
    #[arg(value_name = "TASK")]
    task: String,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let answer = match project.read(Want::default(), output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let wanted = match pick::on(&answer.board, &arguments.task, output) {
        Ok(wanted) => wanted,
        Err(ended) => return ended,
    };
    match answer.board.resolve(&wanted) {
        Err(refusal) => refused(&refusal, &answer, output),
        Ok(task) if output.json => {
            output.value(&task_json::full(task));
            Ended::Done
        }
        Ok(task) => {
            show(task, &answer.board, output);
            Ended::Done
        }
    }
}

fn show(task: &Task, board: &Board, output: &mut Output) {
    // Taken apart completely: a field that is new must be thought of here.
    let Task {
        id,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for: _,
        subtasks,
        next_subtask: _,
        assignee,
        rank: _,
        created,
        updated,
        completed,
    } = task;
    let title = output.style(Style::Strong, &harmless(title.as_str()));
    let sign = output.sign(*status);
    output.line(&format!("{sign} {title}"));
    let mut field = |name: &str, value: &str| {
        let name = output.style(Style::Faint, &format!("{name:<13}"));
        output.line(&format!("{name}{value}"));
    };
    field("id", &id.to_string());
    field("status", status.as_str());
    field("priority", priority.as_str());
    if let Some(text) = active_form {
        field("active form", &harmless(text.as_str()));
    }
    if let Some(name) = assignee {
        field("assignee", &harmless(who(name)));
    }
    field("created", &created.to_string());
    field("updated", &updated.to_string());
    if let Some(time) = completed {
        field("completed", &time.to_string());
    }
    if let Some(text) = description {
        output.line("");
        text.as_str()
            .lines()
            .for_each(|line| output.line(&harmless(line)));
    }
    relations(task, board, output);
    if !subtasks.is_empty() {
        heading("Subtasks", output);
    }
    for subtask in subtasks {
        let title = output.fit(subtask.title.as_str(), 8);
        let line = format!(
            "{} {:>3}. {title}",
            output.sign(subtask.status),
            subtask.number
        );
        output.line(&line);
        for line in subtask
            .description
            .iter()
            .flat_map(|text| text.as_str().lines())
        {
            output.line(&format!("        {}", harmless(line)));
        }
    }
}

fn relations(task: &Task, board: &Board, output: &mut Output) {
    if !task.waits_for.is_empty() {
        heading("Waits for", output);
    }
    for &id in &task.waits_for {
        match board.get(id) {
            Some(other) => related(other, board, output),
            None => output.line(&format!("   {id} (no longer on the board)")),
        }
    }
    let waiting: Vec<&Task> = board.open_dependents(task.id).collect();
    if !waiting.is_empty() && task.status != Status::Done {
        heading("These wait for it", output);
        for other in waiting {
            related(other, board, output);
        }
    }
}

fn related(other: &Task, board: &Board, output: &mut Output) {
    let id = board.short_id(other.id, 8);
    let title = output.fit(other.title.as_str(), 4 + id.len());
    let line = format!(
        "{} {} {title}",
        output.sign(other.status),
        output.style(Style::Faint, &id)
    );
    output.line(&line);
}

fn heading(text: &str, output: &mut Output) {
    let text = output.style(Style::Strong, text);
    output.line("");
    output.line(&text);
}
