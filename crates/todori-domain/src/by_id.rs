//! Tasks sorted by id, in one piece of memory: a board is copied for every change that is decided on, and this is
//! copied faster than a tree.

use std::sync::Arc;

use crate::{Task, TaskId};

/// Tasks sorted by id, none twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ById {
    /// The ids stand beside the tasks, so that finding one does not touch the others.
    entries: Vec<(TaskId, Arc<Task>)>,
}

impl ById {
    fn place(&self, id: TaskId) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&id, |(known, _)| *known)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, id: TaskId) -> Option<&Arc<Task>> {
        let place = self.place(id).ok()?;
        self.entries.get(place).map(|(_, task)| task)
    }

    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &Arc<Task>> {
        self.entries.iter().map(|(_, task)| task)
    }

    /// The tasks from this id on.
    pub(crate) fn from(&self, id: TaskId) -> impl Iterator<Item = &Arc<Task>> {
        let (Ok(place) | Err(place)) = self.place(id);
        self.entries.iter().skip(place).map(|(_, task)| task)
    }

    /// The task before this id.
    pub(crate) fn before(&self, id: TaskId) -> Option<&Arc<Task>> {
        let (Ok(place) | Err(place)) = self.place(id);
        self.entries
            .get(place.checked_sub(1)?)
            .map(|(_, task)| task)
    }

    pub(crate) fn insert(&mut self, task: Arc<Task>) {
        match self.place(task.id) {
            Ok(place) => {
                if let Some(entry) = self.entries.get_mut(place) {
                    entry.1 = task;
                }
            }
            Err(place) => self.entries.insert(place, (task.id, task)),
        }
    }

    pub(crate) fn remove(&mut self, id: TaskId) -> Option<Arc<Task>> {
        self.place(id)
            .ok()
            .map(|place| self.entries.remove(place).1)
    }
}

impl FromIterator<Arc<Task>> for ById {
    /// Of several tasks with one id the last counts.
    fn from_iter<I: IntoIterator<Item = Arc<Task>>>(tasks: I) -> Self {
        let mut entries: Vec<(TaskId, Arc<Task>)> =
            tasks.into_iter().map(|task| (task.id, task)).collect();
        // The sort is stable; turning the list round before and after keeps the last of each.
        entries.reverse();
        entries.sort_by_key(|(id, _)| *id);
        entries.dedup_by_key(|(id, _)| *id);
        Self { entries }
    }
}
