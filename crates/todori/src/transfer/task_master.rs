//! Reads `tasks.json` of task-master: one list, or one for each tag.

use serde_json::{Map, Value};
use todori_domain::Status;

use super::draft::{Draft, DraftSubtask, Read, priority_or_note, status, status_or_note, time};
use super::json::{Fields, parse, plain};
use super::source::Source;
use super::{Unreadable, draft};

/// The tag that a list without tags stands for.
const USUAL_TAG: &str = "master";

pub(super) fn read(source: &Source) -> Result<Read, Unreadable> {
    let mut read = Read::default();
    for file in &source.files {
        let value = parse(&file.text, &file.name, 1)?;
        let not_ours = || {
            Unreadable::new(format!("{} holds no list of tasks", file.name)).with_hint(
                "task-master writes {\"tasks\": [...]} or {\"master\": {\"tasks\": [...]}}",
            )
        };
        let Value::Object(mut map) = value else {
            return Err(not_ours());
        };
        if map.get("tasks").is_some_and(Value::is_array) {
            tag(USUAL_TAG, &mut map, &mut read);
            continue;
        }
        let mut found = false;
        for (name, value) in map {
            if let Value::Object(mut list) = value
                && list.get("tasks").is_some_and(Value::is_array)
            {
                found = true;
                tag(&name, &mut list, &mut read);
            } else {
                read.note(name, "it holds no list of tasks; left out");
            }
        }
        if !found {
            return Err(not_ours());
        }
    }
    Ok(read)
}

/// The tasks of one tag.
fn tag(tag: &str, list: &mut Map<String, Value>, read: &mut Read) {
    let tasks = list.shift_remove("tasks");
    let tasks = tasks.and_then(|tasks| tasks.as_array().cloned());
    for value in tasks.unwrap_or_default() {
        let Some(fields) = Fields::of(value, &format!("a task of {tag}"), read) else {
            continue;
        };
        let draft = task(tag, fields, read);
        read.push(draft);
    }
}

/// What a task of a tag is called among all.
fn key(tag: &str, id: &str) -> String {
    if tag == USUAL_TAG {
        id.to_owned()
    } else {
        format!("{tag}/{id}")
    }
}

fn task(tag: &str, mut fields: Fields, read: &mut Read) -> Draft {
    let id = fields.text("id");
    let mut draft = Draft::new(key(tag, &id), fields.text("title"));
    draft.description = fields.text("description");
    let word = fields.text("status");
    if !word.is_empty() {
        status_or_note(&word, &mut draft, read);
    }
    let word = fields.text("priority");
    priority_or_note(&word, &mut draft, read);
    for dependency in fields.texts("dependencies") {
        // A task can wait for a task only, not for a subtask of one.
        let whole = dependency.split('.').next().unwrap_or_default();
        if whole != dependency {
            read.note(
                draft.name(),
                format!("it waits for subtask {dependency}: now for all of {whole}"),
            );
        }
        if whole != id {
            draft.waits_for.push(key(tag, whole));
        }
    }
    draft.updated = time(&fields.text("updatedAt"));
    draft.created = time(&fields.text("createdAt"));
    draft.completed = time(&fields.text("completedAt"));
    let mut description = std::mem::take(&mut draft.description);
    let details = fields.text("details");
    read.section(&mut description, "Details", &details);
    let strategy = fields.text("testStrategy");
    read.section(&mut description, "Test strategy", &strategy);
    for value in fields.list("subtasks") {
        if let Some(title) = value.as_str() {
            draft.subtasks.push(DraftSubtask::new(title));
            continue;
        }
        let Some(fields) = Fields::of(value, &draft.name(), read) else {
            continue;
        };
        let subtask = subtask(&draft, fields, read);
        draft.subtasks.push(subtask);
    }
    if tag != USUAL_TAG {
        read.fact(&mut description, "Tag", tag);
    }
    fields.rest(&mut description, read);
    if !id.is_empty() {
        draft::came_from(&mut description, "task-master", &id);
    }
    draft.description = description;
    draft
}

fn subtask(task: &Draft, mut fields: Fields, read: &mut Read) -> DraftSubtask {
    let id = fields.text("id");
    let mut subtask = DraftSubtask::new(fields.text("title"));
    subtask.number = id.parse().ok().filter(|&number| number > 0);
    let name = format!("{}.{id}", task.key);
    let word = fields.text("status");
    subtask.status = status(&word).unwrap_or_else(|| {
        if !word.is_empty() {
            read.note(
                name,
                format!("there is no status {word:?} here: it is pending now"),
            );
        }
        Status::Pending
    });
    subtask.description = fields.text("description");
    let details = fields.text("details");
    read.section(&mut subtask.description, "Details", &details);
    let strategy = fields.text("testStrategy");
    read.section(&mut subtask.description, "Test strategy", &strategy);
    let waits: Vec<String> = fields.list("dependencies").iter().map(plain).collect();
    // Subtasks do not wait for each other here: they are done in order, and the words say what they waited for.
    read.fact(&mut subtask.description, "Waits for", &waits.join(", "));
    fields.ignore(&["parentTaskId", "parentId"]);
    fields.rest(&mut subtask.description, read);
    subtask
}

#[cfg(test)]
mod tests {
    use todori_domain::Priority;

    use super::*;

    fn read_text(text: &str) -> Read {
        read(&Source::of("tasks.json", text)).unwrap()
    }

    const TASKS: &str = r#"[
        {"id": 1, "title": "Set up", "status": "done", "priority": "high", "dependencies": [], "description": "First."},
        {"id": "2", "title": "Build", "status": "review", "dependencies": [1, "1.2", 9], "details": "Long.",
         "testStrategy": "Run it.", "metadata": {"sprint": 3},
         "subtasks": [{"id": 1, "title": "Plan", "status": "done"},
            {"id": 2, "title": "Code", "status": "in-progress", "dependencies": [1], "details": "Now."}]}]"#;

    #[test]
    fn both_layouts_say_the_same() {
        let flat = read_text(&format!(
            r#"{{"tasks": {TASKS}, "metadata": {{"version": 1}}}}"#
        ));
        let tagged = read_text(&format!(
            r#"{{"master": {{"tasks": {TASKS}, "metadata": {{}}}}}}"#
        ));
        assert_eq!(flat, tagged);
        assert_eq!(flat.drafts.len(), 2);
    }

    #[test]
    fn everything_finds_its_place() {
        let read = read_text(&format!(r#"{{"tasks": {TASKS}}}"#));
        let [first, second] = &read.drafts[..] else {
            panic!("two tasks")
        };
        assert_eq!(
            (first.key.as_str(), first.status, first.priority),
            ("1", Status::Done, Priority::High)
        );
        assert_eq!(first.description, "First.\n\nImported from: task-master 1");
        assert_eq!(second.status, Status::Blocked);
        assert_eq!(second.waits_for, ["1", "1", "9"]);
        assert_eq!(
            second.description,
            "Status: review\n\n## Details\n\nLong.\n\n## Test strategy\n\nRun it.\n\n\
            Metadata: {\"sprint\":3}\nImported from: task-master 2"
        );
        let subtasks: Vec<(Option<u32>, &str, Status)> = second
            .subtasks
            .iter()
            .map(|subtask| (subtask.number, subtask.description.as_str(), subtask.status))
            .collect();
        assert_eq!(
            subtasks,
            [
                (Some(1), "", Status::Done),
                (
                    Some(2),
                    "## Details\n\nNow.\n\nWaits for: 1",
                    Status::InProgress
                )
            ]
        );
        let told: Vec<&str> = read.notes.iter().map(|note| note.what.as_str()).collect();
        assert_eq!(
            told,
            [
                "there is no status \"review\" here: it is blocked now",
                "it waits for subtask 1.2: now for all of 1"
            ]
        );
    }

    #[test]
    fn tags_do_not_mix() {
        let read = read_text(
            r#"{"master": {"tasks": [{"id": 1, "title": "a"}]},
            "idea": {"tasks": [{"id": 1, "title": "b"}, {"id": 2, "title": "c", "dependencies": [1]}]}}"#,
        );
        let keys: Vec<&str> = read.drafts.iter().map(|draft| draft.key.as_str()).collect();
        assert_eq!(keys, ["1", "idea/1", "idea/2"]);
        assert_eq!(read.drafts[2].waits_for, ["idea/1"]);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["[]", "{}", r#"{"tasks": 1}"#, r#"{"master": {}}"#] {
            assert!(read(&Source::of("x", text)).is_err(), "{text}");
        }
    }
}
