//! What it costs to ask for nearly nothing over pipes, against a server of the same SDK that does nothing at all.

use serde_json::{Value, json};

use crate::one_core::OneCore;
use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::Setup;
use crate::stdio::Client;
use crate::{Outcome, board};

const MOST: f64 = 2.0;
const WARM_UP: usize = 20;

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "round-trip", 0)?;
    let core = OneCore::pick();
    let mut todori = Client::start(setup.serve(&project.root))?;
    let mut idle = Client::start(setup.serve_nothing())?;
    todori.initialize()?;
    idle.initialize()?;
    board::settle();
    let call = |tool: &str| json!({"name": tool, "arguments": {}});
    let mut compare = |what: &str, method: &str, asked: &Value, asked_of_idle: &Value| {
        let (mut todori_times, mut idle_times) = (Samples::default(), Samples::default());
        for round in 0..WARM_UP + setup.effort.round_trips {
            let todori_took = todori.ask(method, asked)?.took;
            let idle_took = idle.ask(method, asked_of_idle)?.took;
            if round >= WARM_UP {
                todori_times.push(todori_took);
                idle_times.push(idle_took);
            }
        }
        Outcome::Ok(Figure::ratio(
            format!("{what}, to an idle server"),
            &todori_times,
            &idle_times,
            MOST,
        ))
    };
    let figures = vec![
        compare(
            "tools/call get_task_stats",
            "tools/call",
            &call("get_task_stats"),
            &call("do_nothing"),
        )?,
        compare("ping", "ping", &json!({}), &json!({}))?,
    ];
    drop(core);
    Ok(figures)
}
