//! What it costs to ask for nearly nothing over HTTP, on a connection that stays open, against a server of the same SDK
//! that does nothing at all.

use std::net::SocketAddr;

use crate::one_core::OneCore;
use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::Setup;
use crate::web::{Client, Server};
use crate::{Outcome, board};

const MOST: f64 = 2.0;
const WARM_UP: usize = 20;

/// An era of the protocol: what it is called, and how its clients begin.
type Era = (&'static str, fn(SocketAddr) -> Outcome<Client>);

const ERAS: [Era; 2] = [
    ("with a session", Client::with_session),
    ("2026-07-28", Client::without_session),
];

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "http", 0)?;
    let core = OneCore::pick();
    let todori = Server::start(setup.serve_http(&project.root))?;
    let idle = Server::start(setup.serve_nothing_http())?;
    board::settle();
    let mut figures = Vec::new();
    for (era, connect) in ERAS {
        let mut todori_client = connect(todori.address)?;
        let mut idle_client = connect(idle.address)?;
        let (mut todori_times, mut idle_times) = (Samples::default(), Samples::default());
        for round in 0..WARM_UP + setup.effort.round_trips {
            let todori_took = todori_client.call("get_task_stats")?.took;
            let idle_took = idle_client.call("do_nothing")?.took;
            if round >= WARM_UP {
                todori_times.push(todori_took);
                idle_times.push(idle_took);
            }
        }
        let what = format!("no-op call over HTTP keep-alive, {era}, to an idle server");
        figures.push(Figure::ratio(what, &todori_times, &idle_times, MOST));
    }
    drop(core);
    Ok(figures)
}
