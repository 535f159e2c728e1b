//! Files in another layout than ours: tasks as a list (as the first todori wrote them), in flow style, without
//! `version:`. They are read in full, and written in our layout at the next write, with everything that others put
//! there.

use std::collections::HashMap;

use todori_domain::{Board, Position, Task, TaskId, Timestamp};

use super::syntax::{Entry, Fault, Kind, Node, parse};
use super::{document, emit, retain};

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
    for Found { id, at, node, .. } in find(&tasks.value)? {
        if places.insert(id, at).is_some() {
            return Err(Fault::new(at, format!("the task {id} stands here twice")));
        }
        read.push(document::task(id, node, written)?);
    }
    Ok(read)
}

/// Whether what stands around the tasks is a mapping that we may keep as it is.
pub(crate) fn is_plain_frame(frame: &str) -> bool {
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
    version.is_some_and(|version| document::scalar(&version.value).is_ok_and(|text| text == "1"))
}

/// Writes a file anew in our layout.
pub(crate) fn rewrite(source: &str, before: &Board, after: &Board) -> String {
    let root = parse(source).ok().flatten().filter(|root| !root.is_null());
    let entries = root
        .as_ref()
        .and_then(|root| top(root).ok())
        .unwrap_or_default();
    let mut text = comments_above(source, entries);
    text.push_str("version: 1\n");
    for (place, entry) in entries.iter().enumerate() {
        if !matches!(entry.key.as_str(), "version" | "tasks") {
            let next = entries
                .get(place + 1)
                .map_or(source.len(), |next| next.start);
            let kept = source
                .get(entry.start..next)
                .unwrap_or_default()
                .replace('\r', "");
            text.push_str(kept.trim_end());
            text.push('\n');
        }
    }
    let tasks = entries.iter().find(|entry| entry.key == "tasks");
    let found = tasks
        .and_then(|tasks| find(&tasks.value).ok())
        .unwrap_or_default();
    let behind = tasks.and_then(|tasks| entries.iter().find(|entry| entry.start > tasks.start));
    let behind = behind.map_or(source.len(), |entry| entry.start);
    let ends = found
        .iter()
        .skip(1)
        .map(|next| next.start)
        .chain(std::iter::once(behind));
    let known: HashMap<TaskId, (&Node, usize)> = found
        .iter()
        .zip(ends)
        .map(|(found, end)| (found.id, (found.node, end)))
        .collect();
    text.push_str(if after.is_empty() {
        "tasks: {}\n"
    } else {
        "tasks:\n"
    });
    for task in after.by_id() {
        match (known.get(&task.id), before.get(task.id)) {
            (Some((node, end)), Some(old)) => {
                text.push_str(&format!("  {}:\n", task.id));
                text.push_str(&retain::task(source, node, *end, old, task));
            }
            _ => emit::task(&mut text, task),
        }
    }
    text
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

/// One task in the tree.
struct Found<'a> {
    id: TaskId,
    at: Position,
    /// Where its text begins, in bytes.
    start: usize,
    node: &'a Node,
}

fn find(tasks: &Node) -> Result<Vec<Found<'_>>, Fault> {
    match &tasks.kind {
        Kind::Map { entries, .. } => entries.iter().map(by_key).collect(),
        Kind::List(items) => items.iter().map(by_field).collect(),
        Kind::Scalar { .. } if tasks.is_null() => Ok(Vec::new()),
        Kind::Scalar { .. } => Err(Fault::new(tasks.at, "expected tasks by id")),
    }
}

fn by_key(entry: &Entry) -> Result<Found<'_>, Fault> {
    let id = document::id(&entry.key, entry.at)?;
    Ok(Found {
        id,
        at: entry.at,
        start: entry.start,
        node: &entry.value,
    })
}

fn by_field(item: &Node) -> Result<Found<'_>, Fault> {
    let Kind::Map { entries, .. } = &item.kind else {
        return Err(Fault::new(
            item.at,
            "expected a task with an id and a title",
        ));
    };
    let id = entries.iter().find(|entry| entry.key == "id");
    let id = id.ok_or_else(|| Fault::new(item.at, "this task has no id"))?;
    let id = document::id(document::scalar(&id.value)?, id.value.at)?;
    Ok(Found {
        id,
        at: item.at,
        start: item.span.start,
        node: item,
    })
}

/// The comments at the top of a file, which belong to no entry.
fn comments_above(source: &str, entries: &[Entry]) -> String {
    let end = entries.first().map_or(source.len(), |entry| entry.start);
    let above = source
        .get(..end)
        .unwrap_or_default()
        .trim_start_matches('\u{feff}');
    let lines = above
        .lines()
        .filter(|line| line.trim_start().starts_with('#'));
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Names the first mark of a merge that was not finished: that says more than what the parser stumbled over.
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
