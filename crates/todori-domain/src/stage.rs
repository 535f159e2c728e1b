//! The board in three states, for those who know no more: what they see of a status, and what it means when they write
//! one back.

use crate::Status;

/// One of three states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// To be done. What is blocked or deferred shows as this, too.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pending, Self::InProgress, Self::Completed];

    /// What is seen of a status; nothing of what was cancelled.
    pub const fn of(status: Status) -> Option<Self> {
        match status {
            Status::Pending | Status::Blocked | Status::Deferred => Some(Self::Pending),
            Status::InProgress => Some(Self::InProgress),
            Status::Done => Some(Self::Completed),
            Status::Cancelled => None,
        }
    }

    /// The status that somebody means who writes this.
    pub const fn status(self) -> Status {
        match self {
            Self::Pending => Status::Pending,
            Self::InProgress => Status::InProgress,
            Self::Completed => Status::Done,
        }
    }
}
