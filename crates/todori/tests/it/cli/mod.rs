//! The command line: what is printed, and how it ends.

mod doctor;
mod editor;
mod errors;
mod finding;
mod history;
mod hostile;
mod json;
mod layouts;
mod merging;
mod terminal;
mod transfer;
mod transfer_again;
mod verbs;
