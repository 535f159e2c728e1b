//! One piece of work. Every field is valid by its type; what may follow what is for `rules` to say.

use crate::{Description, Rank, SessionName, SubtaskId, TaskId, Timestamp, Title};

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Not begun.
    Pending,
    /// Somebody works on it.
    InProgress,
    /// Somebody said that it can't go on. (Waiting for other tasks is derived, not marked.)
    Blocked,
    /// Finished.
    Done,
    /// Put off.
    Deferred,
    /// Will not be done.
    Cancelled,
}

impl Status {
    /// All of them, in the order that queries sort by.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::InProgress,
        Self::Blocked,
        Self::Done,
        Self::Deferred,
        Self::Cancelled,
    ];

    /// The name that boards are stored with.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in-progress",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Deferred => "deferred",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads exactly such a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether there is still something to do.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::InProgress | Self::Blocked | Self::Deferred => true,
            Self::Done | Self::Cancelled => false,
        }
    }
}

/// How much a task matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Can wait.
    Low,
    /// The usual.
    Medium,
    /// First.
    High,
}

impl Priority {
    /// All of them, most important first.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// The name that boards are stored with.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Reads exactly such a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|priority| priority.as_str() == text)
    }
}

/// One numbered part of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subtask {
    /// Its number in the task, from 1; never reused.
    pub number: u32,
    /// What to do.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands.
    pub status: Status,
}

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name for good.
    pub id: TaskId,
    /// What to do ("Run the tests").
    pub title: Title,
    /// The same while it is being done ("Running the tests").
    pub active_form: Option<Title>,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands.
    pub status: Status,
    /// How much it matters.
    pub priority: Priority,
    /// The tasks that must be done or cancelled first, in the order given, none twice.
    pub waits_for: Vec<TaskId>,
    /// Its subtasks, by number.
    pub subtasks: Vec<Subtask>,
    /// The number that the next subtask gets.
    pub next_subtask: u32,
    /// The session that has it in progress.
    pub assignee: Option<SessionName>,
    /// Its place in the list.
    pub rank: Rank,
    /// When it was made.
    pub created: Timestamp,
    /// When anything about it changed last.
    pub updated: Timestamp,
    /// When it became done; none when it is not.
    pub completed: Option<Timestamp>,
}

impl Task {
    /// A task with nothing but a title.
    pub fn new(id: TaskId, title: Title, rank: Rank, created: Timestamp) -> Self {
        Self {
            id,
            title,
            active_form: None,
            description: None,
            status: Status::Pending,
            priority: Priority::Medium,
            waits_for: Vec::new(),
            subtasks: Vec::new(),
            next_subtask: 1,
            assignee: None,
            rank,
            created,
            updated: created,
            completed: None,
        }
    }

    /// Names one of its subtasks.
    pub const fn subtask_id(&self, number: u32) -> SubtaskId {
        SubtaskId {
            task: self.id,
            number,
        }
    }

    /// What to show while it is in progress: the active form if there is one.
    pub fn label(&self) -> &Title {
        match (&self.active_form, self.status) {
            (Some(active_form), Status::InProgress) => active_form,
            _ => &self.title,
        }
    }

    /// How many of its subtasks are still to be done.
    pub fn open_subtasks(&self) -> usize {
        self.subtasks
            .iter()
            .filter(|subtask| subtask.status.is_open())
            .count()
    }

    /// What lists are sorted by: rank, and where ranks tie the older one first.
    pub(crate) fn place(&self) -> (&Rank, Timestamp, TaskId) {
        (&self.rank, self.created, self.id)
    }
}
