//! The command line: what is printed, and how it ends.

mod doctor;
mod errors;
mod json;
mod transfer;
mod verbs;
