//! Converts a file in another layout (tasks as a list, in flow style, with another indentation) to ours. Its content stays
//! the same, fields and comments of others included; afterwards it is changed like any other file.

use std::collections::HashMap;

use todori_domain::{Board, Task, TaskId, Timestamp};

use super::blocks::Loaded;
use super::other_layouts::{TaskNode, find};
use super::retain::{self, TaskSource};
use super::split::{self, TASKS, TasksLine, tasks_line};
use super::syntax::{Entry, Kind, Node, parse};
use super::{document, emit, lines};

const VERSION: &str = "version: 1\n";

/// Converts a text to our layout; `None` if its content would not be the same. `board` is what was read from the text.
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

/// The text around the tasks.
struct Frame {
    above: String,
    /// The line `tasks:`.
    line: String,
    below: String,
}

/// Keeps every byte around the tasks except the number of an older version; `None` if the tasks are not on lines of their
/// own.
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

/// Where the tasks end: at the next key, or at unindented comments above it or at the end of the file.
fn end_of_tasks(source: &str, tasks: &Entry, entries: &[Entry]) -> usize {
    let next = entries.iter().find(|entry| entry.start > tasks.start);
    let limit = next.map_or(source.len(), |next| lines::start(source, next.start));
    let from = lines::below(source, tasks.value.span.end);
    first_comment(source, from..limit, 0).unwrap_or(limit)
}

/// Where the first comment in these lines begins that is indented no deeper than this, if only comments and blank lines
/// follow it.
fn first_comment(source: &str, range: std::ops::Range<usize>, indent: usize) -> Option<usize> {
    let start = range.start.min(range.end);
    let mut text = source.get(start..range.end)?;
    let mut found = None;
    // From below, so that each line is looked at once.
    while !text.is_empty() {
        let body = text.strip_suffix('\n').unwrap_or(text);
        let line_start = lines::start(text, body.len());
        let (above, line) = text.split_at(line_start);
        if !lines::are_blank_or_comments(line) {
            break;
        }
        let content = line.trim_start_matches(' ');
        if content.starts_with('#') && line.len() - content.len() <= indent {
            found = Some(start + line_start);
        }
        text = above;
    }
    found
}

/// Writes the text around the tasks from scratch.
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
    let nodes = find(&tasks.value).unwrap_or_default();
    let regions = regions(source, tasks, entries, &nodes);
    let known: HashMap<TaskId, (&TaskNode<'_>, Region)> = nodes
        .iter()
        .zip(regions)
        .map(|(node, region)| (node.id, (node, region)))
        .collect();
    let mut text = String::new();
    for task in board.by_id() {
        match known.get(&task.id) {
            Some((node, region)) => text.push_str(&block(source, node, *region, task, written)),
            None => emit::task(&mut text, task),
        }
    }
    text
}

/// Where the text of a task is in the file.
#[derive(Clone, Copy)]
struct Region {
    /// Where the comments above it begin.
    lead: usize,
    /// Where its own lines begin; `None` if it shares a line with others.
    lines: Option<usize>,
    end: usize,
}

fn regions(source: &str, tasks: &Entry, entries: &[Entry], nodes: &[TaskNode<'_>]) -> Vec<Region> {
    let starts: Option<Vec<usize>> = nodes.iter().map(|node| first_line(source, node)).collect();
    let Some(starts) = starts.filter(|starts| starts.is_sorted_by(|a, b| a < b)) else {
        let region = |task: &TaskNode<'_>| Region {
            lead: task.start,
            lines: None,
            end: task.node.span.end,
        };
        return nodes.iter().map(region).collect();
    };
    let mut leads = Vec::with_capacity(starts.len() + 1);
    let mut from = lines::next(source, tasks.start);
    for (task, &start) in nodes.iter().zip(&starts) {
        let line = source.get(start..).unwrap_or_default();
        let indent = line.len() - line.trim_start_matches(' ').len();
        leads.push(first_comment(source, from..start, indent).unwrap_or(start));
        from = lines::below(source, task.node.span.end);
    }
    // Everything between `tasks:` and the first task belongs to the first one, however it is indented.
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

/// The first line of a task, with its key or its dash, unless something else is on that line.
fn first_line(source: &str, task: &TaskNode<'_>) -> Option<usize> {
    let mut start = lines::start(source, task.start);
    let before = source.get(start..task.start)?;
    if !before.bytes().all(|byte| matches!(byte, b' ' | b'-')) {
        return None;
    }
    // A dash may be on a line of its own, perhaps with a comment.
    if task.listed && !before.contains('-') {
        loop {
            start = lines::start(source, start.checked_sub(1)?);
            let line = source.get(start..task.start)?.trim_start_matches(' ');
            if line.starts_with('-') {
                break;
            }
        }
    }
    Some(start)
}

/// Writes a task with the comments above it: unchanged if possible, else in the best form with the same content. As a
/// last resort its old text becomes a comment, so that nothing is lost and the write still succeeds.
fn block(
    source: &str,
    parsed: &TaskNode<'_>,
    region: Region,
    task: &Task,
    written: Timestamp,
) -> String {
    let task_source = TaskSource {
        source,
        node: parsed.node,
        end: region.end,
        task,
        listed: parsed.listed,
    };
    let start = region.lines.unwrap_or(region.lead);
    let own = source.get(start..region.end).unwrap_or_default();
    let lead = source.get(region.lead..start).unwrap_or_default();
    let lead: String = lead.split_inclusive('\n').map(moved_comment).collect();
    let indent = own.len() - own.trim_start_matches(' ').len();
    let moved = (region.lines.is_some() && !parsed.listed).then(|| lines::reindent(own, indent, 2));
    let moved = moved.filter(|text| is_block(text, task, written));
    let rewritten = || {
        let mut candidates = retain::candidates(task_source, task).map(|fields| {
            let text = format!("  {}:\n{fields}", task.id);
            if region.lines.is_some() {
                retain::append_lost_comments(own, text)
            } else {
                text
            }
        });
        candidates.find(|text| {
            is_block(text, task, written) && retain::is_faithful(text, task_source, task)
        })
    };
    let text = moved.or_else(rewritten).unwrap_or_else(|| {
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
    let Some(split::BlockSpans { spans, end, .. }) = split::split_blocks(text) else {
        return false;
    };
    let [(id, 0, _)] = spans.as_slice() else {
        return false;
    };
    let (Some(body), Some(rest)) = (text.get(..end), text.get(end..)) else {
        return false;
    };
    *id == task.id
        && lines::are_blank_or_comments(rest)
        && split::read_block(body, written).as_ref() == Some(task)
}

/// A comment above a task, indented like our tasks; an unindented comment stays unindented.
fn moved_comment(line: &str) -> String {
    let content = line.trim_start_matches(' ');
    if content.len() < line.len() && content.starts_with('#') {
        format!("  {content}")
    } else {
        content.to_owned()
    }
}
