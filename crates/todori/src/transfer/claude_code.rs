//! Reads the task lists of Claude Code: one file for each task, or the older list of todos.

use std::collections::HashMap;

use serde_json::Value;

use super::Unreadable;
use super::draft::{Draft, Read, came_from, priority_or_note, status_or_note};
use super::json::{Fields, parse};
use super::source::Source;

pub(super) fn read(source: &Source) -> Result<Read, Unreadable> {
    let mut read = Read::default();
    // What a task holds up, by the other end of it.
    let mut held_up = Vec::new();
    for file in &source.files {
        let mut value = parse(&file.text, &file.name, 1)?;
        if let Some(todos) = value.get_mut("todos") {
            value = todos.take();
        }
        let values = if let Value::Array(values) = value {
            values
        } else {
            vec![value]
        };
        for value in values {
            let Some(fields) = Fields::of(value, &file.name, &mut read) else {
                continue;
            };
            let draft = task(fields, &mut held_up, &mut read);
            read.push(draft);
        }
    }
    let places: HashMap<String, usize> = (0..)
        .zip(&read.drafts)
        .map(|(place, draft)| (draft.key.clone(), place))
        .collect();
    for (key, other) in held_up {
        let place = places
            .get(&other)
            .and_then(|&place| read.drafts.get_mut(place));
        match place {
            Some(draft) if draft.waits_for.contains(&key) => {}
            Some(draft) => draft.waits_for.push(key),
            None => read.note(
                key,
                format!("it blocks {other}, which is not there: left out"),
            ),
        }
    }
    Ok(read)
}

fn task(mut fields: Fields, held_up: &mut Vec<(String, String)>, read: &mut Read) -> Draft {
    let id = fields.text("id");
    let mut title = fields.text("subject");
    if title.is_empty() {
        title = fields.text("content");
    }
    let mut draft = Draft::new(id.clone(), title);
    draft.description = fields.text("description");
    draft.active_form = Some(fields.text("activeForm")).filter(|form| !form.is_empty());
    let word = fields.text("status");
    if !word.is_empty() {
        status_or_note(&word, &mut draft, read);
    }
    let word = fields.text("priority");
    priority_or_note(&word, &mut draft, read);
    draft.waits_for = fields.texts("blockedBy");
    held_up.extend(
        fields
            .texts("blocks")
            .into_iter()
            .map(|other| (id.clone(), other)),
    );
    let mut description = std::mem::take(&mut draft.description);
    fields.rest(&mut description, read);
    if !id.is_empty() {
        came_from(&mut description, "Claude Code", &id);
    }
    draft.description = description;
    draft
}

#[cfg(test)]
mod tests {
    use todori_domain::Status;

    use super::super::source::SourceFile;
    use super::*;

    #[test]
    fn a_list_is_read_with_what_blocks_what() {
        let mut source = Source::of("list", "");
        let file = |name: &str, text: &str| SourceFile {
            name: name.to_owned(),
            path: None,
            text: text.to_owned(),
        };
        source.files = vec![
            file(
                "1.json",
                r#"{"id": "1", "subject": "Plan", "description": "First.", "activeForm": "Planning",
                "status": "completed", "blocks": ["2", "7"], "blockedBy": []}"#,
            ),
            file(
                "2.json",
                r#"{"id": "2", "subject": "Build", "description": "", "activeForm": "Building",
                "status": "in_progress", "blocks": [], "blockedBy": ["1"], "owner": "agent-2", "metadata": {"a": 1}}"#,
            ),
        ];
        let read = read(&source).unwrap();
        let [plan, build] = &read.drafts[..] else {
            panic!("two tasks")
        };
        assert_eq!(
            (plan.status, plan.active_form.as_deref()),
            (Status::Done, Some("Planning"))
        );
        assert_eq!(
            (build.status, build.waits_for.as_slice()),
            (Status::InProgress, &["1".to_owned()][..])
        );
        assert_eq!(
            build.description,
            "Owner: agent-2\nMetadata: {\"a\":1}\nImported from: Claude Code 2"
        );
        assert_eq!(read.notes.len(), 1);
    }

    #[test]
    fn an_old_list_of_todos_is_read_too() {
        let text = r#"[{"content": "Run", "status": "pending", "activeForm": "Running", "priority": "high", "id": "a"}]"#;
        let read = read(&Source::of("x.json", text)).unwrap();
        assert_eq!(read.drafts[0].title, "Run");
        assert_eq!(read.drafts[0].priority, todori_domain::Priority::High);
    }
}
