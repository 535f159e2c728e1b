//! Figures, with what they should be: as a table for people and as JSON for programs.

use std::path::Path;

use serde_json::{Value, json};

use crate::Outcome;
use crate::samples::Samples;

/// What a figure counts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    Times,
    Milliseconds,
    Megabytes,
    Tasks,
    WritesPerSecond,
}

/// What a figure should be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// It is shown to be known; nothing is asked of it.
    Open,
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) what: String,
    pub(crate) measured: f64,
    pub(crate) unit: Unit,
    pub(crate) target: Target,
    /// What the figure was worked out from.
    pub(crate) detail: String,
}

impl Figure {
    /// How many times longer one kind of work takes than another.
    pub(crate) fn ratio(what: String, work: &Samples, bare: &Samples, most: f64) -> Self {
        Self {
            what,
            measured: work.ratio(bare),
            unit: Unit::Times,
            target: Target::AtMost(most),
            detail: format!("{:.1?} against {:.1?}", work.median(), bare.median()),
        }
    }

    fn verdict(&self) -> &'static str {
        match self.target {
            Target::AtMost(most) if self.measured > most => "over",
            Target::AtLeast(least) if self.measured < least => "under",
            Target::AtMost(_) | Target::AtLeast(_) => "ok",
            Target::Open => "",
        }
    }
}

impl Unit {
    fn show(self, number: f64) -> String {
        match self {
            Self::Times => format!("{number:.2} x"),
            Self::Milliseconds => format!("{number:.2} ms"),
            Self::Megabytes => format!("{number:.1} MB"),
            Self::Tasks => format!("{number:.0} tasks"),
            Self::WritesPerSecond => format!("{number:.0} writes/s"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Times => "times",
            Self::Milliseconds => "milliseconds",
            Self::Megabytes => "megabytes",
            Self::Tasks => "tasks",
            Self::WritesPerSecond => "writes per second",
        }
    }
}

impl Target {
    fn show(self, unit: Unit) -> String {
        match self {
            Self::AtMost(most) => format!("at most {}", unit.show(most)),
            Self::AtLeast(least) => format!("at least {}", unit.show(least)),
            Self::Open => String::new(),
        }
    }

    fn to_json(self) -> Value {
        match self {
            Self::AtMost(most) => json!({"at_most": most}),
            Self::AtLeast(least) => json!({"at_least": least}),
            Self::Open => Value::Null,
        }
    }
}

/// The figures as a table.
pub(crate) fn table(figures: &[Figure]) -> String {
    let heading = ["what", "measured", "target", "", "from"].map(str::to_owned);
    let rows = figures.iter().map(|figure| {
        [
            figure.what.clone(),
            figure.unit.show(figure.measured),
            figure.target.show(figure.unit),
            figure.verdict().to_owned(),
            figure.detail.clone(),
        ]
    });
    let rows: Vec<[String; 5]> = std::iter::once(heading).chain(rows).collect();
    let mut widths = [0; 5];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let [first, second, third, fourth, _] = widths;
    let lines = rows.iter().map(|[what, measured, target, verdict, detail]| {
        let line = format!(
            "{what:<first$}  {measured:>second$}  {target:<third$}  {verdict:<fourth$}  {detail}"
        );
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes the figures to a file.
#[expect(
    clippy::disallowed_methods,
    reason = "a report is made anew by the next run; nobody needs it to survive a crash"
)]
pub(crate) fn write_json(path: &Path, figures: &[Figure]) -> Outcome<()> {
    let figures = figures.iter().map(|figure| {
        json!({
            "what": figure.what,
            "measured": figure.measured,
            "unit": figure.unit.name(),
            "target": figure.target.to_json(),
            "verdict": figure.verdict(),
            "from": figure.detail,
        })
    });
    let report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "figures": figures.collect::<Vec<_>>(),
    });
    std::fs::write(path, format!("{report:#}\n"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(measured: f64, target: Target, expected: &str) {
        let figure = Figure {
            what: "writing".to_owned(),
            measured,
            unit: Unit::Times,
            target,
            detail: "2 ms against 1 ms".to_owned(),
        };
        let table = table(&[figure]);
        assert_eq!(table.lines().nth(1), Some(expected));
    }

    #[test]
    fn a_line_says_whether_the_figure_reaches_its_target() {
        check(
            2.0,
            Target::AtMost(1.5),
            "writing    2.00 x  at most 1.50 x  over  2 ms against 1 ms",
        );
        check(
            2.0,
            Target::AtMost(2.0),
            "writing    2.00 x  at most 2.00 x  ok  2 ms against 1 ms",
        );
        check(
            2.0,
            Target::AtLeast(3.0),
            "writing    2.00 x  at least 3.00 x  under  2 ms against 1 ms",
        );
    }
}
