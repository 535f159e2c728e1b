//! All integration tests of the dialects, in one binary.

mod arguments;
mod desk;
mod golden;
mod json_schema;
mod properties;
mod tables;
