//! `todori list`: the tasks in a table that fits the terminal.

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{
    Board, Direction, Filter, Priority, SessionName, Sort, SortField, Status, Task, Want, query,
};
use todori_store::task_json;

use super::known::one_of;
use super::output::{Output, Style, harmless, width};
use super::project::Project;
use super::{Ended, add, tree};
use crate::event_text::who;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori list\n  todori list --ready --sort priority\n  todori list login --all\n  todori list --tree"
)]
#[expect(clippy::struct_excessive_bools, reason = "flags that people combine")]
pub(super) struct Arguments {
    /// Only tasks whose title or description contains all of these words
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Only tasks with this status; may be repeated
    #[arg(short, long, value_parser = one_of(parse_status, Status::ALL.map(Status::as_str)))]
    status: Vec<Status>,
    /// Only tasks with this priority; may be repeated
    #[arg(short, long, value_parser = add::priority())]
    priority: Vec<Priority>,
    /// Also what is done or cancelled
    #[arg(short, long)]
    all: bool,
    /// Only what could be started now: open, not blocked, waiting for nothing
    #[arg(long, conflicts_with = "waiting")]
    ready: bool,
    /// Only what is blocked, or waits for something
    #[arg(long)]
    waiting: bool,
    /// Only what this session or person has in progress, or any whose name contains this; `me` is you
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Sort by priority, created, updated or status instead of the list's own order; highest and newest first
    #[arg(long, value_name = "FIELD", value_parser = one_of(parse_sort, SORTS), hide_possible_values = true)]
    sort: Option<SortField>,
    /// Below each task what it waits for
    #[arg(short, long, conflicts_with = "sort")]
    tree: bool,
}

/// What a list can be sorted by.
const SORTS: [&str; 4] = ["priority", "created", "updated", "status"];

fn parse_sort(text: &str) -> Result<SortField, String> {
    match text {
        "priority" => Ok(SortField::Priority),
        "created" => Ok(SortField::Created),
        "updated" => Ok(SortField::Updated),
        "status" => Ok(SortField::Status),
        _ => Err("expected priority, created, updated or status".to_owned()),
    }
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
    let board = &answer.board;
    let sort = arguments.sort.map(|field| Sort {
        field,
        direction: match field {
            SortField::Status => Direction::Ascending,
            SortField::Priority | SortField::Created | SortField::Updated => Direction::Descending,
        },
    });
    let page = query(board, &filter, sort, 0, usize::MAX);
    let me = &answer.moment.actor.session;
    let wanted = |task: &&Arc<Task>| narrowed(arguments, task, board, me);
    let tasks: Vec<&Arc<Task>> = page.tasks.into_iter().filter(wanted).collect();
    if output.json {
        let tasks: Vec<Value> = tasks.iter().map(|task| task_json::full(task)).collect();
        output.value(&json!(tasks));
        return Ended::Done;
    }
    if arguments.tree {
        tree::whole(&tree::roots(&tasks, board), board, output);
    } else {
        for task in &tasks {
            row(task, board, output);
        }
    }
    if tasks.is_empty() {
        let hidden = answer.board.len();
        output.line(match hidden {
            0 => "No tasks yet. Add one: todori add \"Run the tests\"",
            _ => "No such tasks; --all shows everything.",
        });
    }
    Ended::Done
}

/// Whether the options that the domain knows nothing of let a task through.
fn narrowed(arguments: &Arguments, task: &Task, board: &Board, me: &SessionName) -> bool {
    let held_up = task.status == Status::Blocked || board.open_dependencies(task).next().is_some();
    let ready = matches!(task.status, Status::Pending | Status::InProgress) && !held_up;
    let description = task.description.as_ref().map_or("", |text| text.as_str());
    let text = format!("{}\n{description}", task.title.as_str()).to_lowercase();
    let by = |by: &String| {
        let has = |name: &SessionName| match by.as_str() {
            "me" => name == me,
            by => name.as_str().contains(by),
        };
        task.assignee.as_ref().is_some_and(has)
    };
    (!arguments.ready || ready)
        && (!arguments.waiting || held_up)
        && arguments.by.as_ref().is_none_or(by)
        && arguments
            .words
            .iter()
            .all(|word| text.contains(&word.to_lowercase()))
}

/// One task in one line.
pub(super) fn row(task: &Task, board: &Board, output: &mut Output) {
    let id = board.short_id(task.id, 8);
    let used = 2 + 1 + id.len() + 1 + 6 + 1;
    let room = output.columns().map(|columns| columns.saturating_sub(used));
    let notes = notes(task, board, room, output);
    let title = output.fit(task.label().as_str(), used + width(&notes));
    let title = match task.status {
        Status::InProgress => output.style(Style::Busy, &title),
        Status::Done | Status::Cancelled => output.style(Style::Faint, &title),
        Status::Pending | Status::Blocked | Status::Deferred => title,
    };
    let line = format!(
        "{} {} {} {title}{}",
        output.sign(task.status),
        output.style(Style::Faint, &id),
        output.priority(task.priority),
        output.style(Style::Faint, &notes),
    );
    output.line(&line);
}

/// What stands behind a title: as much as there is room for beside enough of it.
fn notes(task: &Task, board: &Board, room: Option<usize>, output: &Output) -> String {
    /// A title in fewer columns says too little.
    const LEAST: usize = 12;
    let mut notes = Vec::new();
    let waiting = board.open_dependencies(task).count();
    if task.status.is_open() && waiting > 0 {
        notes.push(format!("waits for {waiting}"));
    }
    if !task.subtasks.is_empty() {
        let done = task.subtasks.len() - task.open_subtasks();
        notes.push(format!("{done}/{} subtasks", task.subtasks.len()));
    }
    let name = task.assignee.as_ref().map(|name| harmless(who(name)));
    let words = |notes: &[String]| match notes {
        [] => String::new(),
        notes => format!("  ({})", notes.join(", ")),
    };
    let title = width(&harmless(task.label().as_str())).min(LEAST);
    let fits = |text: &str| room.is_none_or(|room| width(text) + title <= room);
    // A long name is cut before anything is left out.
    for most in [usize::MAX, 12] {
        let short = name.as_ref().map(|name| output.clip_name(name, most));
        let all = words(&notes.iter().cloned().chain(short).collect::<Vec<_>>());
        if fits(&all) {
            return all;
        }
    }
    if let Some(name) = &name {
        notes.insert(0, output.clip_name(name, 12));
    }
    while !fits(&words(&notes)) && notes.pop().is_some() {}
    words(&notes)
}
