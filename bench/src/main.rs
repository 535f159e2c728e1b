//! Measures todori against the bare cost of the same work, and says which figures reach their targets. Every figure
//! comes from one run on one machine, mostly as a ratio of two kinds of work done in turns; none is a test that fails.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table on standard output, and progress on standard error, are what this program is for"
)]

mod board;
mod busy;
mod cold;
mod crowd;
mod http;
mod http_round_trip;
mod memory;
mod one_core;
mod process;
mod protocol;
mod random;
mod read;
mod report;
mod round_trip;
mod samples;
mod sessions;
mod setup;
mod size;
mod start;
mod stdio;
mod tasks;
mod web;
mod write;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use report::Figure;
use setup::{Effort, Setup};

/// What comes of a step that may fail; the first failure ends the run.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// One part of the run: its name, and the function that measures it.
type Part = (&'static str, fn(&Setup) -> Outcome<Vec<Figure>>);

const PARTS: [Part; 11] = [
    ("write", write::measure),
    ("read", read::measure),
    ("cold", cold::measure),
    ("round-trip", round_trip::measure),
    ("http", http_round_trip::measure),
    ("start", start::measure),
    ("crowd", crowd::measure),
    ("busy", busy::measure),
    ("memory", memory::measure),
    ("sessions", sessions::measure),
    ("size", size::measure),
];

/// Measures todori against the bare cost of the same work.
#[derive(Parser)]
#[command(name = "todori-bench", version)]
struct Arguments {
    /// Also write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure fewer times: a rough look, within seconds
    #[arg(long)]
    quick: bool,
    /// Make the boards in here; it should be on a real disk (default: the system's folder for temporary files)
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Measure this part only (may be given several times)
    #[arg(long, value_name = "PART", value_parser = PARTS.map(|(name, _)| name))]
    only: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("todori-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Outcome<()> {
    let Arguments {
        json,
        quick,
        dir,
        only,
    } = arguments;
    if cfg!(debug_assertions) {
        eprintln!("this is a debug build: its figures say nothing; run it with --release");
    }
    let effort = if *quick { Effort::QUICK } else { Effort::FULL };
    // Gone with everything in it when this function ends, however it ends.
    let folder = tempfile::Builder::new()
        .prefix("todori-bench-")
        .tempdir_in(dir.clone().unwrap_or_else(std::env::temp_dir))?;
    let setup = Setup::find(folder.path().to_owned(), effort)?;
    let mut figures = Vec::new();
    for (name, measure) in PARTS {
        if only.is_empty() || only.iter().any(|wanted| wanted == name) {
            eprintln!("measuring: {name}");
            figures.extend(measure(&setup)?);
        }
    }
    println!("{}", report::table(&figures));
    if let Some(path) = json {
        report::write_json(path, &figures)?;
    }
    Ok(())
}
