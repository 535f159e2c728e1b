//! Finds the tasks in a text without reading all of it as YAML: a header that ends with the line `tasks:`, then one
//! block of lines for each task, then the rest. What is laid out otherwise is for `foreign`.

use std::collections::HashSet;
use std::sync::Arc;

use todori_domain::{Task, TaskId, Timestamp};

use super::syntax::{Kind, Node, parse};
use super::{document, foreign, quick};

/// The text of one task, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) id: TaskId,
    /// Comments and blank lines above it.
    pub(super) lead: usize,
    /// Its own lines.
    pub(super) body: usize,
    /// Whether the body is exactly what we would write.
    pub(super) canonical: bool,
}

impl Block {
    pub(super) fn len(&self) -> usize {
        self.lead + self.body
    }
}

/// A block that was found but not read: its id, and the bytes of its lead and of its body.
pub(super) type Span = (TaskId, usize, usize);

/// Finds the header and the blocks of a text; `None` where it is laid out otherwise.
pub(super) fn split(text: &str) -> Option<(usize, Vec<Span>)> {
    if !text.ends_with('\n') {
        return None;
    }
    let (start, header) = find_header(text)?;
    let listed = tasks_line(text.get(start..header)?)?;
    let body = text.get(header..)?;
    let Found { spans, end, .. } = split_blocks(body)?;
    if listed == TasksLine::Empty && !spans.is_empty() {
        return None;
    }
    let frame = format!("{}{}", text.get(..header)?, body.get(end..)?);
    foreign::is_plain_frame(&frame, start).then_some((header, spans))
}

/// What a line says that begins with `tasks:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TasksLine {
    /// The tasks follow below.
    Listed,
    /// `{}`: there are none.
    Empty,
}

/// How the line begins that the tasks follow.
pub(super) const TASKS: &str = "tasks:";
/// What stands behind it where there are none.
pub(super) const NONE: &str = "{}";

/// Reads the line above the tasks; blanks and a comment may follow. `None` for any other line.
pub(super) fn tasks_line(line: &str) -> Option<TasksLine> {
    let rest = line.strip_prefix(TASKS)?.trim_end();
    let is_remark =
        |rest: &str| rest.is_empty() || rest.trim_start_matches([' ', '\t']).starts_with('#');
    let begins = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    if begins(rest) && is_remark(rest) {
        return Some(TasksLine::Listed);
    }
    let behind = rest.trim_start_matches([' ', '\t']).strip_prefix(NONE)?;
    (begins(rest) && begins(behind) && is_remark(behind)).then_some(TasksLine::Empty)
}

/// Where the line `tasks:` begins, and where it ends.
fn find_header(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if tasks_line(line).is_some() {
            return Some((start, end));
        }
        start = end;
    }
    None
}

/// The blocks of a text without its header.
pub(super) struct Found {
    pub(super) spans: Vec<Span>,
    /// Where the last one ends.
    pub(super) end: usize,
    /// Whether blank lines that followed the last one would be its own.
    pub(super) keeps_blanks: bool,
}

/// Finds the blocks: for each its id and the bytes of its lead and of its body.
pub(super) fn split_blocks(body: &str) -> Option<Found> {
    let mut spans: Vec<Span> = Vec::new();
    let mut seen = HashSet::new();
    // Blank lines and comments whose place is not yet clear.
    let mut pending = 0;
    let mut end = 0;
    let mut keeper = Keeper::default();
    for line in body.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let blank = content == "\n";
        let vague = blank || content.starts_with('#');
        if blank && pending == 0 && keeper.keeps(body, end) {
            let (_, _, body) = spans.last_mut()?;
            *body += line.len();
            end += line.len();
        } else if vague && (indent <= 2 || spans.is_empty()) {
            pending += line.len();
        } else if indent > 2 {
            let (_, _, body) = spans.last_mut()?;
            *body += pending + line.len();
            end += pending + line.len();
            pending = 0;
        } else if indent == 2 {
            let key = content.get(..36)?;
            content.get(36..)?.strip_prefix(':')?;
            let id = TaskId::parse(key)?;
            if !seen.insert(id) {
                return None;
            }
            spans.push((id, pending, line.len()));
            end += pending;
            keeper = Keeper {
                looked_to: end,
                keeps: false,
            };
            end += line.len();
            pending = 0;
        } else if indent == 0 {
            break;
        } else {
            return None;
        }
    }
    let keeps_blanks = keeper.keeps(body, end);
    Some(Found {
        spans,
        end,
        keeps_blanks,
    })
}

/// Whether a block has a text in it that keeps the blank lines at its end (`|+`): those are not the next block's then.
/// Each byte is looked at once, and only where there are blank lines.
#[derive(Default)]
struct Keeper {
    looked_to: usize,
    keeps: bool,
}

impl Keeper {
    fn keeps(&mut self, body: &str, end: usize) -> bool {
        let new = body.get(self.looked_to..end).unwrap_or_default();
        self.keeps = self.keeps || (new.contains('+') && new.lines().any(begins_kept_text));
        self.looked_to = end;
        self.keeps
    }
}

/// Whether a line may end with the mark of a text that keeps its blank lines. Too often is no harm: a block with
/// blank lines at its end is read the same.
fn begins_kept_text(line: &str) -> bool {
    let is_mark = |word: &str| {
        let marks = word.strip_prefix(['|', '>']);
        marks.is_some_and(|marks| marks.contains('+'))
    };
    line.split([' ', '\t']).any(is_mark)
}

pub(super) type ReadBlocks = (Vec<Block>, Vec<Arc<Task>>);

/// Reads the task of each block; `None` where one can't be read by itself.
pub(super) fn read_blocks(
    text: &str,
    start: usize,
    spans: &[Span],
    written: Timestamp,
) -> Option<ReadBlocks> {
    let mut blocks = Vec::with_capacity(spans.len());
    let mut tasks = Vec::with_capacity(spans.len());
    let mut scratch = String::new();
    let mut offset = start;
    for &(id, lead, body) in spans {
        let block = text.get(offset + lead..offset + lead + body)?;
        let quick = quick::read(block, &mut scratch);
        let canonical = quick.is_some();
        let task = quick
            .or_else(|| read_block(block, written))
            .filter(|task| task.id == id)?;
        tasks.push(Arc::new(task));
        blocks.push(Block {
            id,
            lead,
            body,
            canonical,
        });
        offset += lead + body;
    }
    Some((blocks, tasks))
}

/// Reads one block with the full reader.
pub(super) fn read_block(block: &str, written: Timestamp) -> Option<Task> {
    let root: Node = parse(block).ok()??;
    let Kind::Map {
        entries,
        flow: false,
    } = root.kind
    else {
        return None;
    };
    let [entry] = entries.as_slice() else {
        return None;
    };
    let id = document::id(&entry.key, entry.at).ok()?;
    document::task(id, &entry.value, written).ok()
}
