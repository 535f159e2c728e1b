//! All integration tests of the dialects, in one binary.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "tests fail loudly"
)]

mod app;
mod arguments;
mod dispatcher;
mod golden;
mod json_schema;
mod kept;
mod list_stories;
mod properties;
mod reference;
mod stories;
mod tables;
