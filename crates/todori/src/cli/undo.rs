//! `todori undo`: takes changes back, unless something that came later would be lost.

use std::collections::BTreeSet;

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{
    Answer, Change, Command, Event, NobodyElse, Refusal, Request, TaskId, Verdict, Want, decide,
    latest_change,
};

use super::output::Output;
use super::project::{Project, refused};
use super::{Ended, log, pick, when};

#[derive(Args)]
#[command(
    after_help = "Without options: the last change, whoever made it. Undoing an undo brings the change back.\n\nExamples:\n  todori undo\n  todori undo 3f2b                         the last change of one task\n  todori undo --by claude --since 30m      all that sessions of Claude did in half an hour\n  todori undo --by me --dry-run            only show what would be undone"
)]
pub(super) struct Arguments {
    /// Only the last change of this task: its id, the first characters of it, or words of its title
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// What this session, person or `file` did, or any whose name contains this; `me` is you
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// All changes since then instead of only the last: 10m, 2h, 3d, or a date and time (UTC)
    #[arg(long, value_name = "TIME", conflicts_with = "task")]
    since: Option<String>,
    /// Only show what would be undone
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// How far back is looked.
const LOOKED_AT: usize = 100_000;

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    undo(arguments, project, output).map_or_else(|ended| ended, |()| Ended::Done)
}

fn undo(arguments: &Arguments, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let want = Want {
        history: LOOKED_AT,
        presence: false,
    };
    let read = project.read(want, output)?;
    let events = chosen(arguments, &read, project, output)?;
    if events.is_empty() {
        let hint = "`todori log` shows what happened, and by whom";
        output.error("there is nothing like that to undo", Some(hint));
        return Err(Ended::Refused);
    }
    let changes = events.iter().map(|event| event.change.clone()).collect();
    let commands = vec![Command::Undo { changes }];
    let undone = if arguments.dry_run {
        decide(&read.board, &commands, &read.moment, &NobodyElse).map(|decision| decision.change)
    } else {
        match project.ask(Request::Write(commands), output)?.verdict {
            Verdict::Refused(refusal) => Err(refusal),
            Verdict::Changed(change) => Ok(change),
            Verdict::Read => Ok(Change::default()),
        }
    };
    let undone = undone.map_err(|refusal| {
        if let Refusal::ChangedSince { tasks } = &refusal {
            return explain(tasks, &events, &read, output);
        }
        refused(&refusal, &read, output)
    })?;
    if undone.is_empty() {
        let hint = "`todori log` shows what happened; `todori undo TASK` takes back the last change of one task";
        output.error(
            "there is nothing left to undo of that: it is so already",
            Some(hint),
        );
        return Err(Ended::Refused);
    }
    if output.json {
        let told: Vec<Value> = events.iter().map(|event| log::told(event)).collect();
        output.value(&json!({"undone": told, "dryRun": arguments.dry_run}));
        return Ok(());
    }
    let count = events.len();
    let changes = if count == 1 { "change" } else { "changes" };
    output.line(&if arguments.dry_run {
        format!("Would undo {count} {changes}:")
    } else {
        format!("Undid {count} {changes}:")
    });
    for event in &events {
        log::line(event, read.moment.at, output);
    }
    if !arguments.dry_run {
        output.line("Run `todori undo` again to take this back.");
    }
    Ok(())
}

/// The events to take back, newest first.
fn chosen<'a>(
    arguments: &Arguments,
    read: &'a Answer,
    project: &Project,
    output: &mut Output,
) -> Result<Vec<&'a Event>, Ended> {
    let since = when::since(arguments.since.as_deref(), read.moment.at, output)?;
    let task = match &arguments.task {
        None => None,
        Some(given) => Some(find(given, read, project, output)?),
    };
    let by = |event: &Event| {
        let by = arguments.by.as_deref();
        by.is_none_or(|by| log::is_by(event, by, &read.moment.actor.session))
    };
    let history = &read.history;
    if let Some(since) = since {
        let wanted = history
            .iter()
            .filter(|event| event.at >= since && by(event));
        return Ok(wanted.collect());
    }
    let Some(task) = task else {
        return Ok(latest_change(history, by));
    };
    // A request may have changed others with it, which belong together.
    let touched = |event: &&Event| event.change.id() == Some(task) && by(event);
    let Some(last) = history.iter().find(touched) else {
        return Ok(Vec::new());
    };
    Ok(latest_change(history, |event| {
        event.request == last.request
    }))
}

/// A task, even one that is gone.
fn find(
    given: &str,
    read: &Answer,
    project: &Project,
    output: &mut Output,
) -> Result<TaskId, Ended> {
    let events = read
        .history
        .iter()
        .filter(|event| log::is_about(event, given));
    let mut known = events.filter_map(|event| event.change.id());
    // What is on the board goes first; what is gone can be meant only where nothing there is.
    let here = known.clone().any(|id| read.board.get(id).is_some());
    if let (false, Some(id)) = (here, known.next()) {
        return Ok(id);
    }
    let task = pick::task(given, project, output)?;
    let found = read.board.resolve(&task).map(|task| task.id);
    found.map_err(|refusal| refused(&refusal, read, output))
}

/// Names what came later and would be lost.
fn explain(lost: &[TaskId], undone: &[&Event], read: &Answer, output: &mut Output) -> Ended {
    let lost: BTreeSet<TaskId> = lost.iter().copied().collect();
    let ours: BTreeSet<u64> = undone.iter().map(|event| event.request).collect();
    let is_ours = |event: &Event| ours.contains(&event.request);
    // Newest first: what stands behind all that is undone is older, and has nothing to do with it.
    let newer = read.history.iter().rposition(is_ours).unwrap_or_default();
    let later = read.history.iter().take(newer).filter(|event| {
        let touched = event.change.id().is_some_and(|id| lost.contains(&id));
        touched && !is_ours(event)
    });
    let mut lines: Vec<String> = later.map(log::words).collect();
    if lines.is_empty() {
        let names = lost.iter().map(|&id| {
            let title = read.board.get(id).map_or("", |task| task.title.as_str());
            format!("{} {title} is not as it was left", id.prefix(8))
        });
        lines = names.collect();
    }
    let hint = format!(
        "{}\nundo those first, or change the tasks by hand",
        lines.join("\n")
    );
    output.error(
        "nothing was undone: this came later and would be lost",
        Some(&hint),
    );
    Ended::Refused
}
