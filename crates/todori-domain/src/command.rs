//! What can be asked of a board. Carries checked values and the caller's names for tasks; decides nothing.

use crate::{
    Description, Priority, SessionName, Stage, Status, Subtask, SubtaskRef, TaskId, TaskRef,
    Timestamp, Title,
};

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
    /// Adds a subtask to a task.
    AddSubtask {
        /// The task.
        task: TaskRef,
        /// What to do.
        title: Title,
        /// More about it.
        description: Option<Description>,
    },
    /// Changes some fields of a subtask.
    EditSubtask {
        /// The subtask.
        subtask: SubtaskRef,
        /// What to change.
        edit: SubtaskEdit,
    },
    /// Deletes a subtask.
    DeleteSubtask {
        /// The subtask.
        subtask: SubtaskRef,
    },
    /// Marks a task as done, or takes that back.
    Complete {
        /// The task.
        which: Which,
        /// Whether it is done.
        completed: bool,
    },
    /// Takes all tasks away that are done.
    DeleteCompleted,
    /// Puts the tasks that can be seen into this order. Those that were added by the same request may be left out, and
    /// then go last; every other one must be there exactly once.
    Reorder {
        /// The tasks, first to last.
        order: Vec<TaskRef>,
        /// The tasks that may be left out.
        new: Vec<TaskId>,
    },
    /// Puts one task somewhere else in the list.
    Move {
        /// The task.
        task: TaskRef,
        /// Where it goes.
        to: Place,
    },
    /// Replaces everything on the board. An item whose words were there before stays the same task.
    Replace {
        /// The items, first to last.
        items: Vec<Item>,
    },
}

/// Where in the list a task goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Before all others.
    First,
    /// Behind all others.
    Last,
    /// Right before this one.
    Before(TaskRef),
    /// Right behind this one.
    After(TaskRef),
}

/// How a caller names a task to be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// By its id.
    Id(TaskRef),
    /// By its place among the tasks that can be seen, from 1.
    Place(usize),
    /// By its title: all of it, or a part that only one task has.
    Title(String),
}

/// One item of a list that is written as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its id if it turns out to be new.
    pub id: TaskId,
    /// What to do.
    pub title: Title,
    /// The same while it is being done.
    pub active_form: Option<Title>,
    /// Where it stands.
    pub stage: Stage,
}

/// What happens when a task is added that is on the board already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDuplicate {
    /// There are two of them then.
    #[default]
    Add,
    /// It is not added if an open task has the same title.
    Skip,
}

/// A task to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its name for good. If a task is called so already, that is the same task: nothing is added.
    pub id: TaskId,
    /// What to do.
    pub title: Title,
    /// The same while it is being done.
    pub active_form: Option<Title>,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands from the start.
    pub status: Status,
    /// How much it matters.
    pub priority: Priority,
    /// What must be done first.
    pub waits_for: Vec<TaskRef>,
    /// Its subtasks, by number.
    pub subtasks: Vec<Subtask>,
    /// What became of it before it came here; none if it begins now.
    pub past: Option<Past>,
    /// What happens if it is there already.
    pub on_duplicate: OnDuplicate,
}

/// What became of a task before it came to this board. What is not known is as if it began now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Past {
    /// When it was made.
    pub created: Option<Timestamp>,
    /// When anything about it changed last.
    pub updated: Option<Timestamp>,
    /// When it became done; counts only where it is.
    pub completed: Option<Timestamp>,
    /// Who has it in progress; counts only where it is. Whoever adds the task does not take it.
    pub assignee: Option<SessionName>,
    /// The number that the next subtask gets, at least.
    pub next_subtask: u32,
}

impl NewTask {
    /// A task with nothing but a title.
    pub fn titled(id: TaskId, title: Title) -> Self {
        Self {
            id,
            title,
            active_form: None,
            description: None,
            status: Status::Pending,
            priority: Priority::Medium,
            waits_for: Vec::new(),
            subtasks: Vec::new(),
            past: None,
            on_duplicate: OnDuplicate::Add,
        }
    }
}

/// Which fields of a task change; `None` leaves a field as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskEdit {
    /// What to do.
    pub title: Option<Title>,
    /// The same while it is being done; `Some(None)` takes it away.
    pub active_form: Option<Option<Title>>,
    /// More about it; `Some(None)` takes it away.
    pub description: Option<Option<Description>>,
    /// Where it stands.
    pub status: Option<Status>,
    /// Where it stands, from somebody who sees three states only: changes nothing where it already looks so.
    pub stage: Option<Stage>,
    /// How much it matters.
    pub priority: Option<Priority>,
    /// All that must be done first.
    pub waits_for: Option<Vec<TaskRef>>,
    /// What must be done first, beside what it waits for already.
    pub waits_also_for: Vec<TaskRef>,
    /// What it need not wait for any longer.
    pub waits_no_longer_for: Vec<TaskRef>,
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
