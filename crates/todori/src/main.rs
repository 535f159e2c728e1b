//! todori: the task tracker that AI agents and their people share.

mod cli;
mod clock;
mod config;
mod dispatch;
mod doctor;
mod error_text;
mod event_text;
mod install;
mod overview;
mod serve;
mod text;
mod track;
mod transfer;
mod watch;
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
