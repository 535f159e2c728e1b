//! What happened to a board, as it is remembered: who changed which task, when, from what to what. Never the truth
//! about the board; a board without a history is whole.

use std::sync::Arc;

use crate::{MIN_PREFIX, SessionName, Status, Task, TaskChange, TaskId, Timestamp, Title};

/// The place of an event in the history of its board: greater means later, whatever clocks said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventNumber {
    /// What one request did together has the same number.
    pub request: u64,
    /// Its place among what that request did.
    pub place: usize,
}

/// One task changed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its place in the history.
    pub number: EventNumber,
    /// When.
    pub at: Timestamp,
    /// By which session; a store that others can change behind its back has a name for them, such as `file`.
    pub by: SessionName,
    /// The program that spoke for the session, where it said so.
    pub client: Option<String>,
    /// From what to what.
    pub change: TaskChange,
    /// The requests that this one took back; none for anything but an undo.
    pub undoes: Arc<[u64]>,
    /// Whether it came because the whole project went to another state, such as another branch. Nobody changed the task.
    pub is_switch: bool,
}

/// Whose events are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthorMatch {
    /// This session or person.
    Is(SessionName),
    /// Any whose name contains this, and any session whose program does.
    Like(String),
}

/// Which task's events are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskMatch {
    /// This one.
    Is(TaskId),
    /// Any whose id begins with this (at least 4 characters), or whose title has all of these words, even if it is gone.
    Like(String),
}

/// Asks for a part of a board's history, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistoryQuery {
    /// Only what happened to this task.
    pub task: Option<TaskMatch>,
    /// Only what these did.
    pub by: Option<AuthorMatch>,
    /// Only what happened at this time or later, by the clock of whoever did it.
    pub since: Option<Timestamp>,
    /// What time it is for whoever asks. If it is given, clocks are not believed for `since` where they can't be right:
    /// an event is not meant if it claims to be later than this, or than one that came after it.
    pub now: Option<Timestamp>,
    /// Only what happened since the project last went to another branch; if a task is named, since the task did.
    pub since_switch: bool,
    /// Only what comes before this event in the history: the end of the page before.
    pub before: Option<EventNumber>,
    /// At most so many events; nothing is read for 0.
    pub limit: usize,
}

impl HistoryQuery {
    /// The newest events, whoever did what.
    pub const fn newest(limit: usize) -> Self {
        Self {
            task: None,
            by: None,
            since: None,
            now: None,
            since_switch: false,
            before: None,
            limit,
        }
    }

    /// The page of all these events, which are given newest first. Takes no more of them than it needs.
    pub fn page(&self, events: impl IntoIterator<Item = Event>) -> HistoryPage {
        if self.limit == 0 {
            return HistoryPage::default();
        }
        let mut filter = HistoryFilter::new(self);
        let mut accepted = events.into_iter().filter(|event| filter.accepts(event));
        let events: Vec<Event> = accepted.by_ref().take(self.limit).collect();
        let more = accepted.next().is_some();
        HistoryPage { events, more }
    }
}

/// How far clocks may differ, or a request may wait for others, before its time is not believed.
const TOLERANCE_MILLIS: i64 = 60_000;

/// Tells which events a query means. It must hear of every event of the board, newest first, since what came later says
/// something about what came before.
#[derive(Debug)]
pub struct HistoryFilter<'a> {
    query: &'a HistoryQuery,
    /// The earliest time of all that came later.
    later: Option<Timestamp>,
    is_over: bool,
}

impl<'a> HistoryFilter<'a> {
    /// Has heard of nothing yet.
    pub fn new(query: &'a HistoryQuery) -> Self {
        Self {
            query,
            later: query.now,
            is_over: false,
        }
    }

    /// Whether no older event can be meant.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Hears of an event that can't be meant, for whatever reason.
    pub fn pass_over(&mut self, at: Timestamp) {
        self.believe(at);
    }

    /// Whether an event is meant. (How many are wanted is another matter.)
    pub fn accepts(&mut self, event: &Event) -> bool {
        let HistoryQuery {
            task,
            by,
            since,
            now: _,
            since_switch,
            before,
            limit: _,
        } = self.query;
        let is_believed = self.believe(event.at);
        let is_of_task = task.as_ref().is_none_or(|task| task.accepts(event));
        self.is_over |= *since_switch && event.is_switch && is_of_task;
        !self.is_over
            && is_of_task
            && before.is_none_or(|before| event.number < before)
            && since.is_none_or(|since| is_believed && event.at >= since)
            && by.as_ref().is_none_or(|by| by.accepts(event))
    }

    /// Whether an event can have happened when it says, as far as later ones tell.
    fn believe(&mut self, at: Timestamp) -> bool {
        let Some(later) = self.later else {
            return true;
        };
        self.later = Some(later.min(at));
        at.as_millis() <= later.as_millis().saturating_add(TOLERANCE_MILLIS)
    }
}

impl AuthorMatch {
    fn accepts(&self, event: &Event) -> bool {
        match self {
            Self::Is(session) => event.by == *session,
            Self::Like(text) => {
                let client = event.client.as_deref().unwrap_or_default();
                event.by.as_str().contains(text)
                    || (!event.by.is_person() && client.contains(text.as_str()))
            }
        }
    }
}

impl TaskMatch {
    pub(crate) fn accepts(&self, event: &Event) -> bool {
        match self {
            Self::Is(id) => event.change.id() == Some(*id),
            Self::Like(text) => {
                let text = text.trim().to_lowercase();
                let mut words = text.split_whitespace().peekable();
                if words.peek().is_none() {
                    return false;
                }
                // Any few digits are the beginning of some id.
                let id = event.change.id().filter(|_| text.len() >= MIN_PREFIX);
                let id = id.map(|id| id.to_string());
                let TaskChange { before, after } = &event.change;
                let mut tasks = [before, after].into_iter().flatten();
                id.is_some_and(|id| id.starts_with(&text))
                    || tasks.any(|task| {
                        let title = task.title.as_str().to_lowercase();
                        words.clone().all(|word| title.contains(word))
                    })
            }
        }
    }
}

/// A part of a board's history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistoryPage {
    /// Newest first.
    pub events: Vec<Event>,
    /// Whether older events fit the query, too.
    pub more: bool,
}

impl HistoryPage {
    /// What to ask for the next page; none if this was the last.
    pub fn next(&self, query: &HistoryQuery) -> Option<HistoryQuery> {
        let last = self.events.last().filter(|_| self.more)?;
        Some(HistoryQuery {
            before: Some(last.number),
            ..query.clone()
        })
    }
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
    /// Its subtasks changed.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{event, letter, second};

    fn check(query: &HistoryQuery, expected: &[u64], more: bool) {
        let events = [
            event(5, "file", "a", "Renamed", 9),
            event(4, "ann", "b", "Second", 2),
            event(3, "bob", "a", "First", 3),
            event(2, "ann", "a", "First", 2),
            event(1, "ann", "a", "First", 1),
        ];
        let page = query.page(events);
        let numbers: Vec<u64> = page
            .events
            .iter()
            .map(|event| event.number.request)
            .collect();
        assert_eq!(
            (numbers.as_slice(), page.more),
            (expected, more),
            "{query:?}"
        );
    }

    #[test]
    fn a_page_holds_what_fits_newest_first_and_says_whether_there_is_more() {
        let all = HistoryQuery::newest(9);
        check(&HistoryQuery::default(), &[], false);
        check(&all, &[5, 4, 3, 2, 1], false);
        check(&HistoryQuery::newest(2), &[5, 4], true);
        let task = Some(TaskMatch::Is(letter("a")));
        let query = HistoryQuery {
            task,
            limit: 1,
            ..all.clone()
        };
        check(&query, &[5], true);
        let by = Some(AuthorMatch::Is(SessionName::new("ann")));
        check(
            &HistoryQuery {
                by,
                ..query.clone()
            },
            &[2],
            true,
        );
        let by = Some(AuthorMatch::Like("b".to_owned()));
        check(&HistoryQuery { by, ..all.clone() }, &[3], false);
        let since = Some(second(3));
        check(
            &HistoryQuery {
                since,
                ..all.clone()
            },
            &[5, 3],
            false,
        );
        let before = Some(EventNumber {
            request: 3,
            place: 0,
        });
        check(
            &HistoryQuery {
                before,
                ..all.clone()
            },
            &[2, 1],
            false,
        );
        let task = Some(TaskMatch::Like("FIRST".to_owned()));
        check(
            &HistoryQuery {
                task,
                ..all.clone()
            },
            &[3, 2, 1],
            false,
        );
        let task = Some(TaskMatch::Like("6262".to_owned()));
        check(&HistoryQuery { task, ..all }, &[4], false);
    }

    #[test]
    fn times_that_cannot_be_right_are_not_believed() {
        let check = |times: &[i64], expected: &[u64]| {
            // Newest last; it is the thousandth second now.
            let events = (1..).zip(times);
            let events = events.map(|(number, at)| event(number, "ann", "a", "x", *at));
            let mut events: Vec<Event> = events.collect();
            events.reverse();
            let query = HistoryQuery {
                since: Some(second(900)),
                now: Some(second(1_000)),
                ..HistoryQuery::newest(9)
            };
            let page = query.page(events);
            let found: Vec<u64> = page.events.iter().map(|e| e.number.request).collect();
            assert_eq!(found, expected, "{times:?}");
        };
        check(&[10, 950, 960], &[3, 2]);
        // Requests wait for each other, and clocks of two machines are never the same.
        check(&[970, 950, 1_010], &[3, 2, 1]);
        // Somebody's clock is ahead.
        check(&[10, 9_999], &[]);
        check(&[9_999, 950], &[2]);
        // It said 950, but it came before what happened at 100.
        check(&[950, 100, 960], &[3]);
    }

    #[test]
    fn what_came_before_the_change_of_branch_is_not_meant() {
        let switch = |number, name| Event {
            is_switch: true,
            ..event(number, "git", name, "x", 1)
        };
        let events = vec![
            event(5, "ann", "a", "x", 1),
            switch(4, "b"),
            switch(3, "c"),
            event(2, "ann", "a", "x", 1),
            event(1, "ann", "b", "x", 1),
        ];
        let check = |task: Option<&str>, since_switch, expected: &[u64]| {
            let query = HistoryQuery {
                task: task.map(|name| TaskMatch::Is(letter(name))),
                since_switch,
                ..HistoryQuery::newest(9)
            };
            let page = query.page(events.clone());
            let found: Vec<u64> = page.events.iter().map(|e| e.number.request).collect();
            assert_eq!(found, expected, "{query:?}");
        };
        check(None, false, &[5, 4, 3, 2, 1]);
        check(None, true, &[5]);
        check(Some("a"), true, &[5, 2]);
        check(Some("b"), true, &[]);
    }

    #[test]
    fn pages_follow_each_other_without_a_gap() {
        let events: Vec<Event> = (1..=7)
            .rev()
            .map(|n| event(n, "ann", "a", "x", 1))
            .collect();
        let mut query = Some(HistoryQuery::newest(3));
        let mut seen = Vec::new();
        while let Some(asked) = query {
            let page = asked.page(events.clone());
            query = page.next(&asked);
            seen.extend(page.events);
        }
        assert_eq!(seen, events);
    }
}
