//! `todori log`: who did what, and when.

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Event, Want};

use super::output::{Look, Output, harmless};
use super::project::Project;
use super::{Ended, task_json};
use crate::happened::happened;

#[derive(Args)]
pub(super) struct Arguments {
    /// Only what happened to this task: its id, or the first characters of it, even if it is gone
    #[arg(value_name = "ID")]
    task: Option<String>,
    /// How many changes, newest first
    #[arg(short = 'n', long, default_value_t = 20)]
    number: usize,
    /// Only what this session, person or `file` did, or any whose name contains this
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

/// How far back is looked for changes of one task or actor.
const LOOKED_AT: usize = 100_000;

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let narrowed = arguments.task.is_some() || arguments.by.is_some();
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
    let wanted = |event: &&Event| {
        let id = event
            .change
            .id()
            .map(|id| id.to_string())
            .unwrap_or_default();
        let task = arguments
            .task
            .as_ref()
            .is_none_or(|task| id.starts_with(&task.to_lowercase()));
        task && arguments
            .by
            .as_ref()
            .is_none_or(|by| event.by.as_str().contains(by.as_str()))
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
        let at = event.at.to_string();
        let (day, time) = (
            at.get(..10).unwrap_or_default(),
            at.get(11..19).unwrap_or_default(),
        );
        let id = event.change.id().map(|id| id.prefix(8)).unwrap_or_default();
        let (who, what) = (harmless(event.by.as_str()), happened(event));
        let used = 20 + id.len() + who.chars().count() + what.len() + 6;
        let title = event
            .title()
            .map(|title| output.fit(title.as_str(), used))
            .unwrap_or_default();
        let line = format!(
            "{} {} {title}: {what}  {}",
            output.look(Look::Faint, &format!("{day} {time}")),
            output.look(Look::Faint, &id),
            output.look(Look::Faint, &who),
        );
        output.line(&line);
    }
    if events.is_empty() {
        output.line("Nothing has happened yet, or nothing like that.");
    }
    Ended::Done
}

fn told(event: &Event) -> Value {
    let task = |task: &Option<std::sync::Arc<todori_domain::Task>>| {
        task.as_ref().map(|task| task_json::task(task))
    };
    json!({
        "at": event.at.to_string(),
        "by": event.by.as_str(),
        "client": event.client,
        "what": happened(event),
        "before": task(&event.change.before),
        "after": task(&event.change.after),
    })
}
