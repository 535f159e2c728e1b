//! Brings together what two branches made of one board. Nothing is lost: where both changed the same thing, the later
//! change counts, and words that it replaces are kept below the description.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::graph::find_cycle;
use crate::{Board, Description, Subtask, Task, TaskId, Title};

/// A board that was made from two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The board.
    pub board: Board,
    /// Where the two did not agree, and what became of it.
    pub notes: Vec<MergeNote>,
}

/// Something that the two boards did not agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeNote {
    /// The task.
    pub task: TaskId,
    /// What became of it.
    pub kind: Disagreement,
}

/// What two boards did not agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disagreement {
    /// Both changed this field; the later change counts.
    Field(&'static str),
    /// One deleted the task, the other changed it: it stays.
    KeptThoughDeleted,
    /// Both added a subtask under one number: the second got a new one.
    SubtaskRenumbered,
    /// Both changed fields or comments that are not ours: those of our side count.
    OthersFields,
    /// The two together would have made a cycle: the last wait was left out.
    CycleBroken,
}

/// Brings two boards together that came from one.
pub fn merge(base: &Board, ours: &Board, theirs: &Board) -> Merged {
    let mut notes = Vec::new();
    let ids: BTreeSet<TaskId> = [base, ours, theirs]
        .into_iter()
        .flat_map(Board::by_id)
        .map(|task| task.id)
        .collect();
    let tasks = ids.into_iter().filter_map(|id| {
        let (base, ours, theirs) = (base.get(id), ours.get(id), theirs.get(id));
        match (base, ours, theirs) {
            (_, Some(ours), Some(theirs)) if ours == theirs => Some(Arc::clone(ours)),
            (_, Some(ours), Some(theirs)) => {
                let both = both(base.map(AsRef::as_ref), ours, theirs, &mut notes);
                Some(Arc::new(both))
            }
            (None, Some(new), None) | (None, None, Some(new)) => Some(Arc::clone(new)),
            (Some(base), Some(kept), None) | (Some(base), None, Some(kept)) => {
                let changed = kept != base;
                if changed {
                    let kind = Disagreement::KeptThoughDeleted;
                    notes.push(MergeNote { task: id, kind });
                }
                changed.then(|| Arc::clone(kept))
            }
            (_, None, None) => None,
        }
    });
    let mut board = Board::from_tasks(tasks.collect::<Vec<_>>());
    mend_waiting(&mut board, &mut notes);
    Merged { board, notes }
}

/// What is known of a task that both have.
struct Both<'a> {
    base: Option<&'a Task>,
    ours: &'a Task,
    theirs: &'a Task,
    notes: &'a mut Vec<MergeNote>,
}

/// One task that both have.
fn both(base: Option<&Task>, ours: &Task, theirs: &Task, notes: &mut Vec<MergeNote>) -> Task {
    let mut both = Both {
        base,
        ours,
        theirs,
        notes,
    };
    // Taken apart completely: a field that is new must be thought of here.
    let mut merged = Task {
        id: ours.id,
        title: both.choose("title", |task| task.title.clone()),
        active_form: both.choose("active form", |task| task.active_form.clone()),
        description: both.choose("description", |task| task.description.clone()),
        priority: both.choose("priority", |task| task.priority),
        rank: both.choose("place", |task| task.rank.clone()),
        waits_for: both.waits_for(),
        created: ours.created.min(theirs.created),
        updated: ours.updated.max(theirs.updated),
        status: ours.status,
        assignee: None,
        completed: None,
        subtasks: Vec::new(),
        next_subtask: ours.next_subtask.max(theirs.next_subtask),
    };
    // Who has it and when it was completed follow from where it stands.
    let standing = |task: &Task| (task.status, task.assignee.clone(), task.completed);
    (merged.status, merged.assignee, merged.completed) = both.choose("status", standing);
    both.merge_subtasks(&mut merged);
    both.keep_words(&mut merged);
    merged
}

impl Both<'_> {
    fn note(&mut self, kind: Disagreement) {
        let task = self.ours.id;
        self.notes.push(MergeNote { task, kind });
    }

    fn newer(&self) -> &Task {
        if self.theirs.updated > self.ours.updated {
            self.theirs
        } else {
            self.ours
        }
    }

    fn older(&self) -> &Task {
        if self.theirs.updated > self.ours.updated {
            self.ours
        } else {
            self.theirs
        }
    }

    /// The field of the side that changed it; of the newer one where both did.
    fn choose<T: PartialEq>(&mut self, name: &'static str, field: impl Fn(&Task) -> T) -> T {
        let (ours, theirs) = (field(self.ours), field(self.theirs));
        let base = self.base.map(&field);
        if ours == theirs || base.as_ref() == Some(&theirs) {
            return ours;
        }
        if base.as_ref() == Some(&ours) {
            return theirs;
        }
        self.note(Disagreement::Field(name));
        field(self.newer())
    }

    /// Everything that one of them waits for, but what either no longer does.
    fn waits_for(&self) -> Vec<TaskId> {
        let base = self.base.map_or(&[][..], |task| task.waits_for.as_slice());
        let (ours, theirs) = (&self.ours.waits_for, &self.theirs.waits_for);
        let stays = |id: &TaskId| !base.contains(id) || (ours.contains(id) && theirs.contains(id));
        let new = theirs.iter().filter(|id| !ours.contains(id));
        ours.iter().chain(new).copied().filter(stays).collect()
    }

    /// Subtasks by their numbers. Two that were added under one number are two subtasks.
    fn merge_subtasks(&mut self, merged: &mut Task) {
        let find = |task: &Task, number: u32| {
            let mut subtasks = task.subtasks.iter();
            subtasks.find(|subtask| subtask.number == number).cloned()
        };
        let all = self.ours.subtasks.iter().chain(&self.theirs.subtasks);
        let numbers: BTreeSet<u32> = all.map(|subtask| subtask.number).collect();
        let mut late = Vec::new();
        for number in numbers {
            let base = self.base.and_then(|task| find(task, number));
            match (base, find(self.ours, number), find(self.theirs, number)) {
                (_, Some(ours), Some(theirs)) if ours == theirs => merged.subtasks.push(ours),
                (None, Some(ours), Some(theirs)) => {
                    merged.subtasks.push(ours);
                    late.push(theirs);
                }
                (Some(base), Some(ours), Some(theirs)) => {
                    let merged_subtask = self.merge_subtask(&base, &ours, &theirs);
                    merged.subtasks.push(merged_subtask);
                }
                (None, Some(new), None) | (None, None, Some(new)) => merged.subtasks.push(new),
                // Deleted by one: gone, unless the other changed it.
                (Some(base), Some(kept), None) | (Some(base), None, Some(kept)) => {
                    if kept != base {
                        merged.subtasks.push(kept);
                    }
                }
                (_, None, None) => {}
            }
        }
        for subtask in late {
            self.note(Disagreement::SubtaskRenumbered);
            let number = merged.next_subtask;
            merged.next_subtask = number.saturating_add(1);
            merged.subtasks.push(Subtask { number, ..subtask });
        }
    }

    /// One subtask that both have, field by field; words that are replaced are kept below its description.
    fn merge_subtask(&mut self, base: &Subtask, ours: &Subtask, theirs: &Subtask) -> Subtask {
        let newer_is_theirs = self.theirs.updated > self.ours.updated;
        let (newer, older) = if newer_is_theirs {
            (theirs, ours)
        } else {
            (ours, theirs)
        };
        let changed = (
            older.title != base.title && newer.title != base.title && older.title != newer.title,
            older.description != base.description
                && newer.description != base.description
                && older.description != newer.description,
            older.status != base.status
                && newer.status != base.status
                && older.status != newer.status,
        );
        let mut lost = Vec::new();
        if changed.0 {
            lost.push(older.title.as_str());
        }
        if changed.1 {
            lost.extend(older.description.iter().map(Description::as_str));
        }
        if changed != (false, false, false) {
            self.note(Disagreement::Field("subtask"));
        }
        // The newer side's, unless only the older one changed it.
        let untouched = |same: bool| if same { older } else { newer };
        let description = &untouched(newer.description == base.description).description;
        let text = description.as_ref().map_or("", |text| text.as_str());
        Subtask {
            number: ours.number,
            title: untouched(newer.title == base.title).title.clone(),
            description: with_words(text, &lost).or_else(|| description.clone()),
            status: untouched(newer.status == base.status).status,
        }
    }

    /// Keeps words of the older side that the newer one replaced, where both had changed them.
    fn keep_words(&self, merged: &mut Task) {
        let older = self.older();
        let mut lost = Vec::new();
        let base_title = self.base.map(|task| &task.title);
        if older.title != merged.title && base_title != Some(&older.title) {
            lost.push(older.title.as_str());
        }
        let base_text = self.base.map(|task| &task.description);
        if older.description != merged.description && base_text != Some(&older.description) {
            lost.extend(older.description.iter().map(Description::as_str));
        }
        let base_form = self.base.map(|task| &task.active_form);
        if older.active_form != merged.active_form && base_form != Some(&older.active_form) {
            lost.extend(older.active_form.iter().map(Title::as_str));
        }
        let text = merged.description.as_ref().map_or("", |text| text.as_str());
        // A text that would be too long stays as it is; the note says that the two did not agree.
        if let Some(description) = with_words(text, &lost) {
            merged.description = Some(description);
        }
    }
}

/// A text with words below it that would be lost otherwise; `None` where there are none, or no room for them.
fn with_words(text: &str, lost: &[&str]) -> Option<Description> {
    let mut kept = text.to_owned();
    for lost in lost.iter().filter(|lost| !text.contains(**lost)) {
        let gap = if kept.is_empty() { "" } else { "\n\n" };
        kept.push_str(&format!("{gap}From the other branch:\n{lost}"));
    }
    Description::parse(&kept).ok().flatten()
}

/// Takes waits away that lead nowhere, and the last one of each cycle that neither branch had.
fn mend_waiting(board: &mut Board, notes: &mut Vec<MergeNote>) {
    let waiting: Vec<Arc<Task>> = board
        .by_id()
        .filter(|task| !task.waits_for.is_empty())
        .cloned()
        .collect();
    for task in waiting {
        let mut kept: Vec<TaskId> = Vec::with_capacity(task.waits_for.len());
        for &target in &task.waits_for {
            if board.get(target).is_none() {
                continue;
            }
            let waits_for = |id| {
                let there = board.get(id).filter(|_| id != task.id);
                there.map_or(&[][..], |task| task.waits_for.as_slice())
            };
            if find_cycle(task.id, &[target], waits_for).is_some() {
                let kind = Disagreement::CycleBroken;
                notes.push(MergeNote {
                    task: task.id,
                    kind,
                });
            } else {
                kept.push(target);
            }
        }
        if kept != task.waits_for {
            let waits_for = kept;
            board.put(Arc::new(Task {
                waits_for,
                ..Task::clone(&task)
            }));
        }
    }
}
