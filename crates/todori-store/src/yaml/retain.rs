//! Rewrites a task that is not in canonical form so that nothing a person put there is lost: fields that did not
//! change keep their text, fields that are not ours stay, comments stay where they are.

use todori_domain::{Subtask, Task};

use super::emit::{self, Field};
use super::syntax::{Entry, Kind, Node};

/// Keys of the older layout whose values now stand elsewhere.
const MOVED: [&str; 2] = ["id", "metadata"];
/// What `metadata` held of ours.
const MOVED_METADATA: [&str; 3] = ["created", "updated", "completed"];
const SUBTASK_KEYS: [&str; 4] = ["id", "title", "description", "status"];

/// Writes the fields of a task, without the line of its id. `node` is its mapping in `source`, `end` where its text
/// ends there, and `old` what was read from it.
pub(crate) fn task(source: &str, node: &Node, end: usize, old: &Task, new: &Task) -> String {
    let Kind::Map { entries, flow } = &node.kind else {
        return emitted(new);
    };
    let mut pieces: Vec<(Option<Field>, String)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let next = entries.get(place + 1).map_or(end, |next| next.start);
        let text = if *flow {
            None
        } else {
            segment(source, entry, next)
        };
        let field = Field::of_key(&entry.key);
        pieces.push((
            field,
            match (field, text) {
                (Some(field), text) => known(source, entry, text, field, old, new),
                (None, _) if entry.key == "metadata" => metadata(source, entry),
                (None, _) if MOVED.contains(&entry.key.as_str()) => String::new(),
                (None, Some(text)) => reindent(text, column(entry), 4),
                (None, None) => inline(source, entry, 4),
            },
        ));
    }
    for field in Field::ALL {
        if pieces.iter().any(|(known, _)| *known == Some(field)) {
            continue;
        }
        let mut text = String::new();
        emit::field(&mut text, new, field);
        let place = pieces
            .iter()
            .rposition(|(known, _)| known.is_some_and(|known| known < field));
        pieces.insert(place.map_or(0, |place| place + 1), (Some(field), text));
    }
    pieces.into_iter().map(|(_, text)| text).collect()
}

fn emitted(task: &Task) -> String {
    let mut text = String::new();
    for field in Field::ALL {
        emit::field(&mut text, task, field);
    }
    text
}

/// A field of ours: its own text where its value stays, else the new one followed by the comments that stood below.
fn known(
    source: &str,
    entry: &Entry,
    text: Option<&str>,
    field: Field,
    old: &Task,
    new: &Task,
) -> String {
    let (mut before, mut after) = (String::new(), String::new());
    emit::field(&mut before, old, field);
    emit::field(&mut after, new, field);
    let Some(text) = text else { return after };
    // A value that says nothing (`rank:`) is no reason to leave a new one out.
    if before == after && !entry.value.is_null() {
        return reindent(text, column(entry), 4);
    }
    if field == Field::Subtasks && !new.subtasks.is_empty() {
        after = subtasks(source, entry, old, new);
    }
    let start = entry.start.min(entry.value.span.end);
    let value_end = entry.value.span.end.saturating_sub(start);
    let comments = text.get(value_end..).and_then(|rest| rest.split_once('\n'));
    let comments = comments.map_or("", |(_, rest)| rest);
    let only_comments = comments.lines().all(|line| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with('#')
    });
    if only_comments {
        after.push_str(&reindent(comments, column(entry), 4));
    }
    after
}

/// The steps of a task; a step keeps the fields that are not ours.
fn subtasks(source: &str, entry: &Entry, old: &Task, new: &Task) -> String {
    let mut text = format!("    {}:\n", Field::Subtasks.key());
    for step in &new.subtasks {
        let mut alone = Task::clone(new);
        alone.subtasks = vec![step.clone()];
        let mut written = String::new();
        emit::field(&mut written, &alone, Field::Subtasks);
        text.push_str(written.split_once('\n').map_or("", |(_, rest)| rest));
        let was_there = old.subtasks.iter().any(|other| other.number == step.number);
        if let Some(node) = was_there.then(|| step_node(entry, old, step)).flatten()
            && let Kind::Map { entries, .. } = &node.kind
        {
            let others = entries
                .iter()
                .filter(|entry| !SUBTASK_KEYS.contains(&entry.key.as_str()));
            others.for_each(|entry| text.push_str(&inline(source, entry, 8)));
        }
    }
    text
}

fn step_node<'a>(entry: &'a Entry, old: &Task, step: &Subtask) -> Option<&'a Node> {
    match &entry.value.kind {
        Kind::Map { entries, .. } => {
            let number = step.number.to_string();
            entries
                .iter()
                .find(|entry| entry.key == number)
                .map(|entry| &entry.value)
        }
        // In the older layout the steps are a list, in the order of their numbers.
        Kind::List(items) => {
            let place = old
                .subtasks
                .iter()
                .position(|other| other.number == step.number)?;
            items.get(place)
        }
        Kind::Scalar { .. } => None,
    }
}

/// What others put into the `metadata` of the older layout.
fn metadata(source: &str, entry: &Entry) -> String {
    let Kind::Map { entries, .. } = &entry.value.kind else {
        return inline(source, entry, 4);
    };
    let others = entries
        .iter()
        .filter(|entry| !MOVED_METADATA.contains(&entry.key.as_str()));
    let others: String = others.map(|entry| inline(source, entry, 6)).collect();
    if others.is_empty() {
        others
    } else {
        format!("    metadata:\n{others}")
    }
}

/// The lines from a key to the next one; `None` where the key does not begin its line.
fn segment<'a>(source: &'a str, entry: &Entry, next: usize) -> Option<&'a str> {
    let before = source.get(..entry.start)?;
    let line = before.rsplit('\n').next().unwrap_or(before);
    // In a list, the first key of an item stands behind its dash.
    if !line.bytes().all(|byte| matches!(byte, b' ' | b'-')) {
        return None;
    }
    let text = source.get(entry.start..next)?;
    // The blanks (and, in a list, the dash) before the next key are its own.
    let end = text.rfind('\n').map_or(text.len(), |newline| newline + 1);
    text.get(..end)
}

/// A key and its value as they stand, on lines of their own.
fn inline(source: &str, entry: &Entry, indent: usize) -> String {
    let text = source
        .get(entry.start..entry.value.span.end.max(entry.start))
        .unwrap_or_default();
    let text = text.trim_end_matches([' ', '\n', '\r']);
    reindent(&format!("{text}\n"), column(entry), indent)
}

fn column(entry: &Entry) -> usize {
    entry.at.column - 1
}

/// Moves lines from one indentation to another. The first line comes without its indentation.
fn reindent(text: &str, from: usize, to: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (place, line) in text.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        if !line.trim().is_empty() {
            let blanks = line.bytes().take_while(|&byte| byte == b' ').count();
            let shift = if place == 0 {
                to
            } else {
                (blanks + to).saturating_sub(from).max(1)
            };
            let rest = if place == 0 {
                line
            } else {
                line.get(blanks..).unwrap_or_default()
            };
            out.extend(std::iter::repeat_n(' ', shift));
            out.push_str(rest);
        }
        out.push('\n');
    }
    out
}
