//! `todori track`: shows the tasks of a Claude Code run, live, from its stream on standard input.

use std::io::{self, IsTerminal as _, Read as _};

use clap::Args;
use serde_json::{Value, json};
use todori_domain::Status;

use super::Ended;
use super::display::Display;
use super::output::{Output, Style, harmless};
use super::project::Project;
use crate::text::{picture, steady};
use crate::track::{Ending, Lines, List, MAX_LINE, Piece, Run};
use crate::watch::bracket;

const EXAMPLES: &str = "\
Examples:
  claude -p \"Fix the tests\" --output-format stream-json --verbose | todori track
  claude -p ... --output-format stream-json --verbose | todori track --tee > run.jsonl
  todori track < run.jsonl

It reads TodoWrite, TaskCreate and TaskUpdate, and the tools of todori itself. The lists have pictures where the \
locale is UTF-8 and NO_COLOR is not set, and [ ] [~] [x] otherwise or with --ascii.

Exit code: 0 the run succeeded, 1 it ended in an error, 3 the stream was cut off or is no such stream. Where whoever \
reads the output goes away first (todori track | head), nobody waits for the end of the run: that is 0, too.";

const HINT: &str =
    "pipe a run into it: claude -p \"...\" --output-format stream-json --verbose | todori track";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Pass the stream on to standard output, byte for byte; the display goes to standard error
    #[arg(long)]
    tee: bool,
    /// No pictures, only ASCII
    #[arg(long)]
    ascii: bool,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let settings = &project.settings;
    let input = io::stdin();
    if input.is_terminal() {
        output.error("there is no stream on standard input", Some(HINT));
        return Ended::Usage;
    }
    let mut errors = Output::on_errors(settings, output.json);
    let screen = if arguments.tee { &mut errors } else { output };
    let mut tracking = Tracking {
        signs: match (arguments.ascii, settings.unicode && !settings.no_color) {
            (true, _) => Signs::Ascii,
            (false, true) => Signs::Pictures,
            (false, false) => Signs::Usual,
        },
        run: Run::default(),
        screen,
        display: Display::default(),
    };
    let mut lines = Lines::new(MAX_LINE);
    let mut bytes = vec![0; 64 * 1024];
    let mut input = input.lock();
    loop {
        let count = match input.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracking.note("cannot read the stream", Some(&error.to_string()));
                break;
            }
        };
        let read = bytes.get(..count).unwrap_or_default();
        if arguments.tee {
            tracking.screen.pass(read);
        }
        lines.push(read, |piece| tracking.take(&piece));
        // Whoever closed the other end of the pipe has seen enough.
        if tracking.screen.is_gone() {
            return Ended::Done;
        }
    }
    let ended = tracking.finish(lines.rest());
    if tracking.screen.is_lost() {
        tracking.note("the output could not be written", None);
        return Ended::StoreFailed;
    }
    ended
}

/// How a status looks, by the rule of `todori watch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signs {
    /// Pictures, also on a pipe.
    Pictures,
    /// `--ascii`.
    Ascii,
    /// The marks that all other verbs print where there can be no pictures.
    Usual,
}

struct Tracking<'a> {
    signs: Signs,
    run: Run,
    screen: &'a mut Output,
    display: Display,
}

impl Tracking<'_> {
    fn take(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Line(line) => {
                if self.run.line(line) {
                    self.show();
                }
            }
            Piece::TooLong => {
                self.run.skip_line();
                let line = self.run.lines();
                let message = format!("line {line} is longer than 16 MB and was left out");
                self.note(&message, None);
            }
        }
    }

    /// Reports what the end of the stream means.
    fn finish(&mut self, rest: Option<Piece<'_>>) -> Ended {
        // A last line without a line break is complete if it can be parsed.
        let before = self.run.invalid_lines().map_or(0, |(count, _)| count);
        let has_rest = rest.is_some();
        if let Some(piece) = rest {
            self.take(&piece);
        }
        let cut = has_rest && self.run.invalid_lines().map_or(0, |(count, _)| count) > before;
        if !self.run.is_stream() {
            let message = if self.run.lines() == 0 {
                "the stream is empty"
            } else {
                "this is no stream of Claude Code"
            };
            self.note(message, Some(HINT));
            return Ended::StoreFailed;
        }
        if cut {
            let message = format!(
                "the stream was cut in the middle of line {}",
                self.run.lines()
            );
            self.note(&message, Some("what came before it is shown"));
        }
        let invalid = self
            .run
            .invalid_lines()
            .map(|(count, first)| (count - usize::from(cut), first));
        if let Some((count, first)) = invalid.filter(|(count, _)| *count > 0) {
            let message = match count {
                1 => format!("line {first} was no JSON and was left out"),
                _ => format!(
                    "{count} lines were no JSON and were left out, the first is line {first}"
                ),
            };
            self.note(&message, None);
        }
        let Some(ending) = self.run.ending().cloned() else {
            self.note(
                "the stream ended before the run did: there is no result",
                None,
            );
            return Ended::StoreFailed;
        };
        self.report(&ending);
        if ending.is_error {
            Ended::Refused
        } else {
            Ended::Done
        }
    }

    fn show(&mut self) {
        if self.screen.json {
            let lists: Vec<Value> = self.run.lists().shown().map(list_json).collect();
            self.screen
                .json_line(&json!({"type": "tasks", "lists": lists}));
            return;
        }
        self.screen.measure();
        let lines = block(self.run.lists().shown(), self.signs, self.screen);
        self.display.show(&lines, self.screen);
    }

    fn report(&mut self, ending: &Ending) {
        if self.screen.json {
            self.screen.json_line(&json!({
                "type": "end", "subtype": ending.subtype, "isError": ending.is_error, "turns": ending.turns,
                "durationMs": ending.duration_ms, "costUsd": ending.cost, "reason": ending.reason,
            }));
            return;
        }
        if self.run.lists().shown().next().is_none() {
            self.screen.line("No task list was seen in this run.");
        } else {
            self.screen.line("");
        }
        let look = if ending.is_error {
            Style::Bad
        } else {
            Style::Good
        };
        let text = self.screen.style(look, &harmless(&ending.text()));
        self.screen.line(&text);
    }

    /// Prints a message on standard error, below what is shown.
    fn note(&mut self, message: &str, hint: Option<&str>) {
        self.display.leave();
        self.screen.error(message, hint);
    }
}

/// All lists as people see them, in lines that fit the terminal.
fn block<'a>(lists: impl Iterator<Item = &'a List>, signs: Signs, output: &Output) -> Vec<String> {
    let sign = |status| match signs {
        Signs::Pictures => picture(status),
        Signs::Ascii => bracket(status),
        Signs::Usual => output.mark(status),
    };
    // Lines that are redrawn in place must be exactly as wide as they were measured.
    let shown = |text: &str| match output.size() {
        Some(_) => steady(text),
        None => text.to_owned(),
    };
    let mut lines = Vec::new();
    for list in lists {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let (done, total) = (list.count(Status::Done), list.total());
        if let Some(agent) = &list.agent {
            let name = output.fit(&shown(&agent.name), 40);
            if agent.finished {
                let line = format!("Agent: {name} (finished, {done}/{total} completed)");
                lines.push(output.style(Style::Faint, &line));
                continue;
            }
            lines.push(output.style(Style::Strong, &format!("Agent: {name}")));
        }
        lines.push(format!("Progress: {done}/{total} completed"));
        let busy = list.count(Status::InProgress);
        lines.push(format!("Currently working on: {busy} task(s)"));
        lines.push(String::new());
        let width = list.items.len().to_string().len();
        for (number, item) in (1..).zip(&list.items) {
            let mark = sign(item.status);
            let subtasks = item.subtasks.filter(|(_, all)| *all > 0);
            let subtasks = subtasks.map(|(done, all)| format!("  ({done}/{all} subtasks)"));
            let subtasks = subtasks.unwrap_or_default();
            let label = output.fit(&shown(item.label()), width + 6 + subtasks.len());
            let label = match item.status {
                Status::InProgress => output.style(Style::Busy, &label),
                Status::Done | Status::Cancelled => output.style(Style::Faint, &label),
                Status::Pending | Status::Blocked | Status::Deferred => label,
            };
            let subtasks = output.style(Style::Faint, &subtasks);
            lines.push(format!("{number}. {mark} {label}{subtasks}"));
        }
    }
    if lines.is_empty() {
        lines.push("No tasks are left.".to_owned());
    }
    lines
}

fn list_json(list: &List) -> Value {
    let tasks: Vec<Value> = list
        .items
        .iter()
        .map(|item| {
            json!({
                "id": item.id, "title": item.title, "activeForm": item.active_form,
                "status": item.status.as_str(),
            })
        })
        .collect();
    let agent = list.agent.as_ref();
    json!({
        "agent": agent.map(|agent| agent.name.as_str()),
        "finished": agent.is_some_and(|agent| agent.finished),
        "completed": list.count(Status::Done), "total": list.total(),
        "inProgress": list.count(Status::InProgress), "tasks": tasks,
    })
}
