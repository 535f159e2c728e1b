//! What the history says that the board is: the tasks as they were last known. What the board is instead was changed
//! outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use todori_domain::{Board, Task, TaskChange, TaskId, Timestamp};

use super::history::Line;
use super::history_files::{self, KEPT, Met};
use super::own_texts::OwnTexts;
use super::paths::Paths;

/// The tasks as they were last known.
#[derive(Default)]
pub(crate) struct Remembered {
    tasks: BTreeMap<TaskId, Option<Arc<Task>>>,
    /// The texts that held more than a task.
    pub(crate) texts: OwnTexts,
    /// The time of the last line.
    last: Option<Timestamp>,
    /// How many tasks of a board are still to come, if one was begun: none once it is whole.
    missing: Option<u64>,
}

impl Remembered {
    /// Knows all of a board.
    pub(crate) fn all_of(board: &Board) -> Self {
        let tasks = board.by_id().map(|task| (task.id, Some(Arc::clone(task))));
        Self {
            tasks: tasks.collect(),
            texts: OwnTexts::new(),
            last: None,
            missing: Some(0),
        }
    }

    /// Reads the history, as far back as the newest board that was written down.
    pub(crate) fn read(paths: &Paths) -> Self {
        let mut remembered = Self::default();
        let begins = (0..KEPT).find(|&age| begins_with_board(paths, age));
        for age in (0..=begins.unwrap_or(KEPT - 1)).rev() {
            let read = history_files::read_forward(paths, age, |met| {
                if let Met::Line(line) = met
                    && let Some(line) = Line::read(line)
                {
                    remembered.take(line);
                }
                true
            });
            // A file that is not there, or can't be read, says nothing.
            drop(read);
        }
        remembered
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Baseline(count) => {
                self.tasks.clear();
                self.texts.clear();
                self.missing = Some(count);
            }
            Line::Task(task) => {
                self.missing = self.missing.and_then(|missing| missing.checked_sub(1));
                self.tasks.insert(task.id, Some(task));
            }
            Line::Text(id, Some(text)) => drop(self.texts.insert(id, text)),
            Line::Text(id, None) => drop(self.texts.remove(&id)),
            Line::Entry(entry) => {
                self.last = Some(entry.at);
                for change in entry.change.tasks {
                    if let Some(id) = change.id() {
                        if change.after.is_none() {
                            self.texts.remove(&id);
                        }
                        self.tasks.insert(id, change.after);
                    }
                }
            }
        }
    }

    pub(crate) fn has_tasks(&self) -> bool {
        self.tasks.values().any(Option::is_some)
    }

    /// Whether a task that is not remembered must be new. It must be where a whole board is remembered.
    fn is_news(&self, task: &Task) -> bool {
        // Without one, a younger task is news: older ones may have been there before the history began.
        self.missing == Some(0) || self.last.is_some_and(|last| task.created > last)
    }

    /// What changed between the tasks that are remembered and the board.
    pub(crate) fn difference(&self, now: &Board) -> Vec<TaskChange> {
        let mut tasks = Vec::new();
        let mut compare = |before: Option<&Arc<Task>>, after: Option<&Arc<Task>>| {
            let same = match (before, after) {
                (Some(before), Some(after)) => same_but_for_times(before, after),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            if !same {
                let (before, after) = (before.cloned(), after.cloned());
                tasks.push(TaskChange { before, after });
            }
        };
        for (id, before) in &self.tasks {
            compare(before.as_ref(), now.get(*id));
        }
        let unknown = now
            .by_id()
            .filter(|task| !self.tasks.contains_key(&task.id));
        for task in unknown.filter(|task| self.is_news(task)) {
            compare(None, Some(task));
        }
        tasks.sort_by_key(TaskChange::id);
        tasks
    }
}

fn begins_with_board(paths: &Paths, age: usize) -> bool {
    let mut found = false;
    let read = history_files::read_forward(paths, age, |met| {
        found =
            matches!(met, Met::Line(line) if matches!(Line::read(line), Some(Line::Baseline(_))));
        false
    });
    read.is_ok() && found
}

/// Whether nothing differs that somebody did. A task that was written by hand without times shows those of the file.
fn same_but_for_times(before: &Arc<Task>, after: &Arc<Task>) -> bool {
    Arc::ptr_eq(before, after)
        || **before
            == Task {
                created: before.created,
                updated: before.updated,
                ..Task::clone(after)
            }
}
