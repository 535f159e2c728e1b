//! The board as the page gets it. What there is nothing to say about is left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use todori_domain::{
    Answer, Board, Day, Event, NextFilter, Presence as _, SessionName, Snapshot, Status, Task,
    TaskId, Timestamp, recommend,
};

use todori_store::task_json;

use crate::event_text::describe_event;
use crate::overview::{Overview, SessionList};

/// The board in its order, and who works on it.
pub(super) fn board(
    overview: &Overview,
    read: &Snapshot,
    asking: &SessionName,
    now: Timestamp,
) -> Value {
    let board = &read.board;
    let next = recommend(board, &NextFilter::default(), asking, &read.live);
    let next = next
        .task
        .map(|task| json!({"id": task.id.to_string(), "why": next.rationale}));
    let mut told = json!({
        "revision": read.revision.0,
        "now": now.to_string(),
        "project": overview.name.as_deref().unwrap_or("todori"),
        "version": env!("CARGO_PKG_VERSION"),
        "tasks": board.in_order().map(|task| row(task)).collect::<Vec<_>>(),
        "criticalPath": ids(&board.critical_path()),
        "sessions": sessions(overview, read),
    });
    put(&mut told, "next", next);
    told
}

/// What a card shows of a task: no long texts, and of its subtasks only how many are done.
fn row(task: &Task) -> Value {
    let mut told = task_json::compact(task);
    let described = task.description.as_ref().map(|_| json!(true));
    put(&mut told, "hasDescription", described);
    let total = task.subtasks.len();
    let done = total - task.open_subtasks();
    let subtasks = (total > 0).then(|| json!({"done": done, "total": total}));
    put(&mut told, "subtasks", subtasks);
    if let Some(fields) = told.as_object_mut() {
        fields.retain(|key, _| !matches!(key.as_str(), "description" | "nextSubtask" | "rank"));
    }
    told
}

/// Everything about a task, and what happened to it.
pub(super) fn task(answer: &Answer, task: &Task) -> Value {
    let mut told = task_json::compact(task);
    for list in ["subtasks", "dependencies"] {
        let empty = told.get(list).is_none().then(|| json!([]));
        put(&mut told, list, empty);
    }
    let held_up = answer.board.by_id();
    let held_up = held_up.filter(|other| other.waits_for.contains(&task.id));
    let held_up: Vec<TaskId> = held_up.map(|other| other.id).collect();
    put(&mut told, "holdsUp", Some(ids(&held_up)));
    let events = answer.events().iter();
    json!({"task": told, "history": events.map(event).collect::<Vec<_>>()})
}

/// Those that have tasks of the project in progress, or a list of their own.
fn sessions(overview: &Overview, read: &Snapshot) -> Vec<Value> {
    let mut held: BTreeMap<&SessionName, Vec<TaskId>> = BTreeMap::new();
    let in_progress = read.board.in_order();
    let in_progress = in_progress.filter(|task| task.status == Status::InProgress);
    for task in in_progress {
        if let Some(name) = &task.assignee {
            held.entry(name).or_default().push(task.id);
        }
    }
    let lists: BTreeMap<&SessionName, &SessionList> = overview
        .sessions
        .iter()
        .map(|list| (&list.name, list))
        .collect();
    let names: BTreeSet<&SessionName> = held.keys().chain(lists.keys()).copied().collect();
    // Of each session the newest event counts, which comes first.
    let mut clients: BTreeMap<&SessionName, Option<&str>> = BTreeMap::new();
    for event in &read.history.events {
        clients.entry(&event.by).or_insert(event.client.as_deref());
    }
    let told = names.into_iter().map(|name| {
        let list = lists.get(name);
        let client = clients.get(name).copied().flatten();
        let mut told = json!({
            "name": name.as_str(),
            "live": list.is_some_and(|list| list.is_live) || read.live.is_live(name),
            "tasks": ids(held.get(name).map_or(&[][..], Vec::as_slice)),
        });
        put(&mut told, "client", client.map(|client| json!(client)));
        let list = list.map(|list| items(&list.board));
        put(&mut told, "list", list);
        told
    });
    told.collect()
}

fn items(board: &Board) -> Value {
    let told = board.in_order().map(|task| {
        let mut told = json!({
            "title": task.title.as_str(),
            "status": task.status.as_str(),
            "updated": task.updated.to_string(),
        });
        let active_form = task.active_form.as_ref();
        put(
            &mut told,
            "activeForm",
            active_form.map(|text| json!(text.as_str())),
        );
        told
    });
    told.collect()
}

/// One thing that happened.
pub(super) fn event(event: &Event) -> Value {
    let title = event.title().map_or("", |title| title.as_str());
    let id = event.change.id().map(|id| id.to_string());
    let mut told = json!({
        "at": event.at.to_string(),
        "by": event.by.as_str(),
        "what": describe_event(event),
        "task": {"id": id, "title": title},
    });
    let client = event.client.as_ref().map(|client| json!(client));
    put(&mut told, "client", client);
    told
}

pub(super) fn day(day: &Day) -> Value {
    json!({
        "day": day.start.date(),
        "open": day.open,
        "finished": day.finished,
        "added": day.added,
    })
}

pub(super) fn ids(ids: &[TaskId]) -> Value {
    ids.iter().map(ToString::to_string).collect()
}

fn put(told: &mut Value, key: &str, value: Option<Value>) {
    let object: Option<&mut Map<String, Value>> = told.as_object_mut();
    if let (Some(object), Some(value)) = (object, value) {
        object.insert(key.to_owned(), value);
    }
}
