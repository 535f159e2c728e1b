//! How large the program is.

use crate::Outcome;
use crate::report::{Figure, Target, Unit};
use crate::setup::Setup;

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let bytes = u32::try_from(setup.todori.metadata()?.len())?;
    Ok(vec![Figure {
        what: "size of the program".to_owned(),
        measured: f64::from(bytes) / 1_000_000.0,
        unit: Unit::Megabytes,
        target: Target::Open,
        detail: format!("{bytes} bytes"),
    }])
}
