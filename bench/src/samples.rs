//! Durations of one kind of work.

use std::time::{Duration, Instant};

/// How long each round took.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// The one in the middle: what a burst of other work on the machine made slow does not count.
    pub(crate) fn median(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }

    pub(crate) fn longest(&self) -> Duration {
        self.0.iter().max().copied().unwrap_or_default()
    }

    /// How many times longer this takes than the other, by their medians.
    pub(crate) fn ratio(&self, other: &Self) -> f64 {
        self.median().as_secs_f64() / other.median().as_secs_f64()
    }
}

/// Does something and says how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = work();
    (done, begun.elapsed())
}
