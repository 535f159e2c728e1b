//! `todori undo`: takes changes back, unless something that came later would be lost.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{
    Answer, Event, HistoryQuery, Moment, Refusal, Request, Selection, TaskId, TaskMatch, Verdict,
    Want,
};

use super::output::Output;
use super::project::{Project, refused};
use super::{Ended, log, pick, when};

/// Who is named in the history for what came with a change of branch.
const GIT: &str = "git";

/// How many later changes of a task are named.
const EXPLAINED: usize = 20;

#[derive(Args)]
#[command(
    after_help = "Without options: the last change, whoever made it. Undoing an undo brings the change back. What came with a change of branch is left to git.\n\nExamples:\n  todori undo\n  todori undo 3f2b                         the last change of one task\n  todori undo --by claude --since 30m      all that sessions of Claude did in half an hour\n  todori undo --by me --dry-run            only show what would be undone"
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

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    undo(arguments, project, output).map_or_else(|ended| ended, |()| Ended::Done)
}

fn undo(arguments: &Arguments, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let selection = selection(arguments, project, output)?;
    let request = if arguments.dry_run {
        Request::RehearseUndo(selection)
    } else {
        Request::Undo(selection)
    };
    let answer = project.ask(request, output)?;
    let events = answer.events();
    if events.is_empty() {
        return Err(explain_nothing(arguments, project, output));
    }
    match &answer.verdict {
        Verdict::Refused(Refusal::ChangedSince { tasks }) => {
            return Err(explain(tasks, &answer, project, output));
        }
        Verdict::Refused(refusal) => return Err(refused(refusal, &answer, output)),
        Verdict::Changed(change) if change.is_empty() => {
            let hint = "`todori log` shows what happened; `todori undo TASK` takes back the last change of one task";
            let says = "nothing to undo: the tasks are already in that state";
            output.error(says, Some(hint));
            return Err(Ended::Refused);
        }
        Verdict::Changed(_) | Verdict::Read => {}
    }
    if output.json {
        let told: Vec<Value> = events.iter().map(log::told).collect();
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
    for event in events {
        log::line(event, answer.moment.at, output);
    }
    if !arguments.dry_run {
        output.line("Run `todori undo` again to take this back.");
    }
    Ok(())
}

/// Which events are meant. The store finds them when it decides.
fn selection(
    arguments: &Arguments,
    project: &Project,
    output: &mut Output,
) -> Result<Selection, Ended> {
    let Moment { at: now, actor } = project.now();
    let since = when::since(arguments.since.as_deref(), now, output)?;
    let task = match &arguments.task {
        None => None,
        Some(given) => Some(TaskMatch::Is(find(given, project, output)?)),
    };
    let by = arguments.by.as_deref();
    let query = HistoryQuery {
        task,
        by: by.map(|by| log::author(by, &actor.session)),
        since,
        now: Some(now),
        // What git exchanged is git's to take back, unless somebody insists.
        since_switch: by != Some(GIT),
        ..HistoryQuery::default()
    };
    Ok(match since {
        Some(_) => Selection::Every(query),
        None => Selection::Newest(query),
    })
}

/// A task, even one that is gone. What is gone can be meant only where nothing on the board is.
fn find(given: &str, project: &Project, output: &mut Output) -> Result<TaskId, Ended> {
    if given.trim().is_empty() {
        output.error(
            "the name of the task is empty",
            Some("`todori undo` alone takes back the last change"),
        );
        return Err(Ended::Usage);
    }
    let history = HistoryQuery {
        task: Some(TaskMatch::Like(given.to_owned())),
        ..HistoryQuery::newest(1)
    };
    let presence = false;
    let read = project.read(Want { history, presence }, output)?;
    let known = read.events().first().and_then(|event| event.change.id());
    match known {
        Some(id) if !pick::is_on(&read.board, given) => Ok(id),
        Some(_) | None => {
            let task = pick::on(&read.board, given, output)?;
            let found = read.board.resolve(&task).map(|task| task.id);
            found.map_err(|refusal| refused(&refusal, &read, output))
        }
    }
}

/// Says why there is nothing to undo.
fn explain_nothing(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let history = HistoryQuery {
        task: arguments.task.clone().map(TaskMatch::Like),
        ..HistoryQuery::newest(1)
    };
    let presence = false;
    let read = match project.read(Want { history, presence }, output) {
        Ok(read) => read,
        Err(ended) => return ended,
    };
    let last = read.events().first();
    if let Some(switched) = last.filter(|event| event.is_switch && arguments.by.is_none()) {
        let hint = format!(
            "{}\ngo back with git (`git checkout -`); `todori undo --by git` takes it back on this branch all the same, `todori undo TASK` what was done to another task before",
            log::words(switched)
        );
        let says = "nothing was undone: the last change came with a change of branch";
        output.error(says, Some(&hint));
        return Ended::Refused;
    }
    let hint = "`todori log` shows what happened, and by whom";
    output.error("there is nothing like that to undo", Some(hint));
    Ended::Refused
}

/// Names what came later and would be lost.
fn explain(lost: &[TaskId], answer: &Answer, project: &Project, output: &mut Output) -> Ended {
    let undone = answer.events();
    let ours: BTreeSet<u64> = undone.iter().map(|event| event.number.request).collect();
    // What is older than all that was to be undone has nothing to do with it.
    let oldest = undone.last().map(|event| event.number);
    let mut later: Vec<Event> = Vec::new();
    for &id in lost {
        let history = HistoryQuery {
            task: Some(TaskMatch::Is(id)),
            ..HistoryQuery::newest(EXPLAINED)
        };
        let presence = false;
        match project.read(Want { history, presence }, output) {
            Ok(read) => later.extend(read.history.events),
            Err(ended) => return ended,
        }
    }
    later.retain(|event| Some(event.number) > oldest && !ours.contains(&event.number.request));
    later.sort_by_key(|event| Reverse(event.number));
    let mut lines: Vec<String> = later.iter().map(log::words).collect();
    if lines.is_empty() {
        let names = lost.iter().map(|&id| {
            let title = answer.board.get(id).map_or("", |task| task.title.as_str());
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
