//! How much was open day by day: from when tasks were made and completed, and, for those that are gone, from what
//! history remembers. A board without a history gives the best answer that its tasks can.

use std::collections::HashMap;

use crate::{Board, Event, Status, Task, TaskId, Timestamp};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// One day, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// When it began.
    pub start: Timestamp,
    /// How many tasks were open at its end.
    pub open: usize,
    /// How many were done during it.
    pub finished: usize,
    /// How many were added during it.
    pub added: usize,
}

/// From when to when a task was open, as far as is known.
struct Life {
    added: i64,
    closed: Option<i64>,
    finished: Option<i64>,
}

/// When the first of so many days up to `now` began.
pub fn burn_down_start(now: Timestamp, days: usize) -> Timestamp {
    Timestamp::from_millis(first_day(now, days).saturating_mul(DAY))
}

fn first_day(now: Timestamp, days: usize) -> i64 {
    let today = now.as_millis().div_euclid(DAY);
    let count = i64::try_from(days).unwrap_or(i64::MAX);
    today.saturating_sub(count.saturating_sub(1))
}

/// The last days up to `now`, oldest first. `history` may be in any order.
pub fn burn_down(board: &Board, history: &[Event], now: Timestamp, days: usize) -> Vec<Day> {
    let today = now.as_millis().div_euclid(DAY);
    let lives: Vec<Life> = lives(board, history);
    let first = first_day(now, days);
    let mut told: Vec<Day> = Vec::with_capacity(days);
    for day in first..=today {
        if told.len() == days {
            break;
        }
        let on_day = |at: &i64| *at == day;
        let open = |life: &&Life| life.added <= day && life.closed.is_none_or(|at| at > day);
        told.push(Day {
            start: Timestamp::from_millis(day.saturating_mul(DAY)),
            open: lives.iter().filter(open).count(),
            finished: lives
                .iter()
                .filter_map(|life| life.finished)
                .filter(on_day)
                .count(),
            added: lives.iter().map(|life| life.added).filter(on_day).count(),
        });
    }
    told
}

fn lives(board: &Board, history: &[Event]) -> Vec<Life> {
    let mut gone: HashMap<TaskId, (Timestamp, &Task)> = HashMap::new();
    for event in history {
        if let (Some(before), None) = (&event.change.before, &event.change.after)
            && board.get(before.id).is_none()
        {
            let latest = gone.entry(before.id).or_insert((event.at, before));
            if event.at > latest.0 {
                *latest = (event.at, before);
            }
        }
    }
    let day = |time: Timestamp| time.as_millis().div_euclid(DAY);
    let here = board.by_id().map(|task| Life {
        added: day(task.created),
        closed: closed(task).map(day),
        finished: task.completed.map(day),
    });
    let gone = gone.values().map(|(at, task)| Life {
        added: day(task.created),
        closed: Some(day(closed(task).unwrap_or(*at))),
        finished: task.completed.map(day),
    });
    here.chain(gone).collect()
}

/// When a task was closed; what was cancelled has no time of its own but that of its last change.
fn closed(task: &Task) -> Option<Timestamp> {
    match task.status {
        Status::Done => Some(task.completed.unwrap_or(task.updated)),
        Status::Cancelled => Some(task.updated),
        Status::Pending | Status::InProgress | Status::Blocked | Status::Deferred => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::task;
    use crate::{EventNumber, SessionName, TaskChange};

    fn at(day: i64) -> Timestamp {
        Timestamp::from_millis(day * DAY + 1)
    }

    fn made(name: &str, day: i64, done: Option<i64>) -> Arc<Task> {
        let status = if done.is_some() {
            Status::Done
        } else {
            Status::Pending
        };
        Arc::new(Task {
            created: at(day),
            completed: done.map(at),
            status,
            ..task(name)
        })
    }

    #[test]
    fn every_task_counts_from_its_day_to_its_end_even_if_it_is_gone() {
        let board = Board::from_tasks([made("a", 1, Some(3)), made("b", 2, None)]);
        let deleted = Event {
            at: at(3),
            by: SessionName::new("x"),
            client: None,
            number: EventNumber {
                request: 1,
                place: 0,
            },
            undoes: Arc::default(),
            is_switch: false,
            change: TaskChange {
                before: Some(made("c", 2, None)),
                after: None,
            },
        };
        let days = burn_down(&board, &[deleted], at(4), 4);
        let told: Vec<_> = days
            .iter()
            .map(|day| (day.open, day.finished, day.added))
            .collect();
        assert_eq!(told, [(1, 0, 1), (3, 0, 2), (1, 1, 0), (1, 0, 0)]);
        assert_eq!(days.last().unwrap().start.date(), "1970-01-05");
        assert!(burn_down(&board, &[], at(4), 0).is_empty());
    }
}
