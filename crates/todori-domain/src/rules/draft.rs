//! A board while it is being decided on. Remembers which tasks were touched; stamps nothing that did not change.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Decision;
use crate::{Board, Change, Moment, Presence, Refusal, Task, TaskChange, TaskId, TaskRef};

pub(super) struct Draft<'a> {
    original: &'a Arc<Board>,
    board: Board,
    touched: BTreeSet<TaskId>,
    pub(super) moment: &'a Moment,
    pub(super) presence: &'a dyn Presence,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        original: &'a Arc<Board>,
        moment: &'a Moment,
        presence: &'a dyn Presence,
    ) -> Self {
        let board = Board::clone(original);
        Self {
            original,
            board,
            touched: BTreeSet::new(),
            moment,
            presence,
        }
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// A copy of the task that the caller means, to be changed and put back.
    pub(super) fn task(&self, reference: &TaskRef) -> Result<Task, Refusal> {
        self.board.resolve(reference).map(|task| Task::clone(task))
    }

    /// Puts a task on the board, stamped with this moment if it differs from what is there. What is done to a task in
    /// the request that adds it belongs to adding it, and is no later change.
    pub(super) fn put(&mut self, mut task: Task) {
        let there = self.board.get(task.id);
        if there.is_some_and(|there| **there == task) {
            return;
        }
        let is_being_added = there.is_some() && self.original.get(task.id).is_none();
        if !is_being_added {
            task.updated = self.moment.at;
        }
        self.touched.insert(task.id);
        self.board.put(Arc::new(task));
    }

    /// Puts tasks on the board without a stamp: what was missing is filled in, nobody changed anything.
    pub(super) fn fill_in(&mut self, tasks: Vec<Task>) {
        self.touched.extend(tasks.iter().map(|task| task.id));
        self.board.put_all(tasks.into_iter().map(Arc::new));
    }

    pub(super) fn remove(&mut self, id: TaskId) {
        self.touched.insert(id);
        self.board.remove(id);
    }

    pub(super) fn finish(self) -> Decision {
        let changed = self.touched.into_iter().filter_map(|id| {
            let (before, after) = (self.original.get(id), self.board.get(id));
            let differs = match (before, after) {
                (Some(before), Some(after)) => !same_but_for_stamp(before, after),
                (None, None) => false,
                (Some(_), None) | (None, Some(_)) => true,
            };
            differs.then(|| TaskChange {
                before: before.cloned(),
                after: after.cloned(),
            })
        });
        let tasks: Vec<TaskChange> = changed.collect();
        // What was changed back and forth within one request is no change; the old board says so exactly.
        let board = if tasks.is_empty() {
            Arc::clone(self.original)
        } else {
            Arc::new(self.board)
        };
        Decision {
            change: Change { tasks },
            board,
            undoes: Arc::default(),
        }
    }
}

/// Whether only the time of the last change differs.
fn same_but_for_stamp(before: &Task, after: &Task) -> bool {
    let stamped = Task {
        updated: before.updated,
        ..after.clone()
    };
    *before == stamped
}
