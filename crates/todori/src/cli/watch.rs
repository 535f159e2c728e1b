//! `todori watch`: progress as it happens, full-screen on a terminal and in blocks of text elsewhere.

use std::io::{self, IsTerminal as _};
use std::ops::ControlFlow;

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Board, Status, StoreError};
use todori_store::task_json;

use super::Ended;
use super::output::{Output, safe_json};
use super::project::{Project, failed};
use crate::error_text::ErrorText;
use crate::overview::Overview;
use crate::watch::{self, Appearance, Follow, Plain, Show, State, WatchScope, Watched};

const EXAMPLES: &str = "\
On a terminal the screen is live: j and k move, Enter shows everything about a task, / filters, ? lists all keys. \
Elsewhere, and with --once, the lists are printed as blocks of text, one for each change. They have pictures where the \
locale is UTF-8 and NO_COLOR is not set, and [ ] [~] [x] otherwise or with --ascii.

Examples:
  todori watch                          look on while agents work
  todori watch --session claude         only the lists of sessions whose name contains this
  todori watch --once                   the present state, then end
  todori watch | tee progress.log       a block of text for each change
  todori watch --json | jq .project     a JSON object on a line for each change";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Only the lists of sessions whose name contains this
    #[arg(long, value_name = "NAME", group = "scope")]
    session: Option<String>,
    /// Only the lists of sessions, not the project's
    #[arg(long, group = "scope")]
    sessions: bool,
    /// Only the project's list, not those of sessions
    #[arg(long, group = "scope")]
    project_only: bool,
    /// Leave out what is done
    #[arg(long)]
    open: bool,
    /// Print what is there now, and end
    #[arg(long)]
    once: bool,
    /// No pictures and no lines, only ASCII
    #[arg(long)]
    ascii: bool,
}

impl Arguments {
    fn scope(&self) -> WatchScope {
        match &self.session {
            Some(name) => WatchScope::Session(name.clone()),
            None if self.sessions => WatchScope::Sessions,
            None if self.project_only => WatchScope::Project,
            None => WatchScope::Everything,
        }
    }
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let settings = &project.settings;
    let pictures = settings.unicode && !settings.no_color && !arguments.ascii;
    let wants_screen = !arguments.once && !output.json && !settings.dumb;
    if wants_screen && io::stdout().is_terminal() {
        let look = Appearance {
            color: !settings.no_color,
            pictures,
            lines: settings.unicode && !arguments.ascii,
        };
        return screen(arguments, look, project, output);
    }
    let plain = Plain {
        pictures,
        open_only: arguments.open,
    };
    print(arguments, plain, project, output)
}

fn screen(arguments: &Arguments, look: Appearance, project: &Project, output: &Output) -> Ended {
    let show = if arguments.open {
        Show::Open
    } else {
        Show::All
    };
    let settings = &project.settings;
    let state = State::new(look, arguments.scope(), show);
    match watch::run(state, project.tracker(), settings, project.runtime()) {
        Ok(()) => Ended::Done,
        Err(error) => {
            let hint = format!("{error}; `todori watch | cat` needs no screen");
            output.error("the terminal can't be taken over", Some(&hint));
            Ended::StoreFailed
        }
    }
}

/// Prints each state, where it looks different from the one before.
fn print(arguments: &Arguments, plain: Plain, project: &Project, output: &mut Output) -> Ended {
    let scope = arguments.scope();
    let how = if arguments.once {
        Follow::Once
    } else {
        Follow::On
    };
    let mut ended = Ended::Done;
    let mut before = None;
    let show = |overview: &Overview| {
        let seen = scope.of(overview.clone());
        let trouble = trouble(&seen).cloned();
        let text = if output.json {
            told(&seen).to_string()
        } else {
            watch::blocks(&seen, plain)
        };
        let now = Some((text, trouble));
        if now == before {
            return ControlFlow::Continue(());
        }
        if let Some((text, trouble)) = &now {
            if output.json {
                output.line(&safe_json(text));
            } else if !text.is_empty() {
                if before.is_some() {
                    output.line("");
                }
                output.line(text.trim_end());
            }
            if let Some(error) = trouble {
                ended = failed(error, output);
            }
        }
        before = now;
        if output.is_lost() || output.is_gone() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    project.wait(watch::follow(&**project.tracker().store(), how, show));
    if arguments.once { ended } else { Ended::Done }
}

/// Why the project's board can't be read. That there is none is nothing to complain about.
fn trouble(seen: &Watched) -> Option<&StoreError> {
    let error = seen.project.as_ref()?.as_ref().err()?;
    (!matches!(error, StoreError::NoBoard { .. })).then_some(error)
}

/// The state as `--json` prints it.
fn told(seen: &Watched) -> Value {
    let Watched {
        name: _,
        project: board,
        sessions,
    } = seen;
    let trouble = board.as_ref().and_then(|board| board.as_ref().err());
    let trouble = trouble.map(ErrorText::of);
    let sessions = sessions.iter().map(|list| {
        let mut value = list_json(&list.board);
        if let Some(map) = value.as_object_mut() {
            map.shift_insert(0, "session".to_owned(), json!(list.name.as_str()));
        }
        value
    });
    let project = board.as_ref().and_then(|board| board.as_ref().ok());
    json!({
        "project": project.map(|project| list_json(&project.board)),
        "error": trouble.map(|trouble| json!({"message": trouble.message, "hint": trouble.hint})),
        "sessions": sessions.collect::<Vec<_>>(),
    })
}

fn list_json(board: &Board) -> Value {
    let progress = board.progress();
    let tasks = board.in_order().map(|task| task_json::full(task));
    json!({
        "completed": progress.with_status(Status::Done),
        "total": progress.wanted(),
        "tasks": tasks.collect::<Vec<_>>(),
    })
}
