//! Limits the rate of requests. Those of strangers have a small share of their own, so that they never use up what
//! clients with the token need.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Requests per second, on average, and how many may come at once.
const RATE: f64 = 5_000.0;
const BURST: f64 = 10_000.0;
/// The same for requests that nobody vouches for.
const STRANGERS_RATE: f64 = 250.0;
const STRANGERS_BURST: f64 = 500.0;

/// Whose share a request is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    /// Of those who may come in: they have shown the token, or there is none.
    Known,
    /// Of all others, and of what is rejected.
    Strangers,
}

/// The shares.
#[derive(Debug)]
pub(super) struct RateLimit {
    known: Mutex<Bucket>,
    strangers: Mutex<Bucket>,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self {
            known: Mutex::new(Bucket::new(RATE, BURST)),
            strangers: Mutex::new(Bucket::new(STRANGERS_RATE, STRANGERS_BURST)),
        }
    }
}

impl RateLimit {
    /// Whether a request may be answered now.
    pub(super) fn admits(&self, share: Share) -> bool {
        let bucket = match share {
            Share::Known => &self.known,
            Share::Strangers => &self.strangers,
        };
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.take()
    }
}

/// Each request takes a drop, and drops come back at a fixed rate.
#[derive(Debug)]
struct Bucket {
    rate: f64,
    burst: f64,
    level: f64,
    refilled: Instant,
}

impl Bucket {
    fn new(rate: f64, burst: f64) -> Self {
        Self {
            rate,
            burst,
            level: burst,
            refilled: Instant::now(),
        }
    }

    fn take(&mut self) -> bool {
        let now = Instant::now();
        let new = now.duration_since(self.refilled).as_secs_f64() * self.rate;
        self.level = (self.level + new).min(self.burst);
        self.refilled = now;
        let enough = self.level >= 1.0;
        if enough {
            self.level -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_flood_is_slowed_down() {
        let mut bucket = Bucket::new(RATE, BURST);
        let admitted = (0..30_000).filter(|_| bucket.take()).count();
        assert!(admitted < 30_000, "all of it came in");
        bucket.refilled = bucket.refilled.checked_sub(Duration::from_secs(1)).unwrap();
        assert!(bucket.take(), "later there is room again");
    }

    #[test]
    fn strangers_do_not_use_up_what_others_need() {
        let limit = RateLimit::default();
        let admitted = (0..30_000).filter(|_| limit.admits(Share::Strangers));
        assert!(admitted.count() < 30_000, "all of it came in");
        assert!((0..5_000).all(|_| limit.admits(Share::Known)));
    }
}
