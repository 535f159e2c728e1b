//! Plans how a change is made to a text of blocks: which pieces of it are replaced, and which blocks there are afterwards.
//! Every new piece is read back before it is used.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use todori_domain::{Change, Task, TaskId};

use super::split::{Block, NONE, TASKS, TasksLine, read_block, tasks_line};
use super::{emit, quick, retain};

/// A piece of text to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// The pieces to replace, in order, and the header and the blocks of the text afterwards.
pub(super) type Planned = (Vec<Edit>, usize, Vec<Block>);

/// Plans a change. `Err` names the task that could not be written so that it reads back the same.
pub(super) fn plan(
    text: &str,
    header: usize,
    blocks: &[Block],
    change: &Change,
    sources: &BTreeMap<TaskId, String>,
) -> Result<Planned, TaskId> {
    let mut planner = Planner {
        text,
        sources,
        offsets: offsets(header, blocks),
        sorted: blocks.is_sorted_by_key(|block| block.id),
        old: blocks,
        edits: Vec::new(),
        block_changes: Vec::new(),
    };
    for task in &change.tasks {
        match (&task.before, &task.after) {
            (Some(before), Some(after)) => planner.replace(before, after)?,
            (None, Some(after)) => planner.insert(after)?,
            (Some(before), None) => planner.delete(before)?,
            (None, None) => {}
        }
    }
    let (mut edits, new_blocks) = planner.finish();
    let marked = mark_empty(text, header, !new_blocks.is_empty());
    let mut new_header = header;
    if let Some(edit) = marked {
        new_header = header - edit.range.len() + edit.text.len();
        edits.insert(0, edit);
    }
    Ok((edits, new_header, new_blocks))
}

/// Where each block begins, its lead included, and where the last one ends.
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
    text: &'a str,
    /// The former texts of tasks that come back.
    sources: &'a BTreeMap<TaskId, String>,
    old: &'a [Block],
    offsets: Vec<usize>,
    sorted: bool,
    edits: Vec<Edit>,
    /// What happens to the block at a place: it is replaced or removed, or another one is put before it.
    block_changes: Vec<(usize, BlockChange)>,
}

enum BlockChange {
    Replaced(Block),
    /// Removed; its lead goes to the next block.
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
            let source = self.text.get(range.clone()).ok_or(id)?;
            text = retain::block(source, before, after).ok_or(id)?;
        }
        let canonical = check(&text, after)?;
        let body = text.len();
        self.block_changes.push((
            place,
            BlockChange::Replaced(Block {
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
        let source = self.sources.get(&task.id);
        let restored = source.and_then(|source| {
            let old = read_block(source, task.updated)?;
            retain::block(source, &old, task).filter(|text| check(text, task).is_ok())
        });
        let text = restored.unwrap_or_else(|| {
            let mut text = String::new();
            emit::task(&mut text, task);
            text
        });
        let canonical = check(&text, task)?;
        let block = Block {
            id: task.id,
            lead: 0,
            body: text.len(),
            canonical,
        };
        self.block_changes
            .push((place, BlockChange::Preceded(block)));
        self.edits.push(Edit {
            range: at..at,
            text,
        });
        Ok(())
    }

    fn delete(&mut self, task: &Task) -> Result<(), TaskId> {
        let (place, block, start) = self.block(task.id)?;
        self.block_changes.push((place, BlockChange::Removed));
        self.edits.push(Edit {
            range: start..start + block.body,
            text: String::new(),
        });
        Ok(())
    }

    fn finish(mut self) -> (Vec<Edit>, Vec<Block>) {
        // A stable sort, so that tasks inserted at the same place stay in the order of their ids.
        self.edits.sort_by_key(|edit| edit.range.start);
        self.block_changes
            .sort_by_key(|(place, change)| (*place, !matches!(change, BlockChange::Preceded(_))));
        let mut blocks: Vec<Block> = Vec::with_capacity(self.old.len() + self.block_changes.len());
        // How many of the old blocks are settled, and the length of the leads of removed blocks.
        let (mut settled, mut inherited) = (0, 0);
        for (place, change) in self.block_changes {
            let between = self.old.get(settled..place).unwrap_or_default();
            push_all(&mut blocks, between, &mut inherited);
            settled = settled.max(place);
            match change {
                BlockChange::Preceded(new) => push_all(&mut blocks, &[new], &mut inherited),
                BlockChange::Replaced(new) => {
                    push_all(&mut blocks, &[new], &mut inherited);
                    settled = place + 1;
                }
                BlockChange::Removed => {
                    inherited += self.old.get(place).map_or(0, |block| block.lead);
                    settled = place + 1;
                }
            }
        }
        let rest = self.old.get(settled..).unwrap_or_default();
        push_all(&mut blocks, rest, &mut inherited);
        // The lead of a removed last block belongs to the rest of the file.
        (self.edits, blocks)
    }
}

/// Adds blocks, the first of them with the leads of removed blocks.
fn push_all(blocks: &mut Vec<Block>, more: &[Block], inherited: &mut usize) {
    let first = blocks.len();
    blocks.extend_from_slice(more);
    if let Some(first) = blocks.get_mut(first) {
        first.lead += std::mem::take(inherited);
    }
}

/// Puts `{}` after `tasks:` when the last task goes, and removes it when the first one comes. Everything else on that line
/// stays.
fn mark_empty(text: &str, header: usize, filled: bool) -> Option<Edit> {
    let before = text.get(..header)?;
    let start = before
        .trim_end_matches('\n')
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let line = before.get(start..)?;
    let behind = start + TASKS.len();
    match (tasks_line(line)?, filled) {
        (TasksLine::Empty, true) => {
            let end = line.find(NONE)? + NONE.len();
            Some(Edit {
                range: behind..start + end,
                text: String::new(),
            })
        }
        (TasksLine::Listed, false) => Some(Edit {
            range: behind..behind,
            text: format!(" {NONE}"),
        }),
        (TasksLine::Empty, false) | (TasksLine::Listed, true) => None,
    }
}

/// Reads back what was written for a task; returns whether it is in canonical form.
fn check(text: &str, task: &Arc<Task>) -> Result<bool, TaskId> {
    if quick::read(text, &mut String::new()).as_ref() == Some(&**task) {
        return Ok(true);
    }
    match read_block(text, task.updated) {
        Some(read) if read == **task => Ok(false),
        _ => Err(task.id),
    }
}
