//! `todori doctor`: looks at the project, the installation and what agents are charged, and says what to do.

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Finding, Level};

use super::Ended;
use super::output::{Output, Style, harmless};
use super::project::Project;
use crate::doctor;

#[derive(Args)]
#[command(
    after_help = "One line for each thing: ok, note or problem, and what to do about it. Ends with 1 if there is a problem.\n\n\
        Examples:\n  todori doctor\n  todori doctor --json | jq -r '.findings[] | select(.level == \"problem\") | .says'"
)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let findings = project.wait(doctor::examine(project.tracker(), &project.settings));
    let count = |level: Level| {
        findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    };
    let (problems, notes) = (count(Level::Problem), count(Level::Note));
    if output.json {
        let shown: Vec<Value> = findings.iter().map(told).collect();
        output.value(&json!({"problems": problems, "notes": notes, "findings": shown}));
    } else {
        for finding in &findings {
            print(finding, output);
        }
        output.line("");
        output.line(&match (problems, notes) {
            (0, 0) => "All is well.".to_owned(),
            (0, notes) => format!("No problems; {notes} to note."),
            (problems, notes) => format!("{problems} to mend, {notes} to note."),
        });
    }
    if problems > 0 {
        Ended::Refused
    } else {
        Ended::Done
    }
}

fn told(finding: &Finding) -> Value {
    json!({
        "level": finding.level.as_str(),
        "about": finding.about,
        "says": finding.says,
        "advice": finding.advice,
    })
}

fn print(finding: &Finding, output: &mut Output) {
    let Finding {
        level,
        about,
        says,
        advice,
    } = finding;
    let look = match level {
        Level::Ok => Style::Good,
        Level::Note => Style::Busy,
        Level::Problem => Style::Bad,
    };
    let word = output.style(look, &format!("{:<7}", level.as_str()));
    let about = output.style(Style::Faint, &format!("{about:<8}"));
    let advice = advice
        .as_ref()
        .map(|advice| format!(" -- {}", harmless(advice)))
        .unwrap_or_default();
    output.line(&format!("{word} {about} {}{advice}", harmless(says)));
}
