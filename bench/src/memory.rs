//! How much memory the program needs after reading a large board.

use std::path::PathBuf;

use serde_json::json;

use crate::report::{Figure, Target, Unit};
use crate::setup::Setup;
use crate::stdio::Client;
use crate::{Outcome, board};

const MOST_MEGABYTES: f64 = 60.0;
const COUNT: usize = 10_000;

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "memory", COUNT)?;
    let mut client = Client::start(setup.serve(&project.root))?;
    for method in ["get_tasks", "get_next_task", "get_task_stats"] {
        client.ask(method, &json!({}))?;
    }
    let path = PathBuf::from(format!("/proc/{}/status", client.process_id()));
    let status = std::fs::read_to_string(path)?;
    Ok(vec![Figure {
        what: format!("resident memory at {COUNT} tasks"),
        measured: megabytes(&status, "VmRSS:")?,
        unit: Unit::Megabytes,
        target: Target::AtMost(MOST_MEGABYTES),
        detail: format!("at most {:.1} MB so far", megabytes(&status, "VmHWM:")?),
    }])
}

/// Finds a figure that the system gives in units of 1,024 bytes.
fn megabytes(status: &str, name: &str) -> Outcome<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let line = line.ok_or_else(|| format!("the system does not tell {name}"))?;
    let kilobytes: u32 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(f64::from(kilobytes) * 1_024.0 / 1_000_000.0)
}
