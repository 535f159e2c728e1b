//! Rewrites a task that is not in canonical form so that nothing a person put there is lost: fields that did not
//! change keep their text, fields that are not ours stay, comments stay where they are, as far as there is such a place.

use std::collections::HashMap;

use todori_domain::{Subtask, Task};

use super::emit::{self, Field};
use super::split::read_block;
use super::syntax::{Entry, Kind, Node, comments, parse};
use super::{document, lines};

/// Keys of the older layout whose values now stand elsewhere.
const ID: &str = "id";
const METADATA: &str = "metadata";
/// What `metadata` held of ours.
const MOVED_METADATA: [&str; 3] = ["created", "updated", "completed"];
const SUBTASK_KEYS: [&str; 4] = ["id", "title", "description", "status"];
/// How far our fields are indented.
const INDENT: usize = 4;

/// A task that was read from a text: its mapping, where its text ends there, and what was read.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    pub(crate) source: &'a str,
    pub(crate) node: &'a Node,
    pub(crate) end: usize,
    pub(crate) task: &'a Task,
    /// Whether it stands in a list, where its id is a field like others.
    pub(crate) listed: bool,
}

/// Writes a block anew, from its own text; `None` where that can't be done without a loss.
pub(crate) fn block(source: &str, old: &Task, new: &Task) -> Option<String> {
    let (first_line, rest) = source.split_once('\n')?;
    let root = parse(source).ok()??;
    let [entry] = root.entries() else {
        return None;
    };
    let kept = Kept {
        source,
        node: &entry.value,
        end: source.len(),
        task: old,
        listed: false,
    };
    // The line of the id keeps its comment, unless the whole task stood on it.
    let mut head = format!("  {}:\n", new.id);
    if entry.value.at.line > 1 {
        let fields = lines::start(source, entry.value.span.start);
        let between = rest.get(..fields.checked_sub(first_line.len() + 1)?)?;
        head = format!("{first_line}\n");
        if lines::are_vague(between) {
            head.push_str(between);
        }
    }
    ways(kept, new).find_map(|fields| {
        let text = rescue(source, format!("{head}{fields}"));
        is_faithful(&text, kept, new).then_some(text)
    })
}

/// The ways to write the fields of a task, best first: with the text of all that did not change, and with the text of
/// what is not ours only. They are not checked yet.
pub(crate) fn ways(kept: Kept<'_>, new: &Task) -> impl Iterator<Item = String> {
    [Keep::All, Keep::Others]
        .into_iter()
        .map(move |keep| fields(kept, new, keep))
}

/// Whether a block says what it should: all of the task, and all that others put into its old text.
pub(crate) fn is_faithful(block: &str, kept: Kept<'_>, new: &Task) -> bool {
    let Some(root) = parse(block).ok().flatten() else {
        return false;
    };
    let [entry] = root.entries() else {
        return false;
    };
    let now = others(&entry.value, false);
    let has = |(path, node): &(Path<'_>, &Node)| {
        let same = |other: &(Path<'_>, &Node)| other.0 == *path && other.1.says_the_same(node);
        now.iter().any(same)
    };
    let remains = |(path, _): &(Path<'_>, &Node)| match path {
        Path::Step(number, _) => new.subtasks.iter().any(|step| step.number == *number),
        Path::Field(_) | Path::Metadata(_) => true,
    };
    read_block(block, new.updated).as_ref() == Some(new)
        && others(kept.node, kept.listed)
            .iter()
            .filter(|other| remains(other))
            .all(has)
}

/// Puts the comments of an old text that are not in the new one below it.
pub(crate) fn rescue(old: &str, mut new: String) -> String {
    for comment in lost_comments(old, &new) {
        new.push_str(&format!("{:INDENT$}{comment}\n", ""));
    }
    new
}

/// The comments of an old text that are not in the new one, each as often as it is missing.
pub(crate) fn lost_comments<'a>(old: &'a str, new: &str) -> Vec<&'a str> {
    let mut lost = comments(old);
    if lost.is_empty() {
        return lost;
    }
    let mut there: HashMap<&str, usize> = HashMap::new();
    for comment in comments(new) {
        *there.entry(comment).or_default() += 1;
    }
    lost.retain(|comment| match there.get_mut(comment) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    });
    lost
}

/// Where something stands in a task that is not ours.
#[derive(PartialEq, Eq)]
enum Path<'a> {
    Field(&'a str),
    Metadata(&'a str),
    Step(u32, &'a str),
}

/// Everything in the text of a task that is not ours.
fn others(node: &Node, listed: bool) -> Vec<(Path<'_>, &Node)> {
    let mut found = Vec::new();
    for entry in node.entries() {
        let (key, value) = (entry.key.as_str(), &entry.value);
        if key == Field::Subtasks.key() {
            for (number, _, step) in document::steps(value).unwrap_or_default() {
                let ours = |entry: &&Entry| SUBTASK_KEYS.contains(&entry.key.as_str());
                let fields = step.entries().iter().filter(|entry| !ours(entry));
                let path = |key| Path::Step(number.unwrap_or(0), key);
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

/// What of the old text is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// All that did not change.
    All,
    /// What is not ours.
    Others,
}

/// Writes the fields of a task, without the line of its id.
fn fields(kept: Kept<'_>, new: &Task, keep: Keep) -> String {
    let Kept {
        source,
        node,
        end,
        listed,
        ..
    } = kept;
    let flow = matches!(node.kind, Kind::Map { flow: true, .. });
    let entries = node.entries();
    let mut pieces: Vec<(Option<Field>, String)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let next = entries.get(place + 1).map_or(end, |next| next.start);
        let text = segment(source, entry, next).filter(|_| !flow);
        let field = Field::of_key(&entry.key);
        let written = match (field, text) {
            (Some(_), _) if keep == Keep::Others => continue,
            (Some(field), text) => known(kept, entry, text, field, new),
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

/// A field of ours: its own text where its value stays, else the new one with the comments that stood beside and below.
fn known(kept: Kept<'_>, entry: &Entry, text: Option<&str>, field: Field, new: &Task) -> String {
    let (mut before, mut after) = (String::new(), String::new());
    emit::field(&mut before, kept.task, field);
    emit::field(&mut after, new, field);
    let Some(text) = text else { return after };
    // A value that says nothing (`rank:`) is no reason to leave a new one out.
    if before == after && !entry.value.is_null() {
        return lines::reindent_first(text, column(entry), INDENT);
    }
    if field == Field::Subtasks && !new.subtasks.is_empty() {
        after = subtasks(kept.source, entry, new);
    }
    let beside = beside(kept.source, entry);
    if !beside.is_empty() && after.lines().count() == 1 {
        after = format!("{}  {beside}\n", after.trim_end_matches('\n'));
    }
    let below = below(kept.source, entry, text);
    after + &lines::reindent(below, column(entry), INDENT)
}

/// The comment behind a value, on the same line.
fn beside<'a>(source: &'a str, entry: &Entry) -> &'a str {
    let end = entry.value.span.end;
    let rest = source.get(end..).unwrap_or_default();
    let rest = rest.split('\n').next().unwrap_or_default();
    // A block of text ends where the next line begins: what stands there is below it.
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
    below.filter(|below| lines::are_vague(below)).unwrap_or("")
}

/// The steps of a task; a step keeps the fields that are not ours.
fn subtasks(source: &str, entry: &Entry, new: &Task) -> String {
    let mut text = format!("{:INDENT$}{}:\n", "", Field::Subtasks.key());
    let old = document::steps(&entry.value).unwrap_or_default();
    for step in &new.subtasks {
        text.push_str(&emitted(new, step));
        let old = old.iter().find(|(number, ..)| *number == Some(step.number));
        let fields = old.map_or(&[][..], |(_, _, node)| node.entries());
        let others = fields
            .iter()
            .filter(|entry| !SUBTASK_KEYS.contains(&entry.key.as_str()));
        others.for_each(|entry| text.push_str(&inline(source, entry, 2 * INDENT)));
    }
    text
}

/// One step as we write it.
fn emitted(task: &Task, step: &Subtask) -> String {
    let alone = Task {
        subtasks: vec![step.clone()],
        ..task.clone()
    };
    let mut text = String::new();
    emit::field(&mut text, &alone, Field::Subtasks);
    text.split_once('\n')
        .map_or_else(String::new, |(_, step)| step.to_owned())
}

/// What others put into the `metadata` of the older layout; nothing for any other key that moved.
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

/// The lines from a key to the next one; `None` where the key does not begin its line.
fn segment<'a>(source: &'a str, entry: &Entry, next: usize) -> Option<&'a str> {
    let line = source.get(lines::start(source, entry.start)..entry.start)?;
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
pub(crate) fn inline(source: &str, entry: &Entry, indent: usize) -> String {
    let text = source
        .get(entry.start..entry.value.span.end.max(entry.start))
        .unwrap_or_default();
    // A value that says nothing ends before the colon; a block of text may end within the next line.
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
