//! The file as a sequence of blocks, one for each task. A change replaces the blocks of the tasks that changed and
//! leaves all other bytes alone; a reload reads only the blocks that differ.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use todori_domain::{Board, Change, Task, TaskId, Timestamp};

use super::syntax::{Fault, Kind, Node, parse};
use super::{document, emit, foreign, quick, retain};

/// A file that was read: its text, where its tasks stand in it, and what they say.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) text: String,
    pub(crate) board: Arc<Board>,
    layout: Layout,
}

#[derive(Debug, Clone)]
enum Layout {
    /// `tasks:` is a mapping in block style: bytes of the header, then one block after the other, then the rest.
    Blocks { header: usize, blocks: Vec<Block> },
    /// Anything else that can be read. Written in our layout at the next write.
    Foreign,
}

/// The text of one task, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    id: TaskId,
    /// Comments and blank lines above it.
    lead: usize,
    /// Its own lines.
    body: usize,
    /// Whether the body is exactly what we would write.
    canonical: bool,
}

impl Block {
    fn len(&self) -> usize {
        self.lead + self.body
    }
}

/// One piece of text to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// How a change is made to a file: pieces to replace, in order, and what the file looks like then.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) edits: Vec<Edit>,
    layout: Layout,
}

pub(super) const EMPTY: &str = "version: 1\ntasks: {}\n";
const TASKS: &str = "tasks:\n";
const NO_TASKS: &str = "tasks: {}\n";

impl Loaded {
    /// A board that was never written.
    pub(crate) fn empty() -> Self {
        let layout = Layout::Blocks {
            header: EMPTY.len(),
            blocks: Vec::new(),
        };
        Self {
            text: EMPTY.to_owned(),
            board: Arc::default(),
            layout,
        }
    }

    /// Reads a whole file. `written` stands in for times that are missing in tasks written by hand.
    pub(crate) fn read(text: String, written: Timestamp) -> Result<Self, Fault> {
        if let Some((header, spans)) = split(&text)
            && let Some((blocks, tasks)) = read_blocks(&text, header, &spans, written)
        {
            let board = Arc::new(Board::from_tasks(tasks));
            return Ok(Self {
                text,
                board,
                layout: Layout::Blocks { header, blocks },
            });
        }
        let tasks = foreign::read(&text, written)?;
        let board = Arc::new(Board::from_tasks(tasks.into_iter().map(Arc::new)));
        Ok(Self {
            text,
            board,
            layout: Layout::Foreign,
        })
    }

    /// Reads a file again after it changed: only the blocks that differ, where that can be told.
    pub(crate) fn read_again(&self, text: String, written: Timestamp) -> Result<Self, Fault> {
        match self.read_difference(&text, written) {
            Some((board, layout)) => Ok(Self {
                text,
                board,
                layout,
            }),
            None => Self::read(text, written),
        }
    }

    fn read_difference(&self, text: &str, written: Timestamp) -> Option<(Arc<Board>, Layout)> {
        let Layout::Blocks { header, blocks } = &self.layout else {
            return None;
        };
        let old = self.text.as_bytes();
        let same_before = common_prefix(old, text.as_bytes());
        let same_after =
            common_suffix(old.get(same_before..)?, text.as_bytes().get(same_before..)?);
        // The blocks that the difference touches, and one more on each side: a difference at a seam belongs to both.
        let (mut first, mut offset) = (0, *header);
        if same_before <= offset {
            return None;
        }
        while let Some(block) = blocks.get(first)
            && offset + block.len() < same_before
        {
            offset += block.len();
            first += 1;
        }
        if first > 0 {
            first -= 1;
            offset -= blocks.get(first)?.len();
        }
        let (mut last, mut end) = (first, offset);
        while end <= old.len() - same_after {
            end += blocks.get(last)?.len();
            last += 1;
        }
        if let Some(block) = blocks.get(last) {
            end += block.len();
            last += 1;
        }
        let new_end = text.len().checked_sub(old.len() - end)?;
        let region = text.get(offset..new_end)?;
        let (spans, rest) = split_blocks(region)?;
        if rest != region.len() {
            return None;
        }
        let (changed, tasks) = read_blocks(text, offset, &spans, written)?;
        let mut new_blocks = Vec::with_capacity(blocks.len() + changed.len());
        new_blocks.extend_from_slice(blocks.get(..first)?);
        new_blocks.extend_from_slice(&changed);
        new_blocks.extend_from_slice(blocks.get(last..)?);
        let mut board = Board::clone(&self.board);
        for block in blocks.get(first..last)? {
            board.remove(block.id);
        }
        for task in tasks {
            // The same id in another part of the file: the full reader says where.
            if board.get(task.id).is_some() {
                return None;
            }
            board.put(task);
        }
        Some((
            Arc::new(board),
            Layout::Blocks {
                header: *header,
                blocks: new_blocks,
            },
        ))
    }

    /// Works out how to make a change. `Err` says which task could not be written so that it reads back the same.
    pub(crate) fn plan(&self, change: &Change, after: &Board) -> Result<Plan, TaskId> {
        let Layout::Blocks { header, blocks } = &self.layout else {
            let text = foreign::rewrite(&self.text, &self.board, after);
            check_whole(&text, after)?;
            let edits = vec![Edit {
                range: 0..self.text.len(),
                text,
            }];
            return Ok(Plan {
                edits,
                layout: Layout::Foreign,
            });
        };
        let mut planner = Planner {
            loaded: self,
            offsets: offsets(*header, blocks),
            sorted: blocks.is_sorted_by_key(|block| block.id),
            old: blocks,
            edits: Vec::new(),
            replaced: Vec::new(),
        };
        for task in &change.tasks {
            match (&task.before, &task.after) {
                (Some(before), Some(after)) => planner.replace(before, after)?,
                (None, Some(after)) => planner.insert(after)?,
                (Some(before), None) => planner.delete(before)?,
                (None, None) => {}
            }
        }
        let mut plan = planner.finish();
        mark_empty(&self.text, *header, &mut plan, blocks.is_empty());
        Ok(plan)
    }

    /// Makes the planned change to the text and the layout.
    pub(crate) fn apply(&mut self, plan: Plan, board: Arc<Board>) {
        for edit in plan.edits.iter().rev() {
            self.text.replace_range(edit.range.clone(), &edit.text);
        }
        self.layout = plan.layout;
        self.board = board;
        if matches!(self.layout, Layout::Foreign)
            && let Some((header, spans)) = split(&self.text)
            && let Some((blocks, _)) =
                read_blocks(&self.text, header, &spans, Timestamp::from_millis(0))
        {
            self.layout = Layout::Blocks { header, blocks };
        }
    }
}

/// Where each block begins, lead included; one more for the end of the last.
fn offsets(header: usize, blocks: &[Block]) -> Vec<usize> {
    let mut offset = header;
    let mut offsets = Vec::with_capacity(blocks.len() + 1);
    offsets.push(offset);
    for block in blocks {
        offset += block.len();
        offsets.push(offset);
    }
    offsets
}

struct Planner<'a> {
    loaded: &'a Loaded,
    old: &'a [Block],
    offsets: Vec<usize>,
    sorted: bool,
    edits: Vec<Edit>,
    /// What becomes of the block at a place: replaced, removed, or one more put before it.
    replaced: Vec<(usize, Fate)>,
}

enum Fate {
    Replaced(Block),
    /// Gone; the bytes of its lead go to the next block.
    Removed,
    Preceded(Block),
}

impl Planner<'_> {
    fn place(&self, id: TaskId) -> Option<usize> {
        if self.sorted {
            self.old.binary_search_by_key(&id, |block| block.id).ok()
        } else {
            self.old.iter().position(|block| block.id == id)
        }
    }

    /// The block of a task that is there, and where its body begins.
    fn block(&self, id: TaskId) -> Result<(usize, Block, usize), TaskId> {
        let place = self.place(id).ok_or(id)?;
        let block = *self.old.get(place).ok_or(id)?;
        let start = self.offsets.get(place).ok_or(id)? + block.lead;
        Ok((place, block, start))
    }

    fn replace(&mut self, before: &Task, after: &Arc<Task>) -> Result<(), TaskId> {
        let id = after.id;
        let (place, block, start) = self.block(id)?;
        let range = start..start + block.body;
        let mut text = String::new();
        if block.canonical {
            emit::task(&mut text, after);
        } else {
            let source = self.loaded.text.get(range.clone()).ok_or(id)?;
            text = rewrite(source, before, after).ok_or(id)?;
        }
        let canonical = check(&text, after)?;
        let body = text.len();
        self.replaced.push((
            place,
            Fate::Replaced(Block {
                body,
                canonical,
                ..block
            }),
        ));
        self.edits.push(Edit { range, text });
        Ok(())
    }

    fn insert(&mut self, task: &Arc<Task>) -> Result<(), TaskId> {
        let place = if self.sorted {
            self.old.partition_point(|block| block.id < task.id)
        } else {
            self.old.len()
        };
        let at = *self.offsets.get(place).ok_or(task.id)?;
        let mut text = String::new();
        emit::task(&mut text, task);
        let canonical = check(&text, task)?;
        let block = Block {
            id: task.id,
            lead: 0,
            body: text.len(),
            canonical,
        };
        self.replaced.push((place, Fate::Preceded(block)));
        self.edits.push(Edit {
            range: at..at,
            text,
        });
        Ok(())
    }

    fn delete(&mut self, task: &Task) -> Result<(), TaskId> {
        let (place, block, start) = self.block(task.id)?;
        self.replaced.push((place, Fate::Removed));
        self.edits.push(Edit {
            range: start..start + block.body,
            text: String::new(),
        });
        Ok(())
    }

    fn finish(mut self) -> Plan {
        // Stable, so that of several tasks inserted at one place the order of their ids stays.
        self.edits.sort_by_key(|edit| edit.range.start);
        self.replaced
            .sort_by_key(|(place, fate)| (*place, !matches!(fate, Fate::Preceded(_))));
        let mut blocks = Vec::with_capacity(self.old.len() + self.replaced.len());
        let mut fates = self.replaced.into_iter().peekable();
        let mut inherited = 0;
        for place in 0..=self.old.len() {
            let mut block = self.old.get(place).copied();
            while let Some((_, fate)) = fates.next_if(|(at, _)| *at == place) {
                match fate {
                    Fate::Preceded(mut new) => {
                        new.lead += std::mem::take(&mut inherited);
                        blocks.push(new);
                    }
                    Fate::Replaced(new) => block = Some(new),
                    Fate::Removed => {
                        inherited += block.take().map_or(0, |block| block.lead);
                    }
                }
            }
            if let Some(mut block) = block {
                block.lead += std::mem::take(&mut inherited);
                blocks.push(block);
            }
        }
        // What the last block leaves behind belongs to the rest of the file.
        let header = self.offsets.first().copied().unwrap_or(0);
        Plan {
            edits: self.edits,
            layout: Layout::Blocks { header, blocks },
        }
    }
}

/// Keeps `tasks: {}` and `tasks:` apart when the list becomes empty or stops being so.
fn mark_empty(text: &str, header: usize, plan: &mut Plan, was_empty: bool) {
    let Layout::Blocks {
        header: new_header,
        blocks,
    } = &mut plan.layout
    else {
        return;
    };
    let (from, to) = match (was_empty, blocks.is_empty()) {
        (true, false) => (NO_TASKS, TASKS),
        (false, true) => (TASKS, NO_TASKS),
        (true, true) | (false, false) => return,
    };
    let Some(start) = header.checked_sub(from.len()) else {
        return;
    };
    if text.get(start..header) == Some(from) {
        *new_header = header - from.len() + to.len();
        plan.edits.insert(
            0,
            Edit {
                range: start..header,
                text: to.to_owned(),
            },
        );
    }
}

/// Reads back what was written for a task; tells whether it is in canonical form.
fn check(text: &str, task: &Arc<Task>) -> Result<bool, TaskId> {
    if quick::read(text, &mut String::new()).as_ref() == Some(&**task) {
        return Ok(true);
    }
    match read_block(text, task.updated) {
        Some(read) if read == **task => Ok(false),
        _ => Err(task.id),
    }
}

/// Reads back a whole file that was written anew.
fn check_whole(text: &str, board: &Board) -> Result<(), TaskId> {
    let read = Loaded::read(text.to_owned(), Timestamp::from_millis(0));
    let differs = |task: &&Arc<Task>| {
        let read = read.as_ref().ok().and_then(|read| read.board.get(task.id));
        read != Some(*task)
    };
    board
        .by_id()
        .find(differs)
        .map_or(Ok(()), |task| Err(task.id))
}

/// Writes a task anew that was not in canonical form, from its own text.
fn rewrite(source: &str, before: &Task, after: &Task) -> Option<String> {
    let (first_line, _) = source.split_once('\n')?;
    let root = parse(source).ok()??;
    let Kind::Map { entries, .. } = &root.kind else {
        return None;
    };
    let [entry] = entries.as_slice() else {
        return None;
    };
    let fields = retain::task(source, &entry.value, source.len(), before, after);
    // The line of the id keeps its comment, unless the whole task stood on it.
    let stands_alone = entry.value.at.line > 1;
    let id_line = if stands_alone {
        first_line.to_owned()
    } else {
        format!("  {}:", after.id)
    };
    Some(format!("{id_line}\n{fields}"))
}

/// A block that was found but not read: its id, and the bytes of its lead and of its body.
type Span = (TaskId, usize, usize);

/// Finds the header and the blocks of a text; `None` where it is laid out otherwise.
fn split(text: &str) -> Option<(usize, Vec<Span>)> {
    if !text.ends_with('\n') || text.contains('\r') {
        return None;
    }
    let header = find_header(text)?;
    let body = text.get(header..)?;
    let (spans, end) = split_blocks(body)?;
    let frame = format!("{}{}", text.get(..header)?, body.get(end..)?);
    let empty = text.get(..header)?.ends_with(NO_TASKS);
    if empty && !spans.is_empty() {
        return None;
    }
    foreign::is_plain_frame(&frame).then_some((header, spans))
}

/// The bytes up to and including the line `tasks:`.
fn find_header(text: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        if line == TASKS || line == NO_TASKS {
            return Some(offset);
        }
    }
    None
}

/// Finds the blocks: for each its id and the bytes of its lead and of its body. Also says where the last one ends.
fn split_blocks(body: &str) -> Option<(Vec<Span>, usize)> {
    let mut spans: Vec<Span> = Vec::new();
    let mut seen = HashSet::new();
    // Blank lines and comments whose place is not yet clear.
    let mut pending = 0;
    let mut end = 0;
    for line in body.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let vague = content == "\n" || content.starts_with('#');
        if vague && indent <= 2 {
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
            end += pending + line.len();
            pending = 0;
        } else if indent == 0 {
            break;
        } else {
            return None;
        }
    }
    Some((spans, end))
}

type ReadBlocks = (Vec<Block>, Vec<Arc<Task>>);

/// Reads the task of each block; `None` where one can't be read by itself.
fn read_blocks(text: &str, start: usize, spans: &[Span], written: Timestamp) -> Option<ReadBlocks> {
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
fn read_block(block: &str, written: Timestamp) -> Option<Task> {
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

const CHUNK: usize = 4096;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let chunks = a
        .chunks(CHUNK)
        .zip(b.chunks(CHUNK))
        .take_while(|(a, b)| a == b);
    let same: usize = chunks.map(|(a, _)| a.len()).sum();
    let (a, b) = (
        a.get(same..).unwrap_or_default(),
        b.get(same..).unwrap_or_default(),
    );
    same + a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let chunks = a
        .rchunks(CHUNK)
        .zip(b.rchunks(CHUNK))
        .take_while(|(a, b)| a == b);
    let same: usize = chunks.map(|(a, _)| a.len()).sum();
    let (a, b) = (a.get(..a.len() - same), b.get(..b.len() - same));
    let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
    same + a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}
