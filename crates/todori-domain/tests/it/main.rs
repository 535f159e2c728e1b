//! All integration tests of the domain, in one binary.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

mod merging;
mod properties;
mod rules;
mod undoing;
