//! todori: the task tracker that AI agents and their people share.

mod cli;
mod clock;
mod config;
mod desk;
mod doctor;
mod happened;
mod install;
mod overview;
mod serve;
mod text;
mod track;
mod transfer;
mod trouble;
mod watch;
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
