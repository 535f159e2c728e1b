//! Helpers for tests of this crate and of those above it: ids that tell themselves apart, generators, and the suite
//! that every store must pass.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "test helpers fail loudly"
)]

pub mod conformance;
pub mod generate;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::{
    Actor, Change, Event, EventNumber, IdSource, Moment, SessionName, Task, TaskChange, TaskId,
    Timestamp, Title, rank::Rank,
};

/// The id of the task that tests call `a`, `b` …: eight times that letter's hex code, then zeros.
pub fn letter(name: &str) -> TaskId {
    let byte = name.bytes().next().expect("a letter");
    let mut bytes = [0; 16];
    bytes[..4].fill(byte);
    TaskId::from_bytes(bytes)
}

/// The letter of such an id.
pub fn name_of(id: TaskId) -> String {
    char::from(id.as_bytes()[0]).to_string()
}

/// A time that many seconds after the fixed start of all tests, 2026-11-15T07:00:00Z.
pub fn second(number: i64) -> Timestamp {
    let start = Timestamp::parse("2026-11-15T07:00:00Z").expect("a time");
    Timestamp::from_millis(start.as_millis() + number * 1_000)
}

/// That many seconds after the start, asked by session `tester`.
pub fn moment(seconds: i64) -> Moment {
    Moment {
        at: second(seconds),
        actor: Actor::session("tester"),
    }
}

/// A plain task called like its letter, ranked by it.
pub fn task(name: &str) -> Task {
    let title = Title::parse(name).expect("a title");
    let rank = Rank::parse(&format!("a{name}")).expect("a rank");
    Task::new(letter(name), title, rank, second(0))
}

/// That session gave a task this title in that request, at that second; the task was there before.
pub fn event(request: u64, by: &str, name: &str, title: &str, at: i64) -> Event {
    let title = Title::parse(title).expect("a title");
    let after = Task {
        title,
        ..task(name)
    };
    Event {
        number: EventNumber { request, place: 0 },
        at: second(at),
        by: SessionName::new(by),
        client: None,
        change: TaskChange {
            before: Some(Arc::new(task(name))),
            after: Some(Arc::new(after)),
        },
        undoes: Arc::default(),
        is_switch: false,
    }
}

/// What a change leaves in the history, newest first.
pub fn events_of(change: &Change) -> Vec<Event> {
    let told = change
        .tasks
        .iter()
        .enumerate()
        .map(|(place, change)| Event {
            number: EventNumber { request: 1, place },
            at: second(0),
            by: SessionName::new("tester"),
            client: None,
            change: change.clone(),
            undoes: Arc::default(),
            is_switch: false,
        });
    let mut events: Vec<Event> = told.collect();
    events.reverse();
    events
}

/// Counts ids up: `00000000-…-000000000001` and so on, scattered over the id space so that prefixes differ.
#[derive(Debug, Default)]
pub struct CountedIds(AtomicU64);

impl IdSource for CountedIds {
    fn next_id(&self) -> TaskId {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let scattered = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&scattered.to_be_bytes());
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        // The marks of version 4, so that what tests make looks like what the program makes.
        bytes[6] = (bytes[6] & 0x0F) | 0x40;
        bytes[8] = (bytes[8] & 0x3F) | 0x80;
        TaskId::from_bytes(bytes)
    }
}

/// No answer takes so long, on the busiest machine.
const DEADLINE: Duration = Duration::from_mins(1);

/// Waits for an answer on this thread; fails if there is none for a minute.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let begun = Instant::now();
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        let left = DEADLINE.saturating_sub(begun.elapsed());
        assert!(!left.is_zero(), "there was no answer for a minute");
        std::thread::park_timeout(left);
    }
}
