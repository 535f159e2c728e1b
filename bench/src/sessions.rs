//! How much memory sessions over HTTP need whose clients have gone quiet.

use crate::report::{Figure, Target, Unit};
use crate::setup::Setup;
use crate::web::{Client, Server};
use crate::{Outcome, board};

const MOST_MEGABYTES: f64 = 60.0;
/// As many as the server keeps in memory.
const COUNT: u32 = 1_000;

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "sessions", 0)?;
    let server = Server::start(setup.serve_http(&project.root))?;
    let before = server.process.megabytes("VmRSS:")?;
    for _ in 0..COUNT {
        // Each has its own connection, which closes here; the session stays.
        drop(Client::with_session(server.address)?);
    }
    let after = server.process.megabytes("VmRSS:")?;
    Ok(vec![Figure {
        what: format!("resident memory of {COUNT} idle sessions over HTTP"),
        measured: after - before,
        unit: Unit::Megabytes,
        target: Target::AtMost(MOST_MEGABYTES),
        detail: format!("{before:.1} MB before, {after:.1} MB after"),
    }])
}
