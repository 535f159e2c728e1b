//! The embedded store: `.todori/tasks.yaml`, shared by any number of processes and people with editors.

mod blocks;
mod document;
mod emit;
mod foreign;
mod quick;
mod retain;
mod syntax;

#[cfg(test)]
mod format_tests;
