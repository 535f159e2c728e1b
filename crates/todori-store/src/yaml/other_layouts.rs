//! Reads files in other layouts than the one we write: tasks as a list (as the first todori wrote them), in flow style, or
//! with another indentation. The next write converts them to our layout (`relayout`).

use std::collections::HashMap;

use todori_domain::{Position, Task, TaskId, Timestamp};

use super::document;
use super::syntax::{Entry, Fault, Kind, Node, parse};

/// Reads all tasks of a file, however it is laid out.
pub(crate) fn read(text: &str, written: Timestamp) -> Result<Vec<Task>, Fault> {
    let root = match parse(text) {
        Ok(Some(root)) if !root.is_null() => root,
        Ok(_) => return Ok(Vec::new()),
        Err(fault) => return Err(conflict(text).unwrap_or(fault)),
    };
    let entries = top(&root)?;
    let version = entries.iter().find(|entry| entry.key == "version");
    let tasks = entries.iter().find(|entry| entry.key == "tasks");
    let listed = tasks.is_some_and(|tasks| matches!(tasks.value.kind, Kind::List(_)));
    if let Some(version) = version
        && !listed
        && document::scalar(&version.value)? != "1"
    {
        let reason = "this version of todori reads version 1; a newer one wrote this file";
        return Err(Fault::new(version.value.at, reason));
    }
    let Some(tasks) = tasks else {
        return Ok(Vec::new());
    };
    let mut read = Vec::new();
    let mut places: HashMap<TaskId, Position> = HashMap::new();
    for TaskNode { id, at, node, .. } in find(&tasks.value)? {
        if places.insert(id, at).is_some() {
            return Err(Fault::new(at, format!("the task {id} stands here twice")));
        }
        read.push(document::task(id, node, written)?);
    }
    Ok(read)
}

/// Whether the text around the tasks is a mapping that can stay as it is, with an empty `tasks:` at this byte.
pub(crate) fn is_plain_frame(frame: &str, tasks_at: usize) -> bool {
    let Ok(Some(root)) = parse(frame) else {
        return false;
    };
    let Kind::Map {
        entries,
        flow: false,
    } = &root.kind
    else {
        return false;
    };
    let version = entries.iter().find(|entry| entry.key == "version");
    let tasks = entries.iter().find(|entry| entry.key == "tasks");
    let is_empty = |tasks: &Entry| {
        tasks.value.is_null()
            || matches!(&tasks.value.kind, Kind::Map { entries, .. } if entries.is_empty())
    };
    version.is_none_or(|version| document::scalar(&version.value) == Ok("1"))
        && tasks.is_some_and(|tasks| tasks.start == tasks_at && is_empty(tasks))
}

/// Whether a text has neither a version nor tasks. An editor that truncates a file before it writes leaves such a text for
/// a moment.
pub(crate) fn says_nothing(text: &str) -> bool {
    match parse(text) {
        Ok(Some(root)) if !root.is_null() => {
            let ours = |entry: &Entry| matches!(entry.key.as_str(), "version" | "tasks");
            matches!(root.kind, Kind::Map { .. }) && !root.entries().iter().any(ours)
        }
        Ok(_) => true,
        Err(_) => false,
    }
}

fn top(root: &Node) -> Result<&[Entry], Fault> {
    match &root.kind {
        Kind::Map { entries, .. } => Ok(entries),
        Kind::List(_) | Kind::Scalar { .. } => Err(Fault::new(
            root.at,
            "expected `version: 1` and `tasks:` at the top of the file",
        )),
    }
}

/// A task in the parsed tree.
pub(crate) struct TaskNode<'a> {
    pub(crate) id: TaskId,
    at: Position,
    /// Where its text begins, in bytes; in a list, after the dash.
    pub(crate) start: usize,
    pub(crate) node: &'a Node,
    /// Whether it is an item of a list.
    pub(crate) listed: bool,
}

/// The tasks below `tasks:`, in the order of the file.
pub(crate) fn find(tasks: &Node) -> Result<Vec<TaskNode<'_>>, Fault> {
    match &tasks.kind {
        Kind::Map { entries, .. } => entries.iter().map(by_key).collect(),
        Kind::List(items) => items.iter().map(by_field).collect(),
        Kind::Scalar { .. } if tasks.is_null() => Ok(Vec::new()),
        Kind::Scalar { .. } => Err(Fault::new(tasks.at, "expected tasks by id")),
    }
}

fn by_key(entry: &Entry) -> Result<TaskNode<'_>, Fault> {
    let id = document::id(&entry.key, entry.at)?;
    Ok(TaskNode {
        id,
        at: entry.at,
        start: entry.start,
        node: &entry.value,
        listed: false,
    })
}

fn by_field(item: &Node) -> Result<TaskNode<'_>, Fault> {
    let Kind::Map { entries, .. } = &item.kind else {
        return Err(Fault::new(
            item.at,
            "expected a task with an id and a title",
        ));
    };
    let id = entries.iter().find(|entry| entry.key == "id");
    let id = id.ok_or_else(|| Fault::new(item.at, "this task has no id"))?;
    let id = document::id(document::scalar(&id.value)?, id.value.at)?;
    Ok(TaskNode {
        id,
        at: item.at,
        start: item.span.start,
        node: item,
        listed: true,
    })
}

/// Finds the first conflict marker of an unfinished merge, which explains more than the error of the parser.
fn conflict(text: &str) -> Option<Fault> {
    let marks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
    let found = text
        .lines()
        .zip(1..)
        .find(|(line, _)| marks.iter().any(|mark| line.starts_with(mark)));
    found.map(|(_, line)| {
        let at = Position { line, column: 1 };
        Fault::new(at, "a merge conflict was not resolved here")
    })
}
