//! Rewrites a task that is not in canonical form without losing what people put there: fields that did not change keep
//! their text, unknown fields stay, and comments stay where they are as far as possible.

use std::collections::HashMap;

use todori_domain::{Subtask, Task};

use super::emit::{self, Field};
use super::split::read_block;
use super::syntax::{Entry, Kind, Node, comments, parse};
use super::{document, lines};

/// Keys of the older layout whose values have moved.
const ID: &str = "id";
const METADATA: &str = "metadata";
/// The fields of ours that `metadata` held.
const MOVED_METADATA: [&str; 3] = ["created", "updated", "completed"];
const SUBTASK_KEYS: [&str; 4] = ["id", "title", "description", "status"];
/// How far our fields are indented.
const INDENT: usize = 4;

/// A task and the text that it was read from.
#[derive(Clone, Copy)]
pub(crate) struct TaskSource<'a> {
    pub(crate) source: &'a str,
    pub(crate) node: &'a Node,
    /// Where the text of the task ends in the source.
    pub(crate) end: usize,
    pub(crate) task: &'a Task,
    /// Whether it is an item of a list, where the id is a field like any other.
    pub(crate) listed: bool,
}

/// Rewrites a block from its own text; `None` if that can't be done without a loss.
pub(crate) fn block(source: &str, old: &Task, new: &Task) -> Option<String> {
    let (first_line, rest) = source.split_once('\n')?;
    let root = parse(source).ok()??;
    let [entry] = root.entries() else {
        return None;
    };
    let task_source = TaskSource {
        source,
        node: &entry.value,
        end: source.len(),
        task: old,
        listed: false,
    };
    // The line of the id keeps its comment, unless the whole task is on that line.
    let mut head = format!("  {}:\n", new.id);
    if entry.value.at.line > 1 {
        let fields = lines::start(source, entry.value.span.start);
        let between = rest.get(..fields.checked_sub(first_line.len() + 1)?)?;
        head = format!("{first_line}\n");
        if lines::are_blank_or_comments(between) {
            head.push_str(between);
        }
    }
    candidates(task_source, new).find_map(|fields| {
        let text = append_lost_comments(source, format!("{head}{fields}"));
        is_faithful(&text, task_source, new).then_some(text)
    })
}

/// Candidates for the fields of a task, the best first: with the old text of everything that did not change, or with the
/// old text of unknown fields only. The caller must check them.
pub(crate) fn candidates(old: TaskSource<'_>, new: &Task) -> impl Iterator<Item = String> {
    [Keep::Unchanged, Keep::Unknown]
        .into_iter()
        .map(move |keep| fields(old, new, keep))
}

/// Whether a block has the whole content of a task, and everything that others put into its old text.
pub(crate) fn is_faithful(block: &str, old: TaskSource<'_>, new: &Task) -> bool {
    let Some(root) = parse(block).ok().flatten() else {
        return false;
    };
    let [entry] = root.entries() else {
        return false;
    };
    let now = unknown_fields(&entry.value, false);
    let has = |(path, node): &(Path<'_>, &Node)| {
        let same = |other: &(Path<'_>, &Node)| other.0 == *path && other.1.says_the_same(node);
        now.iter().any(same)
    };
    let remains = |(path, _): &(Path<'_>, &Node)| match path {
        Path::Subtask(number, _) => new.subtasks.iter().any(|subtask| subtask.number == *number),
        Path::Field(_) | Path::Metadata(_) => true,
    };
    read_block(block, new.updated).as_ref() == Some(new)
        && unknown_fields(old.node, old.listed)
            .iter()
            .filter(|other| remains(other))
            .all(has)
}

/// Appends the comments of an old text that are missing in the new one.
pub(crate) fn append_lost_comments(old: &str, mut new: String) -> String {
    for comment in lost_comments(old, &new) {
        new.push_str(&format!("{:INDENT$}{comment}\n", ""));
    }
    new
}

/// The comments of an old text that are missing in the new one, each as often as it is missing.
pub(crate) fn lost_comments<'a>(old: &'a str, new: &str) -> Vec<&'a str> {
    let mut lost = comments(old);
    if lost.is_empty() {
        return lost;
    }
    let mut present: HashMap<&str, usize> = HashMap::new();
    for comment in comments(new) {
        *present.entry(comment).or_default() += 1;
    }
    lost.retain(|comment| match present.get_mut(comment) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    });
    lost
}

/// Where an unknown field is in a task.
#[derive(PartialEq, Eq)]
enum Path<'a> {
    Field(&'a str),
    Metadata(&'a str),
    Subtask(u32, &'a str),
}

/// All fields in the text of a task that we do not know.
fn unknown_fields(node: &Node, listed: bool) -> Vec<(Path<'_>, &Node)> {
    let mut found = Vec::new();
    for entry in node.entries() {
        let (key, value) = (entry.key.as_str(), &entry.value);
        if key == Field::Subtasks.key() {
            for (number, _, subtask) in document::subtask_nodes(value).unwrap_or_default() {
                let ours = |entry: &&Entry| SUBTASK_KEYS.contains(&entry.key.as_str());
                let fields = subtask.entries().iter().filter(|entry| !ours(entry));
                let path = |key| Path::Subtask(number.unwrap_or(0), key);
                found.extend(fields.map(|entry| (path(entry.key.as_str()), &entry.value)));
            }
        } else if key == METADATA && matches!(value.kind, Kind::Map { .. }) {
            let ours = |entry: &&Entry| MOVED_METADATA.contains(&entry.key.as_str());
            let fields = value.entries().iter().filter(|entry| !ours(entry));
            found.extend(fields.map(|entry| (Path::Metadata(&entry.key), &entry.value)));
        } else if Field::of_key(key).is_none() && !(listed && key == ID) {
            found.push((Path::Field(key), value));
        }
    }
    found
}

/// Which parts of the old text are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Everything that did not change.
    Unchanged,
    /// Only unknown fields.
    Unknown,
}

/// Writes the fields of a task, without the line of its id.
fn fields(old: TaskSource<'_>, new: &Task, keep: Keep) -> String {
    let TaskSource {
        source,
        node,
        end,
        listed,
        ..
    } = old;
    let flow = matches!(node.kind, Kind::Map { flow: true, .. });
    let entries = node.entries();
    let mut pieces: Vec<(Option<Field>, String)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let next = entries.get(place + 1).map_or(end, |next| next.start);
        // In flow style all may be on one line, which would be searched from end to end for every key.
        let text = (!flow).then(|| segment(source, entry, next)).flatten();
        let field = Field::of_key(&entry.key);
        let written = match (field, text) {
            (Some(_), _) if keep == Keep::Unknown => continue,
            (Some(field), text) => known_field(old, entry, text, field, new),
            (None, text) if entry.key == METADATA || (listed && entry.key == ID) => {
                let below = text.map_or("", |text| below(source, entry, text));
                metadata(source, entry) + &lines::reindent(below, column(entry), INDENT)
            }
            (None, Some(text)) => lines::reindent_first(text, column(entry), INDENT),
            (None, None) => inline(source, entry, INDENT),
        };
        pieces.push((field, written));
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

/// A field that we know: its old text if its value stays, else the new text with the comments beside and below the old.
fn known_field(
    old: TaskSource<'_>,
    entry: &Entry,
    text: Option<&str>,
    field: Field,
    new: &Task,
) -> String {
    let (mut before, mut after) = (String::new(), String::new());
    emit::field(&mut before, old.task, field);
    emit::field(&mut after, new, field);
    let Some(text) = text else { return after };
    // An empty value (`rank:`) does not replace the new one.
    if before == after && !entry.value.is_null() {
        return lines::reindent_first(text, column(entry), INDENT);
    }
    if field == Field::Subtasks && !new.subtasks.is_empty() {
        after = subtasks(old.source, entry, new);
    }
    let beside = beside(old.source, entry);
    if !beside.is_empty() && after.lines().count() == 1 {
        after = format!("{}  {beside}\n", after.trim_end_matches('\n'));
    }
    let below = below(old.source, entry, text);
    after + &lines::reindent(below, column(entry), INDENT)
}

/// The comment after a value, on the same line.
fn beside<'a>(source: &'a str, entry: &Entry) -> &'a str {
    let end = entry.value.span.end;
    let rest = source.get(end..).unwrap_or_default();
    let rest = rest.split('\n').next().unwrap_or_default();
    // A block scalar ends where the next line begins, and what is there is below it.
    if source.get(..end).is_some_and(|text| text.ends_with('\n')) {
        return "";
    }
    let comment = rest.trim_start_matches([':', ' ', '\t']).trim_end();
    if comment.starts_with('#') {
        comment
    } else {
        ""
    }
}

/// The comments and blank lines between a value and the next key. `text` are the lines from the key to there.
fn below<'a>(source: &str, entry: &Entry, text: &'a str) -> &'a str {
    let line = lines::below(source, entry.value.span.end);
    let below = text.get(line.saturating_sub(entry.start)..);
    below
        .filter(|below| lines::are_blank_or_comments(below))
        .unwrap_or("")
}

/// The subtasks of a task, each with its unknown fields.
fn subtasks(source: &str, entry: &Entry, new: &Task) -> String {
    let mut text = format!("{:INDENT$}{}:\n", "", Field::Subtasks.key());
    let old = document::subtask_nodes(&entry.value).unwrap_or_default();
    for subtask in &new.subtasks {
        text.push_str(&emitted(new, subtask));
        let old = old
            .iter()
            .find(|(number, ..)| *number == Some(subtask.number));
        let fields = old.map_or(&[][..], |(_, _, node)| node.entries());
        let others = fields
            .iter()
            .filter(|entry| !SUBTASK_KEYS.contains(&entry.key.as_str()));
        others.for_each(|entry| text.push_str(&inline(source, entry, 2 * INDENT)));
    }
    text
}

/// One subtask as we write it.
fn emitted(task: &Task, subtask: &Subtask) -> String {
    let alone = Task {
        subtasks: vec![subtask.clone()],
        ..task.clone()
    };
    let mut text = String::new();
    emit::field(&mut text, &alone, Field::Subtasks);
    text.split_once('\n')
        .map_or_else(String::new, |(_, subtask)| subtask.to_owned())
}

/// What others put into the `metadata` of the older layout; empty for the other keys that moved.
fn metadata(source: &str, entry: &Entry) -> String {
    if entry.key != METADATA {
        return String::new();
    }
    let Kind::Map { entries, .. } = &entry.value.kind else {
        return inline(source, entry, INDENT);
    };
    let others = entries
        .iter()
        .filter(|entry| !MOVED_METADATA.contains(&entry.key.as_str()));
    let others: String = others
        .map(|entry| inline(source, entry, INDENT + 2))
        .collect();
    if others.is_empty() {
        others
    } else {
        format!("{:INDENT$}{METADATA}:\n{others}", "")
    }
}

/// The lines from a key to the next one; `None` if the key does not begin its line.
fn segment<'a>(source: &'a str, entry: &Entry, next: usize) -> Option<&'a str> {
    let line = source.get(lines::start(source, entry.start)..entry.start)?;
    // In a list, the first key of an item follows the dash.
    if !line.bytes().all(|byte| matches!(byte, b' ' | b'-')) {
        return None;
    }
    let text = source.get(entry.start..next)?;
    // The spaces (and, in a list, the dash) before the next key belong to that key.
    let end = text.rfind('\n').map_or(text.len(), |newline| newline + 1);
    text.get(..end)
}

/// A key and its value, unchanged, on lines of their own.
pub(crate) fn inline(source: &str, entry: &Entry, indent: usize) -> String {
    let text = source
        .get(entry.start..entry.value.span.end.max(entry.start))
        .unwrap_or_default();
    // An empty value ends before the colon; a block scalar may end within the next line.
    let mut text = match &entry.value.kind {
        Kind::Scalar { .. } if entry.value.span.is_empty() => format!("{}:", text.trim_end()),
        Kind::Scalar { .. } | Kind::List(_) | Kind::Map { .. } => {
            text.trim_end_matches([' ', '\t']).to_owned()
        }
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    lines::reindent_first(&text, column(entry), indent)
}

fn column(entry: &Entry) -> usize {
    entry.at.column - 1
}
