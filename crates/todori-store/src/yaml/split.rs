//! Finds the tasks in a text without parsing all of it as YAML: a header that ends with the line `tasks:`, then one block
//! of lines for each task, then the rest. Files that are laid out otherwise are read by `other_layouts`.

use std::collections::HashSet;
use std::sync::Arc;

use todori_domain::{Task, TaskId, Timestamp};

use super::syntax::{Kind, Node, parse};
use super::{document, other_layouts, quick};

/// The text of one task, measured in bytes.
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

/// A block that is not read yet: its id, and the lengths of its lead and of its body.
pub(super) type Span = (TaskId, usize, usize);

/// Finds the header and the blocks of a text; `None` if it is laid out otherwise.
pub(super) fn split(text: &str) -> Option<(usize, Vec<Span>)> {
    if !text.ends_with('\n') {
        return None;
    }
    let (start, header) = find_header(text)?;
    let listed = tasks_line(text.get(start..header)?)?;
    let body = text.get(header..)?;
    let BlockSpans { spans, end, .. } = split_blocks(body)?;
    if listed == TasksLine::Empty && !spans.is_empty() {
        return None;
    }
    let frame = format!("{}{}", text.get(..header)?, body.get(end..)?);
    other_layouts::is_plain_frame(&frame, start).then_some((header, spans))
}

/// What the line `tasks:` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TasksLine {
    /// The tasks follow below.
    Listed,
    /// `{}`: there are none.
    Empty,
}

/// The beginning of the line above the tasks.
pub(super) const TASKS: &str = "tasks:";
/// What follows it if there are no tasks.
pub(super) const NONE: &str = "{}";

/// Reads the line above the tasks, which may end with spaces and a comment; `None` for any other line.
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
pub(super) struct BlockSpans {
    pub(super) spans: Vec<Span>,
    /// Where the last block ends.
    pub(super) end: usize,
    /// Whether blank lines after the last one would belong to it.
    pub(super) keeps_blanks: bool,
}

/// Finds the blocks of a text that begins below the line `tasks:`; `None` if it is laid out otherwise.
pub(super) fn split_blocks(body: &str) -> Option<BlockSpans> {
    let mut spans: Vec<Span> = Vec::new();
    let mut seen = HashSet::new();
    // The length of blank lines and comments that may belong to this block or to the next.
    let mut pending = 0;
    let mut end = 0;
    let mut trailing = TrailingBlanks::default();
    for line in body.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let blank = content == "\n";
        let unassigned = blank || content.starts_with('#');
        if blank && pending == 0 && trailing.belong_to_block(body, end) {
            let (_, _, body) = spans.last_mut()?;
            *body += line.len();
            end += line.len();
        } else if unassigned && (indent <= 2 || spans.is_empty()) {
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
            trailing = TrailingBlanks {
                searched: end,
                belong: false,
            };
            end += line.len();
            pending = 0;
        } else if indent == 0 {
            break;
        } else {
            return None;
        }
    }
    let keeps_blanks = trailing.belong_to_block(body, end);
    Some(BlockSpans {
        spans,
        end,
        keeps_blanks,
    })
}

/// Whether the blank lines at the end of a block belong to it, because it has a block scalar that keeps them (`|+`).
/// Each byte is searched once, and only if there are blank lines.
#[derive(Default)]
struct TrailingBlanks {
    searched: usize,
    belong: bool,
}

impl TrailingBlanks {
    fn belong_to_block(&mut self, body: &str, end: usize) -> bool {
        let new = body.get(self.searched..end).unwrap_or_default();
        self.belong = self.belong || (new.contains('+') && new.lines().any(keeps_blank_lines));
        self.searched = end;
        self.belong
    }
}

/// Whether a line may end with the indicator of a block scalar that keeps its blank lines. A false positive does no harm:
/// a block with blank lines at its end is read the same.
fn keeps_blank_lines(line: &str) -> bool {
    let is_mark = |word: &str| {
        let marks = word.strip_prefix(['|', '>']);
        marks.is_some_and(|marks| marks.contains('+'))
    };
    line.split([' ', '\t']).any(is_mark)
}

pub(super) type ReadBlocks = (Vec<Block>, Vec<Arc<Task>>);

/// Reads the task of each block; `None` if one of them can't be read on its own.
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
