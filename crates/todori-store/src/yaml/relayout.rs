//! Lays a file out anew that is not in our layout: tasks as a list, in flow style, with another indentation. Says the
//! same afterwards, with everything that others put there; then changes are made as in any other file.

use std::collections::HashMap;

use todori_domain::{Board, Task, TaskId, Timestamp};

use super::blocks::Loaded;
use super::foreign::{Found, find};
use super::retain::{self, Kept};
use super::split::{self, TASKS, TasksLine, tasks_line};
use super::syntax::{Entry, Kind, Node, parse};
use super::{document, emit, lines};

const VERSION: &str = "version: 1\n";

/// Lays a text out anew; `None` where the result would not say the same. `board` is what was read from the text.
pub(crate) fn relayout(source: &str, board: &Board, written: Timestamp) -> Option<Loaded> {
    let root = parse(source).ok()?;
    let tasks = blocks(source, root.as_ref(), board, written);
    let frames = [
        kept_frame(source, root.as_ref()),
        Some(new_frame(source, root.as_ref())),
    ];
    frames.into_iter().flatten().find_map(|frame| {
        let Frame { above, line, below } = frame;
        let line = if board.is_empty() {
            "tasks: {}\n"
        } else {
            &line
        };
        let text = format!("{above}{line}{tasks}{below}");
        let lost = retain::lost_comments(source, &text);
        let lost: String = lost.iter().map(|comment| format!("{comment}\n")).collect();
        let text = format!("{above}{lost}{line}{tasks}{below}");
        let loaded = Loaded::read(text, written).ok()?;
        (loaded.is_ours() && *loaded.board == *board).then_some(loaded)
    })
}

/// What stands around the tasks.
struct Frame {
    above: String,
    /// The line `tasks:`.
    line: String,
    below: String,
}

/// Keeps every byte around the tasks but the number of the older version; `None` where the tasks do not stand on lines
/// of their own.
fn kept_frame(source: &str, root: Option<&Node>) -> Option<Frame> {
    let line = format!("{TASKS}\n");
    let Some(root) = root else {
        return Some(Frame {
            above: format!("{source}{VERSION}"),
            line,
            below: String::new(),
        });
    };
    let Kind::Map {
        entries,
        flow: false,
    } = &root.kind
    else {
        return None;
    };
    let version = entries.iter().find(|entry| entry.key == "version");
    let Some(tasks) = entries.iter().find(|entry| entry.key == "tasks") else {
        let version = version.map_or(VERSION, |_| "");
        return Some(Frame {
            above: format!("{source}{version}"),
            line,
            below: String::new(),
        });
    };
    let own = source.get(tasks.start..lines::next(source, tasks.start))?;
    let begins_below = tasks.value.at.line > tasks.at.line;
    let listed = begins_below && tasks_line(own) == Some(TasksLine::Listed);
    let below = end_of_tasks(source, tasks, entries);
    let part = |from: usize, to: usize| {
        let value = version.map(|version| &version.value);
        let value = value.filter(|value| from <= value.span.start && value.span.end <= to);
        match value.filter(|value| document::scalar(value) != Ok("1")) {
            Some(value) => Some(format!(
                "{}1{}",
                source.get(from..value.span.start)?,
                source.get(value.span.end..to)?
            )),
            None => source.get(from..to).map(str::to_owned),
        }
    };
    Some(Frame {
        above: part(0, tasks.start)?,
        line: if listed { own.to_owned() } else { line },
        below: part(below, source.len())?,
    })
}

/// Where the tasks end: with the next key, or with the comments at the margin that stand above it or at the end.
fn end_of_tasks(source: &str, tasks: &Entry, entries: &[Entry]) -> usize {
    let next = entries.iter().find(|entry| entry.start > tasks.start);
    let limit = next.map_or(source.len(), |next| lines::start(source, next.start));
    let from = lines::below(source, tasks.value.span.end);
    first_comment(source, from..limit, 0).unwrap_or(limit)
}

/// Where the first comment begins in these lines that is indented no deeper than this, if nothing but comments and
/// blank lines follow.
fn first_comment(source: &str, range: std::ops::Range<usize>, indent: usize) -> Option<usize> {
    let mut at = range.start.min(range.end);
    let text = source.get(at..range.end)?;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let rest = source.get(at..range.end)?;
        if content.starts_with('#')
            && line.len() - content.len() <= indent
            && lines::are_vague(rest)
        {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Writes what stands around the tasks anew.
fn new_frame(source: &str, root: Option<&Node>) -> Frame {
    let mut above = VERSION.to_owned();
    for entry in root.map_or(&[][..], Node::entries) {
        if !matches!(entry.key.as_str(), "version" | "tasks") {
            above.push_str(&retain::inline(source, entry, 0));
        }
    }
    Frame {
        above,
        line: format!("{TASKS}\n"),
        below: String::new(),
    }
}

/// Writes the tasks, sorted by id.
fn blocks(source: &str, root: Option<&Node>, board: &Board, written: Timestamp) -> String {
    let entries = root.map_or(&[][..], Node::entries);
    let Some(tasks) = entries.iter().find(|entry| entry.key == "tasks") else {
        return String::new();
    };
    let found = find(&tasks.value).unwrap_or_default();
    let regions = regions(source, tasks, entries, &found);
    let known: HashMap<TaskId, (&Found<'_>, Region)> = found
        .iter()
        .zip(regions)
        .map(|(found, region)| (found.id, (found, region)))
        .collect();
    let mut text = String::new();
    for task in board.by_id() {
        match known.get(&task.id) {
            Some((found, region)) => text.push_str(&block(source, found, *region, task, written)),
            None => emit::task(&mut text, task),
        }
    }
    text
}

/// Where the text of one task stands.
#[derive(Clone, Copy)]
struct Region {
    /// Where the comments above it begin.
    lead: usize,
    /// Where its own lines begin; none where it shares a line with others.
    lines: Option<usize>,
    end: usize,
}

fn regions(source: &str, tasks: &Entry, entries: &[Entry], found: &[Found<'_>]) -> Vec<Region> {
    let starts: Option<Vec<usize>> = found
        .iter()
        .map(|found| first_line(source, found))
        .collect();
    let Some(starts) = starts.filter(|starts| starts.is_sorted_by(|a, b| a < b)) else {
        let region = |found: &Found<'_>| Region {
            lead: found.start,
            lines: None,
            end: found.node.span.end,
        };
        return found.iter().map(region).collect();
    };
    let mut leads = Vec::with_capacity(starts.len() + 1);
    let mut from = lines::next(source, tasks.start);
    for (found, &start) in found.iter().zip(&starts) {
        let line = source.get(start..).unwrap_or_default();
        let indent = line.len() - line.trim_start_matches(' ').len();
        leads.push(first_comment(source, from..start, indent).unwrap_or(start));
        from = lines::below(source, found.node.span.end);
    }
    // What stands between `tasks:` and the first task is the first one's, however it is indented.
    if let Some(first) = leads.first_mut() {
        *first = lines::next(source, tasks.start).min(*first);
    }
    let ends = leads
        .iter()
        .copied()
        .skip(1)
        .chain(std::iter::once(end_of_tasks(source, tasks, entries)));
    let regions = leads.iter().zip(&starts).zip(ends);
    regions
        .map(|((&lead, &start), end)| Region {
            lead,
            lines: Some(start),
            end,
        })
        .collect()
}

/// The line that a task begins with, if nothing else stands on it: that of its key, or of its dash.
fn first_line(source: &str, found: &Found<'_>) -> Option<usize> {
    let mut start = lines::start(source, found.start);
    let before = source.get(start..found.start)?;
    if !before.bytes().all(|byte| matches!(byte, b' ' | b'-')) {
        return None;
    }
    // A dash may stand on a line of its own, perhaps with a comment.
    if found.listed && !before.contains('-') {
        loop {
            start = lines::start(source, start.checked_sub(1)?);
            let line = source.get(start..found.start)?.trim_start_matches(' ');
            if line.starts_with('-') {
                break;
            }
        }
    }
    Some(start)
}

/// Writes one task with the comments above it: as it stands if it can be, else in the best way that says the same. In
/// the last resort its old text becomes a comment, so that nothing is lost and nobody is kept from writing.
fn block(
    source: &str,
    found: &Found<'_>,
    region: Region,
    task: &Task,
    written: Timestamp,
) -> String {
    let kept = Kept {
        source,
        node: found.node,
        end: region.end,
        task,
        listed: found.listed,
    };
    let start = region.lines.unwrap_or(region.lead);
    let own = source.get(start..region.end).unwrap_or_default();
    let lead = source.get(region.lead..start).unwrap_or_default();
    let lead: String = lead.split_inclusive('\n').map(moved_comment).collect();
    let indent = own.len() - own.trim_start_matches(' ').len();
    let moved = (region.lines.is_some() && !found.listed).then(|| lines::reindent(own, indent, 2));
    let moved = moved.filter(|text| is_block(text, task, written));
    let anew = || {
        let mut ways = retain::ways(kept, task).map(|fields| {
            let text = format!("  {}:\n{fields}", task.id);
            if region.lines.is_some() {
                retain::rescue(own, text)
            } else {
                text
            }
        });
        ways.find(|text| is_block(text, task, written) && retain::is_faithful(text, kept, task))
    };
    let text = moved.or_else(anew).unwrap_or_else(|| {
        let mut text = String::new();
        emit::task(&mut text, task);
        for line in own.lines() {
            text.push_str(&format!("    # {line}\n"));
        }
        text
    });
    lead + &text
}

/// Whether a text is the block of this task and nothing else.
fn is_block(text: &str, task: &Task, written: Timestamp) -> bool {
    let Some(split::Found { spans, end, .. }) = split::split_blocks(text) else {
        return false;
    };
    let [(id, 0, _)] = spans.as_slice() else {
        return false;
    };
    let (Some(body), Some(rest)) = (text.get(..end), text.get(end..)) else {
        return false;
    };
    *id == task.id
        && lines::are_vague(rest)
        && split::read_block(body, written).as_ref() == Some(task)
}

/// A comment above a task goes where we write tasks; one at the margin stays there.
fn moved_comment(line: &str) -> String {
    let content = line.trim_start_matches(' ');
    if content.len() < line.len() && content.starts_with('#') {
        format!("  {content}")
    } else {
        content.to_owned()
    }
}
