//! What happened to a board, as it is remembered: who changed which task, when, from what to what. Never the truth
//! about the board; a board without a history is whole.

use std::sync::Arc;

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

/// The requests among those that are wanted which still stand: without those that took one back, and without what they
/// took back. Newest first, each newest first, as `history` is.
pub fn standing_requests(history: &[Event], wanted: impl Fn(&Event) -> bool) -> Vec<Vec<&Event>> {
    let mut standing: Vec<Vec<&Event>> = Vec::new();
    let all: Vec<&Event> = history.iter().filter(|event| wanted(event)).collect();
    let requests = all.chunk_by(|one, two| one.request == two.request);
    for request in requests.collect::<Vec<_>>().into_iter().rev() {
        if standing
            .last()
            .is_some_and(|last| takes_back(request, last))
        {
            standing.pop();
        } else {
            standing.push(request.to_vec());
        }
    }
    standing.reverse();
    standing
}

/// Whether one request did exactly the opposite of another.
fn takes_back(request: &[&Event], other: &[&Event]) -> bool {
    let same = |one: &Option<Arc<Task>>, two: &Option<Arc<Task>>| match (one, two) {
        (Some(one), Some(two)) => {
            // Neither the time of a change nor the numbers of steps ever go back.
            let like_two = Task {
                updated: two.updated,
                next_subtask: two.next_subtask,
                ..Task::clone(one)
            };
            like_two == **two
        }
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    request.len() == other.len()
        && request.iter().all(|event| {
            let id = event.change.id();
            let mut others = other.iter().map(|other| &other.change);
            others.any(|other| {
                other.id() == id
                    && same(&event.change.before, &other.after)
                    && same(&event.change.after, &other.before)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{second, task};

    /// Reads `a0 a1 b0`: newest last, each from the number before to this one, `-` for not there.
    fn events(text: &str) -> Vec<Event> {
        let state = |name: &str, number: &str| {
            let title = Title::parse(&format!("{name}{number}")).ok();
            let made = title.map(|title| {
                Arc::new(Task {
                    title,
                    ..task(name)
                })
            });
            made.filter(|_| number != "-")
        };
        let events = text.split_whitespace().zip(1..).map(|(word, place)| {
            let (name, rest) = word.split_at(1);
            let (before, after) = rest.split_once('>').unwrap();
            Event {
                at: second(place),
                by: SessionName::new("me"),
                client: None,
                change: TaskChange {
                    before: state(name, before),
                    after: state(name, after),
                },
                request: u64::try_from(place).unwrap(),
            }
        });
        let mut events: Vec<Event> = events.collect();
        events.reverse();
        events
    }

    #[test]
    fn what_was_taken_back_does_not_stand_any_more() {
        let check = |text: &str, expected: &[u64]| {
            let events = events(text);
            let standing = standing_requests(&events, |_| true);
            let numbers: Vec<u64> = standing.iter().map(|request| request[0].request).collect();
            assert_eq!(numbers, expected, "{text}");
        };
        check("a0>1 b0>1", &[2, 1]);
        check("a0>1 b0>1 b1>0", &[1]);
        check("a0>1 b0>1 b1>0 a1>0", &[]);
        check("a->1 a1>-", &[]);
        check("a0>1 a1>2 a2>1", &[1]);
    }
}
