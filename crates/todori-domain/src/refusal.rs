//! Why something was not done. Carries data, not advice: every dialect words each refusal in its own way.

use crate::{SubtaskId, TaskId};

/// Why a request was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// No task has this id, nor begins with it.
    TaskNotFound {
        /// What the caller wrote.
        given: String,
    },
    /// Several tasks begin with this.
    AmbiguousId {
        /// What the caller wrote.
        given: String,
        /// The first tasks that it could mean.
        candidates: Vec<TaskId>,
        /// How many there are in all.
        total: usize,
    },
    /// The task has no subtask with this number.
    SubtaskNotFound {
        /// The subtask that was meant.
        subtask: SubtaskId,
        /// The numbers that there are.
        known: Vec<u32>,
    },
    /// A task that should be waited for does not exist.
    DependencyNotFound {
        /// What the caller wrote.
        given: String,
    },
    /// There is no task at this place of the list.
    NoSuchPlace {
        /// The place, from 1.
        place: usize,
        /// How many tasks can be seen.
        count: usize,
    },
    /// No title contains this.
    TitleNotFound {
        /// What the caller wrote.
        given: String,
    },
    /// Several titles contain this, and none is exactly it.
    AmbiguousTitle {
        /// What the caller wrote.
        given: String,
        /// The first tasks whose title contains it.
        candidates: Vec<TaskId>,
        /// How many there are in all.
        total: usize,
    },
    /// A new order that leaves tasks out, or names one twice.
    IncompleteOrder {
        /// Tasks that were left out.
        missing: Vec<TaskId>,
        /// Tasks that were named more than once.
        repeated: Vec<TaskId>,
    },
    /// More than one item of a session's list would be in progress.
    SeveralInProgress {
        /// How many there were.
        count: usize,
    },
    /// What somebody did later would be lost.
    ChangedSince {
        /// The tasks that were changed later.
        tasks: Vec<TaskId>,
    },
    /// Tasks would wait for each other in a cycle.
    Cycle {
        /// The tasks of the cycle: each waits for the next, the last for the first.
        path: Vec<TaskId>,
    },
}
