//! The command line: what is printed, and how it ends.

mod errors;
mod transfer;
mod verbs;
