//! Reads what `todori export` and `--json` of other verbs write: everything comes back as it was, under its own id.

use serde_json::Value;
use todori_domain::TaskId;

use super::Unreadable;
use super::draft::{Draft, DraftSubtask, Read, priority_or_note, status, status_or_note, time};
use super::json::{Fields, parse};
use super::source::Source;

/// The newest shape that is read.
pub(super) const VERSION: u64 = 1;

pub(super) fn read(source: &Source) -> Result<Read, Unreadable> {
    let mut read = Read::default();
    for file in &source.files {
        let mut value = parse(&file.text, &file.name, 1)?;
        let version = value
            .get("todori")
            .map(|version| version.as_u64().unwrap_or(u64::MAX));
        if version.is_some_and(|version| version > VERSION) {
            let message = format!("{} was written by a newer todori", file.name);
            return Err(Unreadable::new(message).with_hint("import it with that version"));
        }
        let tasks = match value.get_mut("tasks") {
            Some(tasks) => tasks.take(),
            None => value,
        };
        let Value::Array(tasks) = tasks else {
            let message = format!("{} holds no list of tasks", file.name);
            return Err(Unreadable::new(message)
                .with_hint("`todori export` writes {\"todori\": 1, \"tasks\": [...]}"));
        };
        for task in tasks {
            if let Some(fields) = Fields::of(task, &file.name, &mut read) {
                let draft = draft(fields, &mut read);
                read.push(draft);
            }
        }
    }
    Ok(read)
}

fn draft(mut fields: Fields, read: &mut Read) -> Draft {
    let id = fields.text("id");
    let mut draft = Draft::new(id.to_lowercase(), fields.text("title"));
    draft.id = TaskId::parse(&id);
    draft.active_form = fields
        .take("activeForm")
        .map(|form| super::json::plain(&form));
    draft.description = fields.text("description");
    let word = fields.text("status");
    if !word.is_empty() {
        status_or_note(&word, &mut draft, read);
    }
    let word = fields.text("priority");
    priority_or_note(&word, &mut draft, read);
    draft.waits_for = fields
        .texts("dependencies")
        .iter()
        .map(|id| id.to_lowercase())
        .collect();
    for value in fields.list("subtasks") {
        if let Some(fields) = Fields::of(value, &draft.name(), read) {
            draft.subtasks.push(subtask(fields, read));
        }
    }
    draft.created = time(&fields.text("created"));
    draft.updated = time(&fields.text("updated"));
    draft.completed = time(&fields.text("completed"));
    draft.assignee = fields
        .take("assignee")
        .map(|name| super::json::plain(&name));
    draft.next_subtask = fields.text("nextSubtask").parse().unwrap_or(0);
    // Its place follows from the order of the list.
    fields.ignore(&["rank"]);
    let mut description = std::mem::take(&mut draft.description);
    fields.rest(&mut description, read);
    draft.description = description;
    draft
}

fn subtask(mut fields: Fields, read: &mut Read) -> DraftSubtask {
    let mut subtask = DraftSubtask::new(fields.text("title"));
    let (id, number) = (fields.text("id"), fields.text("number"));
    let in_id = id.rsplit('.').next().and_then(|number| number.parse().ok());
    subtask.number = number.parse().ok().or(in_id);
    subtask.description = fields.text("description");
    subtask.status = status(&fields.text("status")).unwrap_or(subtask.status);
    fields.rest(&mut subtask.description, read);
    subtask
}
