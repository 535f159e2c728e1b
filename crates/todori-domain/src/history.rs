//! What happened to a board, as it is remembered: who changed which task, when, from what to what. Never the truth
//! about the board; a board without a history is whole.

use crate::{SessionName, Status, Task, TaskChange, Timestamp, Title};

/// One task changed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// By which session; `file` for what was changed outside, with an editor or by git.
    pub by: SessionName,
    /// The program that spoke for the session, where it said so.
    pub client: Option<String>,
    /// From what to what.
    pub change: TaskChange,
    /// What one request did together has the same number: 1 for the newest request that was read, and so on; 0 for what
    /// was changed outside and is not noted yet.
    pub request: u64,
}

/// What an event comes down to, for one line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// The task is new.
    Created,
    /// The task is gone.
    Deleted,
    /// It stands elsewhere than before.
    StatusChanged(Status),
    /// Its steps changed.
    SubtasksChanged,
    /// What it waits for changed.
    DependenciesChanged,
    /// It stands at another place in the list, and nothing else changed.
    Moved,
    /// Its words or priority changed.
    Edited,
}

impl Event {
    /// Says what the event comes down to: the most telling of its differences.
    pub fn happening(&self) -> Happening {
        match (&self.change.before, &self.change.after) {
            (None, _) => Happening::Created,
            (Some(_), None) => Happening::Deleted,
            (Some(before), Some(after)) if before.status != after.status => {
                Happening::StatusChanged(after.status)
            }
            (Some(before), Some(after)) if before.subtasks != after.subtasks => {
                Happening::SubtasksChanged
            }
            (Some(before), Some(after)) if before.waits_for != after.waits_for => {
                Happening::DependenciesChanged
            }
            (Some(before), Some(after)) => {
                let moved = Task {
                    rank: after.rank.clone(),
                    updated: after.updated,
                    ..Task::clone(before)
                };
                if **after == moved {
                    Happening::Moved
                } else {
                    Happening::Edited
                }
            }
        }
    }

    /// The title of the task, as it was after the change if it still was there.
    pub fn title(&self) -> Option<&Title> {
        self.change
            .after
            .as_ref()
            .or(self.change.before.as_ref())
            .map(|task| &task.title)
    }
}

/// The newest change among those that are wanted: all that one request did, newest first. `history` is newest first.
pub fn latest_change(history: &[Event], wanted: impl Fn(&Event) -> bool) -> Vec<&Event> {
    let mut events = history.iter().filter(|event| wanted(event)).peekable();
    let Some(first) = events.peek().copied() else {
        return Vec::new();
    };
    let same = |event: &&Event| event.request == first.request;
    events.take_while(same).collect()
}
