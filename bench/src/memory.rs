//! How much memory the program needs after reading a large board.

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
    let process = client.process();
    Ok(vec![Figure {
        what: format!("resident memory at {COUNT} tasks"),
        measured: process.megabytes("VmRSS:")?,
        unit: Unit::Megabytes,
        target: Target::AtMost(MOST_MEGABYTES),
        detail: format!("at most {:.1} MB so far", process.megabytes("VmHWM:")?),
    }])
}
