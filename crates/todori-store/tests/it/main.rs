//! All integration tests of the stores, in one binary.

mod conformance;
mod equivalence;
mod locator;
mod sharing;
mod trouble;
