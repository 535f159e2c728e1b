//! The prompts `session_restore` and `task_context`: the state of the project, and all about one task, for a model that
//! knows neither.

use serde_json::{Map, Value};
use todori_domain::{
    Answer, Board, Event, Happening, HistoryQuery, NextFilter, Refusal, Request, Status, Task,
    TaskRef, Want, recommend,
};

use crate::budget::{MAX_LIST_BYTES, cut, one_line};
use crate::dialect::{Prompt, PromptArgument};
use crate::resource::TASK_URI;

pub(super) const SESSION_RESTORE: Prompt = Prompt {
    name: "session_restore",
    title: "Where the project stands",
    description: "Overview of the project's tasks: counts, the next task to work on, recent updates",
    arguments: &[],
    request: |_| {
        Request::Read(Want {
            history: HistoryQuery::newest(LOOKED_AT),
            presence: true,
        })
    },
    render: session_restore,
};

pub(super) const TASK_CONTEXT: Prompt = Prompt {
    name: "task_context",
    title: "All about a task",
    description: "A task with its description, dependencies, dependent tasks and subtasks",
    arguments: &[PromptArgument {
        name: "taskId",
        description: "Task id, or the first characters of one",
        required: true,
    }],
    request: |_| Request::Read(Want::default()),
    render: task_context,
};

/// How many updates are shown, and among how many recent events they are searched.
const RECENT: usize = 5;
const LOOKED_AT: usize = 50;
const TITLE_BYTES: usize = 120;
const LISTED: usize = 6;

fn session_restore(_: &Map<String, Value>, answer: &Answer) -> Result<String, Refusal> {
    let board = &answer.board;
    let progress = board.progress();
    let count = |status| progress.with_status(status);
    let blocked = count(Status::Blocked);
    let review = if blocked > 0 {
        " (review dependencies)"
    } else {
        ""
    };
    let mut text = format!(
        "# Project Status\n\nTotal Tasks: {}\n- Pending: {}\n- In Progress: {}\n- Blocked: {blocked}{review}\n\
         - Done: {}\n- Deferred: {}\n",
        progress.total(),
        count(Status::Pending),
        count(Status::InProgress),
        count(Status::Done),
        count(Status::Deferred),
    );
    if count(Status::Cancelled) > 0 {
        text.push_str(&format!("- Cancelled: {}\n", count(Status::Cancelled)));
    }
    let mut recent = String::from("\n## Recent Updates (5 most recent)\n");
    // Equal updates of one task in a row are shown once.
    let mut updates: Vec<&Event> = answer.events().iter().collect();
    updates.dedup_by_key(|event| (event.change.id(), event.happening()));
    for (place, event) in (1..).zip(updates.into_iter().take(RECENT)) {
        recent.push_str(&format!("{place}. {}\n", update_line(event)));
    }
    if answer.events().is_empty() {
        recent.push_str("None yet\n");
    }
    text.push_str("\n## Next Task to Work On\n");
    let asking = &answer.moment.actor.session;
    let next = recommend(board, &NextFilter::default(), asking, &answer.live);
    match next.task {
        None => text.push_str(&format!("None. {}\n", next.rationale)),
        Some(task) => {
            text.push_str(&format!(
                "{} (priority: {})\nID: {}\n",
                short_title(&task),
                task.priority.as_str(),
                task.id
            ));
            let room = MAX_LIST_BYTES.saturating_sub(text.len() + recent.len() + 1);
            if let Some(description) = &task.description {
                text.push_str(&cut(description.as_str(), room, |kept| {
                    read_on(&task, kept)
                }));
                text.push('\n');
            }
        }
    }
    text.push_str(&recent);
    Ok(text)
}

/// One update in a line.
fn update_line(event: &Event) -> String {
    let title = event
        .title()
        .map_or(String::new(), |title| cut_line(title.as_str()));
    let happening = match event.happening() {
        Happening::Created => "created".to_owned(),
        Happening::Deleted => "deleted".to_owned(),
        Happening::StatusChanged(status) => format!("status changed to {}", status.as_str()),
        Happening::SubtasksChanged => "subtasks changed".to_owned(),
        Happening::DependenciesChanged => "dependencies changed".to_owned(),
        Happening::Moved => "moved".to_owned(),
        Happening::Edited => "edited".to_owned(),
    };
    format!("{title} - {happening}")
}

fn task_context(arguments: &Map<String, Value>, answer: &Answer) -> Result<String, Refusal> {
    let given = arguments
        .get("taskId")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let board = &answer.board;
    let task = board.resolve(&TaskRef::new(given))?;
    let head = format!(
        "# Task: {}\n\nID: {}\nStatus: {}\nPriority: {}\nCreated: {}\n",
        short_title(task),
        task.id,
        task.status.as_str(),
        task.priority.as_str(),
        task.created.date(),
    );
    let mut tail = dependencies(board, task);
    tail.push_str(&dependents(board, task));
    tail.push_str(&subtasks(task));
    let mut text = head;
    text.push_str("\n## Description\n");
    let room = MAX_LIST_BYTES.saturating_sub(text.len() + tail.len() + 1);
    match &task.description {
        Some(words) => text.push_str(&cut(words.as_str(), room, |kept| read_on(task, kept))),
        None => text.push_str("None"),
    }
    text.push('\n');
    text.push_str(&tail);
    Ok(text)
}

fn dependencies(board: &Board, task: &Task) -> String {
    let lines = task.waits_for.iter().map(|&id| match board.get(id) {
        Some(other) => {
            let done = if other.status == Status::Done {
                " ✓"
            } else {
                ""
            };
            format!(
                "- {} - status: {}{done}\n",
                short_title(other),
                other.status.as_str()
            )
        }
        None => format!("- {id} - no longer on the board\n"),
    });
    section("Dependencies", lines, task.waits_for.len())
}

fn dependents(board: &Board, task: &Task) -> String {
    let count = board.open_dependents(task.id).count();
    let lines = board
        .open_dependents(task.id)
        .map(|other| format!("- {}\n", short_title(other)));
    section("Dependent Tasks (blocked by this)", lines, count)
}

fn subtasks(task: &Task) -> String {
    if task.subtasks.is_empty() {
        return String::new();
    }
    let done = task
        .subtasks
        .iter()
        .filter(|subtask| subtask.status == Status::Done)
        .count();
    let lines = task.subtasks.iter().map(|subtask| {
        let mark = if subtask.status == Status::Done {
            'x'
        } else {
            ' '
        };
        format!("- [{mark}] {}\n", cut_line(subtask.title.as_str()))
    });
    section(
        &format!("Subtasks ({done}/{} complete)", task.subtasks.len()),
        lines,
        task.subtasks.len(),
    )
}

/// A heading and the first few lines below it.
fn section(heading: &str, lines: impl Iterator<Item = String>, count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    let mut text = format!("\n## {heading}\n");
    // The lists share the room of a prompt, which many short lines fill as well as a few long ones.
    let mut used = 0;
    for (shown, line) in lines.enumerate() {
        used += line.len();
        if used > LISTED * TITLE_BYTES / 2 {
            text.push_str(&format!("- … and {} more\n", count - shown));
            break;
        }
        text.push_str(&line);
    }
    text
}

fn short_title(task: &Task) -> String {
    cut_line(task.title.as_str())
}

fn cut_line(text: &str) -> String {
    cut(&one_line(text), TITLE_BYTES, |_| String::new())
}

fn read_on(task: &Task, kept: usize) -> String {
    format!(
        "get_task {{id: {}, from: {kept}}} or resource {TASK_URI}{}",
        task.id.prefix(8),
        task.id.prefix(8)
    )
}
