//! `todori show`: everything about a task.

use clap::Args;
use todori_domain::{Board, Status, Task, Want};

use super::output::{Look, Output, harmless};
use super::project::{Project, refused};
use super::{Ended, pick, task_json};
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
    let wanted = match pick::task(&arguments.task, project, output) {
        Ok(wanted) => wanted,
        Err(ended) => return ended,
    };
    let answer = match project.read(Want::default(), output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    match answer.board.resolve(&wanted) {
        Err(refusal) => refused(&refusal, &answer, output),
        Ok(task) if output.json => {
            output.value(&task_json::task(task));
            Ended::Done
        }
        Ok(task) => {
            show(task, &answer.board, output);
            Ended::Done
        }
    }
}

fn show(task: &Task, board: &Board, output: &mut Output) {
    let title = output.look(Look::Strong, &harmless(task.title.as_str()));
    let sign = output.sign(task.status);
    output.line(&format!("{sign} {title}"));
    let mut field = |name: &str, value: &str| {
        let name = output.look(Look::Faint, &format!("{name:<13}"));
        output.line(&format!("{name}{value}"));
    };
    field("id", &task.id.to_string());
    field("status", task.status.as_str());
    field("priority", task.priority.as_str());
    if let Some(text) = &task.active_form {
        field("active form", &harmless(text.as_str()));
    }
    if let Some(name) = &task.assignee {
        field("assignee", &harmless(who(name)));
    }
    field("created", &task.created.to_string());
    field("updated", &task.updated.to_string());
    if let Some(time) = task.completed {
        field("completed", &time.to_string());
    }
    if let Some(text) = &task.description {
        output.line("");
        text.as_str()
            .lines()
            .for_each(|line| output.line(&harmless(line)));
    }
    relations(task, board, output);
    if !task.subtasks.is_empty() {
        heading("Steps", output);
    }
    for step in &task.subtasks {
        let title = output.fit(step.title.as_str(), 8);
        let line = format!("{} {:>3}. {title}", output.sign(step.status), step.number);
        output.line(&line);
        for line in step
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
        output.look(Look::Faint, &id)
    );
    output.line(&line);
}

fn heading(text: &str, output: &mut Output) {
    let text = output.look(Look::Strong, text);
    output.line("");
    output.line(&text);
}
