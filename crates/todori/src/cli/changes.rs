//! Showing what would be changed in the files of clients, and asking before it is done.

use std::io::{self, BufRead as _, IsTerminal as _};

use clap::Args;
use serde_json::{Value, json};

use super::Ended;
use super::output::{Output, Style, harmless};
use crate::install::{self, DiffLine, InstallError, InstallErrorKind, Plan};

/// An answer that is given beforehand.
#[derive(Args)]
pub(super) struct Answer {
    /// Write without asking
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Only show what would be changed
    #[arg(long, conflicts_with = "yes")]
    pub(super) print: bool,
}

/// Prints the change to each file, and each command.
pub(super) fn show(plan: &Plan, output: &mut Output) {
    for change in &plan.changes {
        let name = harmless(&change.file.display().to_string());
        let kind = match (&change.before, &change.after) {
            (None, _) => " (new)",
            (Some(_), None) => " (removed)",
            (Some(_), Some(_)) => "",
        };
        let title = output.style(Style::Strong, &format!("{name}{kind}"));
        output.line(&title);
        if change.real != change.file {
            let real = harmless(&change.real.display().to_string());
            output.line(&format!("  which is {real}"));
        }
        for line in diff(change) {
            let line = match line {
                DiffLine::Same(text) => {
                    output.style(Style::Faint, &format!("  {}", output.fit(&text, 2)))
                }
                DiffLine::Old(text) => {
                    output.style(Style::Bad, &format!("- {}", output.fit(&text, 2)))
                }
                DiffLine::New(text) => {
                    output.style(Style::Good, &format!("+ {}", output.fit(&text, 2)))
                }
                DiffLine::Gap => output.style(Style::Faint, "  ..."),
            };
            output.line(&line);
        }
        output.line("");
    }
    for words in &plan.commands {
        let command = output.style(Style::Good, &format!("$ {}", shell(words)));
        output.line(&command);
    }
    if !plan.commands.is_empty() {
        output.line("");
    }
}

fn diff(change: &install::Change) -> Vec<DiffLine> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    install::diff_lines(&text(&change.before), &text(&change.after))
}

/// A command as people would type it.
fn shell(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        if word.contains([' ', '%', '\'']) {
            format!("'{}'", word.replace('\'', "'\\''"))
        } else {
            word.clone()
        }
    });
    harmless(&quoted.collect::<Vec<_>>().join(" "))
}

/// The change to each file and each command, as JSON.
pub(super) fn plan_json(plan: &Plan) -> Value {
    let changes: Vec<Value> = plan
        .changes
        .iter()
        .map(|change| {
            let lines: Vec<String> = diff(change)
                .into_iter()
                .map(|line| match line {
                    DiffLine::Same(text) => format!("  {text}"),
                    DiffLine::Old(text) => format!("- {text}"),
                    DiffLine::New(text) => format!("+ {text}"),
                    DiffLine::Gap => "  ...".to_owned(),
                })
                .collect();
            json!({
                "file": change.file.display().to_string(), "removed": change.after.is_none(),
                "replaces": change.replaces, "diff": lines,
            })
        })
        .collect();
    json!({ "changes": changes, "commands": plan.commands })
}

/// What became of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Given,
    Refused,
    /// There is nobody to ask: no terminal on both sides.
    NoTerminal,
}

/// Asks, unless the answer was given.
pub(super) fn ask(question: &str, yes: bool, output: &mut Output) -> Consent {
    if yes {
        return Consent::Given;
    }
    if output.json || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Consent::NoTerminal;
    }
    output.print(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    match (read, answer.trim().to_lowercase().as_str()) {
        (Ok(_), "y" | "yes") => Consent::Given,
        _ => Consent::Refused,
    }
}

/// Says why nothing was written where nobody could be asked.
pub(super) fn no_terminal(output: &Output) -> Ended {
    output.error(
        "nothing was written: there is no terminal to ask on",
        Some("use --yes to write it, or --print to only look"),
    );
    Ended::Usage
}

/// Says what is in the way.
pub(super) fn failed(error: &InstallError, output: &Output) -> Ended {
    output.error(&error.message, Some(&error.hint));
    match error.kind {
        InstallErrorKind::Refused => Ended::Refused,
        InstallErrorKind::Failed => Ended::StoreFailed,
    }
}
