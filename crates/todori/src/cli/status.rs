//! `todori` alone: where things stand.

use serde_json::{Value, json};
use todori_domain::{NextFilter, Status, Timestamp, Want, recommend};
use todori_store::task_json;

use super::output::{Output, Style, harmless, width};
use super::project::Project;
use super::{Ended, list};
use crate::event_text::who;

/// How many waiting tasks are named.
const SHOWN: usize = 5;

pub(super) fn run(project: &Project, output: &mut Output) -> Ended {
    let answer = match project.read(
        Want {
            presence: true,
            ..Want::default()
        },
        output,
    ) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let board = &answer.board;
    let progress = board.progress();
    let (done, wanted) = (progress.with_status(Status::Done), progress.wanted());
    let asking = &answer.moment.actor.session;
    let next = recommend(board, &NextFilter::default(), asking, &answer.live);
    let busy: Vec<_> = board
        .in_order()
        .filter(|task| task.status == Status::InProgress)
        .collect();
    if output.json {
        let busy: Vec<Value> = busy.iter().map(|task| task_json::full(task)).collect();
        let task = next.task.as_ref().map(|task| task_json::full(task));
        output.value(&json!({
            "completed": done, "total": wanted, "inProgress": busy,
            "next": {"task": task, "rationale": next.rationale},
        }));
        return Ended::Done;
    }
    if board.is_empty() {
        output.line("No tasks yet. Add one: todori add \"Run the tests\"");
        output.line("Connect an agent: todori install claude-code");
        return Ended::Done;
    }
    let percent = (done * 100).checked_div(wanted).unwrap_or(100);
    let (head, tail) = (
        format!("Progress: {done}/{wanted} completed"),
        format!("{percent}%"),
    );
    let room = output.columns().unwrap_or(usize::MAX);
    let room = room.saturating_sub(head.len() + tail.len() + 3);
    let bar = output.bar(done, wanted, room.min(24));
    output.line(&format!("{head}  {bar} {tail}"));
    if !busy.is_empty() {
        heading("In progress", output);
    }
    for task in busy {
        let who = task.assignee.as_ref().map_or("nobody", who);
        let gone = task
            .assignee
            .as_ref()
            .is_some_and(|name| !name.is_person() && !answer.live.contains(name) && name != asking);
        let gone = if gone { ", which has ended" } else { "" };
        let (name, since) = (harmless(who), ago(answer.moment.at, task.updated));
        let id = board.short_id(task.id, 8);
        let used = 4 + id.len();
        // Where there is little room, the title needs it most.
        let note = [
            format!("  {name}{gone}, {since}"),
            format!("  {}, {since}", output.clip_name(&name, 12)),
            format!("  {}", output.clip_name(&name, 9)),
        ];
        let fits = |note: &&String| {
            let room = output.columns().map(|columns| columns.saturating_sub(used));
            room.is_none_or(|room| width(note) + 12 <= room)
        };
        let note = note.iter().find(fits).cloned().unwrap_or_default();
        let title = output.fit(task.label().as_str(), used + width(&note));
        let line = format!(
            "{} {} {}{}",
            output.sign(task.status),
            output.style(Style::Faint, &id),
            output.style(Style::Busy, &title),
            output.style(Style::Faint, &note),
        );
        output.line(&line);
    }
    heading("Next", output);
    if let Some(task) = &next.task {
        list::row(task, board, output);
    }
    output.paragraph(Style::Faint, &next.rationale);
    let held: Vec<_> = board
        .in_order()
        .filter(|task| {
            task.status == Status::Blocked
                || (task.status.is_open() && board.open_dependencies(task).next().is_some())
        })
        .collect();
    if !held.is_empty() {
        heading(&format!("Held up ({})", held.len()), output);
        held.iter()
            .take(SHOWN)
            .for_each(|task| list::row(task, board, output));
        if held.len() > SHOWN {
            output.line(&format!("   and {} more: todori list", held.len() - SHOWN));
        }
    }
    Ended::Done
}

fn heading(text: &str, output: &mut Output) {
    let text = output.style(Style::Strong, text);
    output.line("");
    output.line(&text);
}

/// How long ago something was, roughly.
fn ago(now: Timestamp, then: Timestamp) -> String {
    let minutes = (now.as_millis() - then.as_millis()).max(0) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("for {minutes} min"),
        60..2880 => format!("for {} h", minutes / 60),
        _ => format!("for {} days", minutes / 1440),
    }
}
