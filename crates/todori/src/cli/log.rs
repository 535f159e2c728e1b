//! `todori log`: who did what, and when.

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{
    AuthorMatch, Event, HistoryQuery, Moment, SessionName, TaskMatch, Timestamp, Want,
};
use todori_store::task_json;

use super::output::{Output, Style, harmless};
use super::project::Project;
use super::{Ended, when};
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

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    log(arguments, project, output).map_or_else(|ended| ended, |()| Ended::Done)
}

fn log(arguments: &Arguments, project: &Project, output: &mut Output) -> Result<(), Ended> {
    let Moment { at: now, actor } = project.now();
    let history = HistoryQuery {
        task: arguments.task.clone().map(TaskMatch::Like),
        by: arguments.by.as_deref().map(|by| author(by, &actor.session)),
        since: when::since(arguments.since.as_deref(), now, output)?,
        now: Some(now),
        ..HistoryQuery::newest(arguments.number)
    };
    let presence = false;
    let answer = project.read(Want { history, presence }, output)?;
    let events = answer.events();
    if output.json {
        output.value(&events.iter().map(told).collect());
        return Ok(());
    }
    for event in events {
        line(event, answer.moment.at, output);
    }
    if events.is_empty() {
        output.line("Nothing has happened yet, or nothing like that.");
    }
    Ok(())
}

/// Who is meant by a name: `me`, or anybody whose name, or whose program's, contains it.
pub(super) fn author(by: &str, me: &SessionName) -> AuthorMatch {
    match by {
        "me" => AuthorMatch::Is(me.clone()),
        by => AuthorMatch::Like(by.to_owned()),
    }
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
        output.style(Style::Faint, time),
        output.style(Style::Faint, &id),
        output.style(Style::Faint, &who),
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
        task.as_ref().map(|task| task_json::full(task))
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
