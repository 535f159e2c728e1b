//! `todori list`: the tasks in a table that fits the terminal.

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Board, Filter, Priority, Status, Task, Want, query};

use super::output::{Look, Output};
use super::project::Project;
use super::{Ended, add, task_json};

#[derive(Args)]
pub(super) struct Arguments {
    /// Only tasks with this status; may be repeated
    #[arg(short, long, value_parser = parse_status)]
    status: Vec<Status>,
    /// Only tasks with this priority; may be repeated
    #[arg(short, long, value_parser = add::parse_priority)]
    priority: Vec<Priority>,
    /// Also what is done or cancelled
    #[arg(short, long)]
    all: bool,
}

pub(super) fn parse_status(text: &str) -> Result<Status, String> {
    let known = Status::ALL.map(Status::as_str).join(", ");
    Status::parse(text).ok_or_else(|| format!("expected one of {known}"))
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let answer = match project.read(Want::default(), output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let statuses = if arguments.status.is_empty() && !arguments.all {
        Status::ALL
            .into_iter()
            .filter(|status| status.is_open())
            .collect()
    } else {
        arguments.status.clone()
    };
    let filter = Filter {
        statuses,
        priorities: arguments.priority.clone(),
        ..Filter::default()
    };
    let page = query(&answer.board, &filter, None, 0, usize::MAX);
    if output.json {
        let tasks: Vec<Value> = page
            .tasks
            .iter()
            .map(|task| task_json::task(task))
            .collect();
        output.value(&json!(tasks));
        return Ended::Done;
    }
    for task in &page.tasks {
        row(task, &answer.board, output);
    }
    if page.tasks.is_empty() {
        let hidden = answer.board.len();
        output.line(match hidden {
            0 => "No tasks yet. Add one: todori add \"Run the tests\"",
            _ => "No such tasks; --all shows everything.",
        });
    }
    Ended::Done
}

/// One task in one line.
pub(super) fn row(task: &Task, board: &Board, output: &mut Output) {
    let id = board.short_id(task.id, 8);
    let mut notes = Vec::new();
    let waiting = board.open_dependencies(task).count();
    if task.status.is_open() && waiting > 0 {
        notes.push(format!("waits for {waiting}"));
    }
    if !task.subtasks.is_empty() {
        let done = task.subtasks.len() - task.open_subtasks();
        notes.push(format!("{done}/{} steps", task.subtasks.len()));
    }
    if let Some(name) = &task.assignee {
        notes.push(output.fit(name.as_str(), 0));
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!("  ({})", notes.join(", "))
    };
    let used = 2 + 1 + id.len() + 1 + 6 + 1 + notes.chars().count();
    let title = output.fit(task.label().as_str(), used);
    let title = match task.status {
        Status::InProgress => output.look(Look::Busy, &title),
        Status::Done | Status::Cancelled => output.look(Look::Faint, &title),
        Status::Pending | Status::Blocked | Status::Deferred => title,
    };
    let line = format!(
        "{} {} {} {title}{}",
        output.sign(task.status),
        output.look(Look::Faint, &id),
        output.priority(task.priority),
        output.look(Look::Faint, &notes),
    );
    output.line(&line);
}
