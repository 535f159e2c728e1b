//! The command line: what is printed, and how it ends.

mod errors;
mod finding;
mod history;
mod merging;
mod verbs;
