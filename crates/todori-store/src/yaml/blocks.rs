//! The file as a sequence of blocks, one for each task. A change replaces the blocks of the tasks that changed and
//! leaves all other bytes alone; a reload reads only the blocks that differ.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use todori_domain::{Board, Change, TaskChange, TaskId, Timestamp};

use super::line_ends::{self, LineEnds};
use super::own_texts::OwnTexts;
use super::plan::{self, Edit};
use super::split::{Block, BlockSpans, read_blocks, split, split_blocks};
use super::syntax::Fault;
use super::{other_layouts, relayout};

/// A file that was read: its text, where its tasks are in it, and what they contain.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    /// The text, with newlines as line endings, whatever the file has.
    pub(crate) text: String,
    pub(crate) board: Arc<Board>,
    layout: Layout,
    line_ends: LineEnds,
    /// The content of the file, if it differs from the text.
    raw: Option<String>,
}

#[derive(Debug, Clone)]
enum Layout {
    /// `tasks:` is a mapping in block style: bytes of the header, then one block after the other, then the rest.
    Blocks { header: usize, blocks: Vec<Block> },
    /// Anything else that can be read; the next write converts it to our layout. `written` is when the file was.
    Other { written: Timestamp },
}

/// How a change is made to a file: pieces to replace, in order, and the layout afterwards.
#[derive(Debug)]
pub(crate) struct Plan {
    edits: Vec<Edit>,
    layout: Layout,
}

/// The text of a file, piece by piece.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) header: &'a str,
    /// In the order of the file.
    pub(crate) blocks: Vec<(TaskId, &'a str)>,
    pub(crate) rest: &'a str,
}

pub(super) const EMPTY: &str = "version: 1\ntasks: {}\n";
/// Up to this many edits are made in place; more would move the rest of the text too often.
const EDITS_IN_PLACE: usize = 2;

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
            line_ends: LineEnds::Unix,
            raw: None,
        }
    }

    /// Reads a whole file. `written` stands in for times that are missing in tasks written by hand.
    pub(crate) fn read(raw: String, written: Timestamp) -> Result<Self, Fault> {
        Self::normalize(raw).finish(None, written)
    }

    /// Reads a file again after it changed; only the blocks that differ, if they can be told apart.
    pub(crate) fn read_again(&self, raw: String, written: Timestamp) -> Result<Self, Fault> {
        Self::normalize(raw).finish(Some(self), written)
    }

    fn normalize(raw: String) -> Unread {
        match line_ends::normalize(&raw) {
            None => Unread {
                text: raw,
                line_ends: LineEnds::Unix,
                raw: None,
            },
            Some((text, line_ends)) => Unread {
                text,
                line_ends,
                raw: Some(raw),
            },
        }
    }

    /// The content of the file, byte for byte.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.content().as_bytes()
    }

    /// The same as text.
    pub(crate) fn content(&self) -> &str {
        self.raw.as_ref().unwrap_or(&self.text)
    }

    /// Whether the file is in our layout.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.layout, Layout::Blocks { .. })
    }

    /// The texts of the tasks that are not what we would write: with fields or comments of others, or in another form.
    pub(crate) fn own_texts(&self) -> impl Iterator<Item = (TaskId, &str)> {
        let (mut offset, blocks) = match &self.layout {
            Layout::Blocks { header, blocks } => (*header, blocks.as_slice()),
            Layout::Other { .. } => (0, &[][..]),
        };
        blocks.iter().filter_map(move |block| {
            let start = offset + block.lead;
            offset += block.len();
            let text = self.text.get(start..start + block.body)?;
            (!block.canonical).then_some((block.id, text))
        })
    }

    /// Those of some tasks.
    pub(crate) fn own_texts_of(&self, is_wanted: impl Fn(TaskId) -> bool) -> OwnTexts {
        let wanted = self.own_texts().filter(|(id, _)| is_wanted(*id));
        wanted.map(|(id, text)| (id, text.to_owned())).collect()
    }

    /// The text of one of them.
    pub(crate) fn own_text(&self, id: TaskId) -> Option<&str> {
        let mut texts = self.own_texts();
        texts.find(|(own, _)| *own == id).map(|(_, text)| text)
    }

    /// The text piece by piece; `None` if it is in another layout.
    pub(crate) fn parts(&self) -> Option<Parts<'_>> {
        let Layout::Blocks { header, blocks } = &self.layout else {
            return None;
        };
        let mut offset = *header;
        let mut found = Vec::with_capacity(blocks.len());
        for block in blocks {
            let end = offset + block.len();
            found.push((block.id, self.text.get(offset..end)?));
            offset = end;
        }
        Some(Parts {
            header: self.text.get(..*header)?,
            blocks: found,
            rest: self.text.get(offset..)?,
        })
    }

    /// A text with the line endings of this file.
    pub(crate) fn with_line_ends(&self, text: &str) -> String {
        line_ends::with(text, self.line_ends).into_owned()
    }

    fn read_difference(&self, text: &str, written: Timestamp) -> Option<(Arc<Board>, Layout)> {
        let Layout::Blocks { header, blocks } = &self.layout else {
            return None;
        };
        let old = self.text.as_bytes();
        let same_before = common_prefix(old, text.as_bytes());
        let same_after =
            common_suffix(old.get(same_before..)?, text.as_bytes().get(same_before..)?);
        // The blocks that the difference touches, and one more on each side: a difference between two blocks touches both.
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
        let BlockSpans {
            spans,
            end: rest,
            keeps_blanks,
        } = split_blocks(region)?;
        // Blank lines after the last block may belong to it now.
        if rest != region.len() || (keeps_blanks && last == blocks.len()) {
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
            // The same id is in another part of the file; the full reader reports where.
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

    /// Plans a change that leads to the board `after`. `Err` names the task that could not be written so that it reads
    /// back the same. `sources` are the former texts of tasks that come back.
    pub(crate) fn plan(
        &self,
        change: &Change,
        after: &Board,
        sources: &BTreeMap<TaskId, String>,
    ) -> Result<Plan, TaskId> {
        match &self.layout {
            Layout::Blocks { header, blocks } => {
                let (edits, header, blocks) =
                    plan::plan(&self.text, *header, blocks, change, sources)?;
                Ok(Plan {
                    edits,
                    layout: Layout::Blocks { header, blocks },
                })
            }
            Layout::Other { written } => {
                let Some(first) = change.tasks.iter().find_map(TaskChange::id) else {
                    let (edits, layout) = (Vec::new(), self.layout.clone());
                    return Ok(Plan { edits, layout });
                };
                let ours = relayout::relayout(&self.text, &self.board, *written).ok_or(first)?;
                let Plan { edits, layout } = ours.plan(change, after, sources)?;
                let text = spliced(&ours.text, &edits);
                check_whole(&text, after, *written)?;
                let edits = vec![Edit {
                    range: 0..self.text.len(),
                    text,
                }];
                Ok(Plan { edits, layout })
            }
        }
    }

    /// The content of the file after the planned change, in pieces: unchanged parts are borrowed, not copied.
    pub(crate) fn pieces<'a>(&'a self, plan: &'a Plan) -> Vec<Cow<'a, [u8]>> {
        match self.line_ends {
            LineEnds::Unix => {
                let pieces = pieces(&self.text, &plan.edits);
                pieces.map(|piece| piece.as_bytes().into()).collect()
            }
            LineEnds::Windows => {
                let text = spliced(&self.text, &plan.edits);
                let text = line_ends::with(&text, LineEnds::Windows).into_owned();
                vec![text.into_bytes().into()]
            }
        }
    }

    /// Makes the planned change to the text and the layout. Returns the board as it was.
    pub(crate) fn apply(&mut self, plan: Plan, board: Arc<Board>) -> Arc<Board> {
        let Plan { edits, layout } = plan;
        if edits.len() <= EDITS_IN_PLACE {
            for edit in edits.iter().rev() {
                self.text.replace_range(edit.range.clone(), &edit.text);
            }
        } else {
            self.text = spliced(&self.text, &edits);
        }
        self.raw = match self.line_ends {
            LineEnds::Unix => None,
            LineEnds::Windows => Some(line_ends::with(&self.text, LineEnds::Windows).into_owned()),
        };
        self.layout = layout;
        std::mem::replace(&mut self.board, board)
    }
}

/// A text that is not parsed yet.
struct Unread {
    text: String,
    line_ends: LineEnds,
    raw: Option<String>,
}

impl Unread {
    fn finish(self, known: Option<&Loaded>, written: Timestamp) -> Result<Loaded, Fault> {
        let Self {
            text,
            line_ends,
            raw,
        } = self;
        let difference = known.and_then(|known| known.read_difference(&text, written));
        let read = difference.or_else(|| read_all(&text, written));
        let (board, layout) = if let Some(read) = read {
            read
        } else {
            let tasks = other_layouts::read(&text, written)?;
            let board = Board::from_tasks(tasks.into_iter().map(Arc::new));
            (Arc::new(board), Layout::Other { written })
        };
        Ok(Loaded {
            text,
            board,
            layout,
            line_ends,
            raw,
        })
    }
}

/// Reads a text block by block; `None` if it is in another layout.
fn read_all(text: &str, written: Timestamp) -> Option<(Arc<Board>, Layout)> {
    let (header, spans) = split(text)?;
    let (blocks, tasks) = read_blocks(text, header, &spans, written)?;
    let board = Arc::new(Board::from_tasks(tasks));
    Some((board, Layout::Blocks { header, blocks }))
}

/// The new text in pieces: unchanged and new ones in turn.
fn pieces<'a>(text: &'a str, edits: &'a [Edit]) -> impl Iterator<Item = &'a str> {
    let starts = std::iter::once(0).chain(edits.iter().map(|edit| edit.range.end));
    let ends = edits.iter().map(|edit| edit.range.start);
    let kept = starts
        .zip(ends.chain(std::iter::once(text.len())))
        .map(|(start, end)| text.get(start..end).unwrap_or_default());
    let new = edits.iter().map(|edit| edit.text.as_str());
    kept.zip(new.chain(std::iter::once("")))
        .flat_map(|(kept, new)| [kept, new])
}

fn spliced(text: &str, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(pieces(text, edits).map(str::len).sum());
    pieces(text, edits).for_each(|piece| new.push_str(piece));
    new
}

/// Reads back a whole file that was converted to our layout.
fn check_whole(text: &str, board: &Board, written: Timestamp) -> Result<(), TaskId> {
    let read = Loaded::read(text.to_owned(), written).ok();
    let differs = |id: TaskId| {
        read.as_ref()
            .is_none_or(|read| read.board.get(id) != board.get(id))
    };
    let mut ids = board.by_id().map(|task| task.id);
    ids.find(|&id| differs(id)).map_or(Ok(()), Err)
}

const CHUNK: usize = 4096;

pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
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

pub(super) fn common_suffix(a: &[u8], b: &[u8]) -> usize {
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
