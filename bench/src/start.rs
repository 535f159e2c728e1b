//! How long it takes from starting the program to its first answer, beyond what it takes to start any process.

use std::process::Command;
use std::time::Instant;

use crate::report::{Figure, Target, Unit};
use crate::samples::{Samples, timed};
use crate::setup::Setup;
use crate::stdio::Client;
use crate::{Outcome, board};

const MOST_MILLISECONDS: f64 = 5.0;
const WARM_UP: usize = 2;

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "start", 10)?;
    let (mut todori_times, mut nothing_times) = (Samples::default(), Samples::default());
    for round in 0..WARM_UP + setup.effort.starts {
        let begun = Instant::now();
        let mut client = Client::start(setup.serve(&project.root))?;
        client.initialize()?;
        let todori_took = begun.elapsed();
        // Ended before the next process starts, so that the two do not share the processor.
        drop(client);
        let (ended, nothing_took) = timed(|| Command::new("/bin/true").env_clear().status());
        ended?;
        if round >= WARM_UP {
            todori_times.push(todori_took);
            nothing_times.push(nothing_took);
        }
    }
    let (todori, nothing) = (todori_times.median(), nothing_times.median());
    Ok(vec![Figure {
        what: "start to first answer, beyond a process that does nothing".to_owned(),
        measured: (todori.as_secs_f64() - nothing.as_secs_f64()) * 1_000.0,
        unit: Unit::Milliseconds,
        target: Target::AtMost(MOST_MILLISECONDS),
        detail: format!(
            "{todori:.1?} against {nothing:.1?}, {:.2} x",
            todori_times.ratio(&nothing_times)
        ),
    }])
}
