//! What can be asked of a board. Carries checked values and the caller's names for tasks; decides nothing.

use crate::{Description, Priority, Status, SubtaskRef, TaskId, TaskRef, Title};

/// One thing to do to a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Adds a task at the end of the list.
    Add(NewTask),
    /// Changes some fields of a task.
    Edit {
        /// The task.
        task: TaskRef,
        /// What to change.
        edit: TaskEdit,
    },
    /// Takes a task away, and out of everything that waits for it.
    Delete {
        /// The task.
        task: TaskRef,
    },
    /// Adds a step to a task.
    AddSubtask {
        /// The task.
        task: TaskRef,
        /// What to do.
        title: Title,
        /// More about it.
        description: Option<Description>,
    },
    /// Changes some fields of a step.
    EditSubtask {
        /// The step.
        subtask: SubtaskRef,
        /// What to change.
        edit: SubtaskEdit,
    },
    /// Takes a step away.
    DeleteSubtask {
        /// The step.
        subtask: SubtaskRef,
    },
}

/// A task to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its name for good.
    pub id: TaskId,
    /// What to do.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands from the start.
    pub status: Status,
    /// How much it matters.
    pub priority: Priority,
    /// What must be done first.
    pub waits_for: Vec<TaskRef>,
}

impl NewTask {
    /// A task with nothing but a title.
    pub fn titled(id: TaskId, title: Title) -> Self {
        Self {
            id,
            title,
            description: None,
            status: Status::Pending,
            priority: Priority::Medium,
            waits_for: Vec::new(),
        }
    }
}

/// Which fields of a task change; `None` leaves a field as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskEdit {
    /// What to do.
    pub title: Option<Title>,
    /// More about it; `Some(None)` takes it away.
    pub description: Option<Option<Description>>,
    /// Where it stands.
    pub status: Option<Status>,
    /// How much it matters.
    pub priority: Option<Priority>,
    /// All that must be done first.
    pub waits_for: Option<Vec<TaskRef>>,
}

/// Which fields of a subtask change; `None` leaves a field as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubtaskEdit {
    /// What to do.
    pub title: Option<Title>,
    /// More about it; `Some(None)` takes it away.
    pub description: Option<Option<Description>>,
    /// Where it stands.
    pub status: Option<Status>,
}
