//! What it costs to read a board for the first time, against reading the same tasks as JSON: each time in a process of
//! its own.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::Setup;
use crate::{Outcome, board, tasks};

const MOST: f64 = 3.0;
const COUNT: usize = 10_000;

#[expect(
    clippy::disallowed_methods,
    reason = "the file is only there to be read by a process that is measured"
)]
pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "cold", COUNT)?;
    let json: Vec<Value> = project.tasks.iter().map(|task| tasks::json(task)).collect();
    let json = serde_json::to_vec(&json)?;
    let json_file = setup.folder.join("cold.json");
    std::fs::write(&json_file, &json)?;
    let (mut board_times, mut json_times) = (Samples::default(), Samples::default());
    for _ in 0..setup.effort.loads {
        board_times.push(load("board", &project.root, setup)?);
        json_times.push(load("json", &json_file, setup)?);
    }
    let what = format!("first read of {COUNT} tasks, to JSON");
    let mut figure = Figure::ratio(what, &board_times, &json_times, MOST);
    let bytes = project.file.metadata()?.len();
    figure.detail += &format!(" ({bytes} bytes against {})", json.len());
    Ok(vec![figure])
}

/// Reads once, in a new process, and gives the time that it says it took.
fn load(kind: &str, path: &Path, setup: &Setup) -> Outcome<Duration> {
    let ended = setup.load_once().arg(kind).arg(path).output()?;
    let said = String::from_utf8(ended.stdout)?;
    let (nanoseconds, count) = said.trim().split_once(' ').ok_or("no time was told")?;
    if count.parse() != Ok(COUNT) {
        return Err(format!("{count} tasks were read").into());
    }
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}
