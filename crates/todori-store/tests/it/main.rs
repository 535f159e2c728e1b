//! All integration tests of the stores, in one binary.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests fail loudly")]

mod conformance;
mod editors;
mod emptied;
mod equivalence;
mod locator;
mod opening;
mod presence;
mod remembering;
mod sessions;
mod sharing;
mod trouble;
