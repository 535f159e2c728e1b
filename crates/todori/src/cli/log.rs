//! `todori log`: who did what, and when.

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Event, SessionName, Timestamp, Want};

use super::output::{Look, Output, harmless};
use super::project::Project;
use super::{Ended, task_json, when};
use crate::event_text::{describe_event, who};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori log\n  todori log 3f2b                    one task, even if it is gone\n  todori log --by claude --since 2h  what sessions of Claude did in two hours\n  todori log --json | jq '.[0].before'"
)]
pub(super) struct Arguments {
    /// Only what happened to this task: its id, the first characters of it, or words of its title, even if it is gone
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// How many changes, newest first
    #[arg(short = 'n', long, default_value_t = 20)]
    number: usize,
    /// Only what this session, person or `file` did, or any whose name contains this; `me` is you
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Only what happened since then: 10m, 2h, 3d, or a date and time (UTC)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

/// How far back is looked for changes of one task or actor.
const LOOKED_AT: usize = 100_000;

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let narrowed = arguments.task.is_some() || arguments.by.is_some() || arguments.since.is_some();
    let history = if narrowed {
        LOOKED_AT
    } else {
        arguments.number
    };
    let answer = match project.read(
        Want {
            history,
            presence: false,
        },
        output,
    ) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let since = match when::since(arguments.since.as_deref(), answer.moment.at, output) {
        Ok(since) => since,
        Err(ended) => return ended,
    };
    let me = &answer.moment.actor.session;
    let wanted = |event: &&Event| {
        let task = arguments.task.as_ref();
        let by = arguments.by.as_ref();
        task.is_none_or(|task| is_about(event, task))
            && by.is_none_or(|by| is_by(event, by, me))
            && since.is_none_or(|since| event.at >= since)
    };
    let events: Vec<&Event> = answer
        .history
        .iter()
        .filter(wanted)
        .take(arguments.number)
        .collect();
    if output.json {
        output.value(&events.iter().map(|event| told(event)).collect());
        return Ended::Done;
    }
    for event in &events {
        line(event, answer.moment.at, output);
    }
    if events.is_empty() {
        output.line("Nothing has happened yet, or nothing like that.");
    }
    Ended::Done
}

/// Whether an event is about the task that somebody means: by the beginning of its id, or by words of its title.
pub(super) fn is_about(event: &Event, given: &str) -> bool {
    let given = given.to_lowercase();
    let id = event.change.id().map(|id| id.to_string());
    let mut tasks = [&event.change.before, &event.change.after]
        .into_iter()
        .flatten();
    id.is_some_and(|id| id.starts_with(&given))
        || tasks.any(|task| {
            let title = task.title.as_str().to_lowercase();
            given.split_whitespace().all(|word| title.contains(word))
        })
}

/// Whether somebody did it whose name, or whose program's, is this or contains it.
pub(super) fn is_by(event: &Event, by: &str, me: &SessionName) -> bool {
    if by == "me" {
        return event.by == *me;
    }
    let client = event.client.as_deref().unwrap_or_default();
    event.by.as_str().contains(by) || (!event.by.is_person() && client.contains(by))
}

/// One event on one line.
pub(super) fn line(event: &Event, now: Timestamp, output: &mut Output) {
    let EventColumns {
        time,
        id,
        who,
        what,
    } = columns(event);
    // The day is worth its room only where it is not today.
    let today = output.is_terminal().then(|| now.date());
    let time = today
        .and_then(|today| time.strip_prefix(&today))
        .map_or(time.as_str(), str::trim);
    let used = time.len() + 1 + id.len() + who.chars().count() + what.len() + 6;
    let title = event
        .title()
        .map(|title| output.fit(title.as_str(), used))
        .unwrap_or_default();
    let line = format!(
        "{} {} {title}: {what}  {}",
        output.look(Look::Faint, time),
        output.look(Look::Faint, &id),
        output.look(Look::Faint, &who),
    );
    output.line(&line);
}

/// The same as plain text.
pub(super) fn words(event: &Event) -> String {
    let EventColumns {
        time,
        id,
        who,
        what,
    } = columns(event);
    let title = event.title().map_or("", |title| title.as_str());
    format!("{time} {id} {title}: {what}  {who}")
}

/// An event as the columns of a line.
struct EventColumns {
    time: String,
    id: String,
    who: String,
    what: String,
}

fn columns(event: &Event) -> EventColumns {
    let at = event.at.to_string();
    let day = at.get(..10).unwrap_or_default();
    let time = at.get(11..19).unwrap_or_default();
    EventColumns {
        time: format!("{day} {time}"),
        id: event.change.id().map(|id| id.prefix(8)).unwrap_or_default(),
        who: harmless(who(&event.by)),
        what: describe_event(event),
    }
}

/// An event as `--json` prints it.
pub(super) fn told(event: &Event) -> Value {
    let task = |task: &Option<std::sync::Arc<todori_domain::Task>>| {
        task.as_ref().map(|task| task_json::task(task))
    };
    json!({
        "at": event.at.to_string(),
        "by": event.by.as_str(),
        "client": event.client,
        "what": describe_event(event),
        "before": task(&event.change.before),
        "after": task(&event.change.after),
    })
}
