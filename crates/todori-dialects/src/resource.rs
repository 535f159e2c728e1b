//! The board, the sessions and single tasks as resources in Markdown. Unlike replies, they are never cut.

use std::collections::BTreeSet;

use todori_domain::{Board, Refusal, SessionName, Status, Task, TaskRef};

use crate::budget::one_line;

/// The address of the whole board.
pub const BOARD_URI: &str = "todori://board";
/// The address of what each session is doing.
pub const SESSIONS_URI: &str = "todori://sessions";
/// The beginning of the address of a task.
pub const TASK_URI: &str = "todori://tasks/";
/// The template of these addresses.
pub const TASK_TEMPLATE: &str = "todori://tasks/{id}";

/// The whole board in short, as Markdown.
pub fn read_board(board: &Board) -> String {
    let progress = board.progress();
    let mut lines = vec![
        "# Board".to_owned(),
        String::new(),
        format!(
            "{}/{} completed",
            progress.with_status(Status::Done),
            progress.wanted()
        ),
        String::new(),
    ];
    for task in board.in_order() {
        let done = if task.status == Status::Done {
            'x'
        } else {
            ' '
        };
        let title = one_line(task.title.as_str());
        let mut line = format!(
            "- [{done}] {title} ({}, {}",
            task.status.as_str(),
            task.priority.as_str()
        );
        let waiting = board.open_dependencies(task).count();
        if task.status.is_open() && waiting > 0 {
            line.push_str(&format!(", waits for {waiting}"));
        }
        line.push_str(&format!(") {}", task.id));
        lines.push(line);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What each session is doing, as Markdown: the tasks of the project that it holds, and its own list.
pub fn read_sessions(project: Option<&Board>, lists: &[(&SessionName, &Board)]) -> String {
    let held = project.into_iter().flat_map(Board::in_order);
    let held: Vec<&Task> = held
        .map(AsRef::as_ref)
        .filter(|task| task.status == Status::InProgress && task.assignee.is_some())
        .collect();
    let mut names: BTreeSet<&SessionName> = lists.iter().map(|(name, _)| *name).collect();
    names.extend(held.iter().filter_map(|task| task.assignee.as_ref()));
    let mut lines = vec!["# Sessions".to_owned()];
    for name in names {
        lines.extend([String::new(), format!("## {}", one_line(name.as_str()))]);
        for task in held
            .iter()
            .filter(|task| task.assignee.as_ref() == Some(name))
        {
            lines.push(format!(
                "- in progress on the board: {} ({})",
                one_line(task.label().as_str()),
                task.id
            ));
        }
        let own = lists.iter().find(|(other, _)| *other == name);
        for task in own.iter().flat_map(|(_, board)| board.in_order()) {
            let mark = match task.status {
                Status::Done => 'x',
                Status::InProgress => '~',
                Status::Pending | Status::Blocked | Status::Deferred | Status::Cancelled => ' ',
            };
            lines.push(format!("- [{mark}] {}", one_line(task.label().as_str())));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Everything that is known about a task, as Markdown.
pub fn read_task(board: &Board, given: &str) -> Result<String, Refusal> {
    let task = board.resolve(&TaskRef::new(given))?;
    // Taken apart completely: a field that is new must be thought of here.
    let Task {
        id,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for: _,
        subtasks: _,
        next_subtask: _,
        assignee,
        rank: _,
        created,
        updated,
        completed,
    } = &**task;
    let mut lines = vec![format!("# {}", one_line(title.as_str())), String::new()];
    let mut put = |name: &str, value: &str| lines.push(format!("- {name}: {value}"));
    put("id", &id.to_string());
    put("status", status.as_str());
    put("priority", priority.as_str());
    if let Some(text) = active_form {
        put("active form", &one_line(text.as_str()));
    }
    if let Some(name) = assignee {
        put("assignee", name.as_str());
    }
    put("created", &created.to_string());
    put("updated", &updated.to_string());
    if let Some(time) = completed {
        put("completed", &time.to_string());
    }
    if let Some(text) = description {
        lines.extend([
            String::new(),
            "## Description".to_owned(),
            text.as_str().to_owned(),
        ]);
    }
    dependencies(&mut lines, board, task);
    subtasks(&mut lines, task);
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn dependencies(lines: &mut Vec<String>, board: &Board, task: &Task) {
    if !task.waits_for.is_empty() {
        lines.extend([String::new(), "## Dependencies".to_owned()]);
    }
    for &id in &task.waits_for {
        let known = board.get(id).map_or_else(
            || "no longer on the board".to_owned(),
            |other| {
                format!(
                    "{} ({})",
                    one_line(other.title.as_str()),
                    other.status.as_str()
                )
            },
        );
        lines.push(format!("- {id}: {known}"));
    }
    let mut dependents = board.open_dependents(task.id).peekable();
    if dependents.peek().is_some() {
        lines.extend([
            String::new(),
            "## Dependent Tasks (blocked by this)".to_owned(),
        ]);
    }
    for other in dependents {
        lines.push(format!(
            "- {}: {}",
            other.id,
            one_line(other.title.as_str())
        ));
    }
}

fn subtasks(lines: &mut Vec<String>, task: &Task) {
    if task.subtasks.is_empty() {
        return;
    }
    lines.extend([String::new(), "## Subtasks".to_owned()]);
    for subtask in &task.subtasks {
        let done = if subtask.status == Status::Done {
            'x'
        } else {
            ' '
        };
        let (id, title) = (
            task.subtask_id(subtask.number),
            one_line(subtask.title.as_str()),
        );
        lines.push(format!(
            "- [{done}] {id}: {title} ({})",
            subtask.status.as_str()
        ));
        if let Some(text) = &subtask.description {
            lines.extend(text.as_str().lines().map(|line| format!("  {line}")));
        }
    }
}
