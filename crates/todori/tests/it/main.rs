//! All integration tests of the program, in one binary. They run the real program in a folder of their own, with an
//! environment of their own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests fail loudly, and say what they found or left out"
)]

mod boundaries;
mod cli;
mod crash;
mod faults;
mod faulty_disk;
mod hosts;
mod house;
mod http;
mod install;
mod owners;
mod project;
mod protocol;
mod reference;
mod storm;
mod track;
mod watch;
mod web;
