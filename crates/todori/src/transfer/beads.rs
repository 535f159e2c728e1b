//! Reads what beads exports: one issue a line, or a list of them.

use std::collections::HashMap;

use serde_json::Value;
use todori_domain::Priority;

use super::Unreadable;
use super::draft::{Draft, Read, came_from, priority, status_or_note, time};
use super::json::{Fields, parse, plain};
use super::source::{Source, SourceFile};

/// Fields that say nothing beside the others: sums, hashes, traces of upkeep.
const UPKEEP: [&str; 14] = [
    "_type",
    "content_hash",
    "compaction_level",
    "compacted_at",
    "compacted_at_commit",
    "original_size",
    "source_repo",
    "dependency_count",
    "dependent_count",
    "comment_count",
    "original_type",
    "deleted_at",
    "deleted_by",
    "delete_reason",
];

pub(super) fn read(source: &Source) -> Result<Read, Unreadable> {
    let mut read = Read::default();
    // Who is a part of whom: the child, then the parent.
    let mut parts = Vec::new();
    let mut deleted = 0;
    for file in &source.files {
        for (line, value) in values(file)? {
            let item = format!("line {line}");
            let Some(mut fields) = Fields::of(value, &item, &mut read) else {
                continue;
            };
            let kind = fields.text("_type");
            let word = fields.text("status");
            if word == "tombstone" {
                deleted += 1;
            } else if !matches!(kind.as_str(), "" | "issue") {
                read.note(item, format!("it is no issue but a {kind}; left out"));
            } else {
                let draft = issue(fields, &word, &mut parts, &mut read);
                read.push(draft);
            }
        }
    }
    if deleted > 0 {
        read.note(
            format!("{deleted} issues"),
            "they were deleted in beads; left out",
        );
    }
    join(&mut read, parts);
    Ok(read)
}

/// The issues, each with its line.
fn values(file: &SourceFile) -> Result<Vec<(usize, Value)>, Unreadable> {
    if file.text.trim_start().starts_with('[') {
        let value = parse(&file.text, &file.name, 1)?;
        let list = value.as_array().cloned().unwrap_or_default();
        return Ok((1..).zip(list).collect());
    }
    // An object over several lines is one issue too.
    if let Ok(value) = serde_json::from_str(&file.text) {
        return Ok(vec![(1, value)]);
    }
    let lines = (1..).zip(file.text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| Ok((number, parse(line, &file.name, number)?)))
        .collect()
}

fn issue(
    mut fields: Fields,
    word: &str,
    parts: &mut Vec<(String, String)>,
    read: &mut Read,
) -> Draft {
    let id = fields.text("id");
    let mut draft = Draft::new(id.clone(), fields.text("title"));
    let mut description = fields.text("description");
    if !word.is_empty() {
        draft.description = std::mem::take(&mut description);
        status_or_note(word, &mut draft, read);
        description = std::mem::take(&mut draft.description);
    }
    let urgency = fields.text("priority");
    // Beads leaves out what is 0, which is the most urgent there.
    let level = match urgency.trim_start_matches(['P', 'p']) {
        "" => Some(0),
        number => number.parse::<i64>().ok(),
    };
    draft.priority = match level {
        Some(..=1) => Priority::High,
        Some(2) => Priority::Medium,
        Some(3..) => Priority::Low,
        None => priority(&urgency).unwrap_or(Priority::Medium),
    };
    draft.created = time(&fields.text("created_at"));
    draft.updated = time(&fields.text("updated_at"));
    draft.completed = time(&fields.text("closed_at"));
    for (name, heading) in [
        ("design", "Design"),
        ("acceptance_criteria", "Acceptance criteria"),
        ("notes", "Notes"),
    ] {
        let text = fields.text(name);
        read.section(&mut description, heading, &text);
    }
    let comments: Vec<String> = fields.list("comments").into_iter().map(comment).collect();
    read.section(&mut description, "Comments", &comments.join("\n\n"));
    let kind = fields.text("issue_type");
    if kind != "task" {
        read.fact(&mut description, "Type", &kind);
    }
    // Three levels do not tell 0 from 1, nor 4 from 3.
    match level {
        Some(1..=3) => {}
        Some(level) => read.fact(&mut description, "Priority", &format!("P{level}")),
        None => read.fact(&mut description, "Priority", &urgency),
    }
    let labels = fields.texts("labels").join(", ");
    read.fact(&mut description, "Labels", &labels);
    for value in fields.list("dependencies") {
        depend(value, &mut draft, &mut description, parts, read);
    }
    let parent = fields.text("parent");
    if !parent.is_empty() {
        parts.push((id.clone(), parent));
    }
    fields.ignore(&UPKEEP);
    fields.rest(&mut description, read);
    if !id.is_empty() {
        came_from(&mut description, "beads", &id);
    }
    draft.description = description;
    draft
}

/// What one dependency of an issue means here.
fn depend(
    value: Value,
    draft: &mut Draft,
    description: &mut String,
    parts: &mut Vec<(String, String)>,
    read: &mut Read,
) {
    if !value.is_object() {
        draft.waits_for.push(plain(&value));
        return;
    }
    let Some(mut fields) = Fields::of(value, &draft.name(), read) else {
        return;
    };
    let mut first = |names: &[&str]| {
        let found = names.iter().map(|name| fields.text(name));
        found
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    };
    let target = first(&["depends_on_id", "target_id", "id"]);
    let kind = first(&["type", "dependency_type"]);
    match kind.as_str() {
        "blocks" | "conditional-blocks" | "waits-for" | "" => draft.waits_for.push(target),
        "parent-child" => parts.push((draft.key.clone(), target)),
        "related" | "relates-to" | "relates_to" => read.fact(description, "Related", &target),
        "discovered-from" => read.fact(description, "Discovered from", &target),
        other => read.fact(description, &format!("Link ({other})"), &target),
    }
}

fn comment(mut value: Value) -> String {
    if !value.is_object() {
        return plain(&value);
    }
    let mut take = |name: &str| {
        let field = value.get_mut(name).map(Value::take);
        field.map(|value| plain(&value)).unwrap_or_default()
    };
    let (author, at, text) = (take("author"), take("created_at"), take("text"));
    format!("{author}, {at}:\n{text}")
}

/// A whole is done when its parts are: it waits for them.
fn join(read: &mut Read, parts: Vec<(String, String)>) {
    let places: HashMap<String, usize> = read
        .drafts
        .iter()
        .enumerate()
        .map(|(place, draft)| (draft.key.clone(), place))
        .collect();
    for (child, parent) in parts {
        let whole = places
            .get(&parent)
            .and_then(|&place| read.drafts.get_mut(place));
        if let Some(whole) = whole {
            whole.waits_for.push(child);
        } else {
            let what = format!("it is a part of {parent}, which is not there: left out");
            read.note(child, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use todori_domain::Status;

    use super::*;

    const ISSUES: &str = r#"{"id":"bd-1","title":"Epic","status":"open","priority":1,"issue_type":"epic","created_at":"2025-12-16T01:03:14.349425-08:00"}
{"id":"bd-2","title":"Part","description":"Do it.","design":"So.","notes":"Then.","acceptance_criteria":"- it works","status":"in_progress","priority":4,"issue_type":"task","assignee":"ada","labels":["ui","x"],"dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"},{"issue_id":"bd-2","depends_on_id":"bd-3","type":"blocks"},{"issue_id":"bd-2","depends_on_id":"bd-9","type":"discovered-from"}],"comments":[{"id":1,"author":"bob","text":"Hm.","created_at":"2025-12-16"}]}

{"id":"bd-3","title":"Closed","status":"closed","issue_type":"task","priority":2,"updated_at":"2025-12-18T00:00:00Z","closed_at":"2025-12-17T00:00:00Z","close_reason":"fixed"}
{"id":"bd-4","title":"Gone","status":"tombstone","deleted_at":"2025-12-17T00:00:00Z"}
{"_type":"memory","id":"m-1"}
"#;

    #[test]
    fn issues_become_tasks_and_wholes_wait_for_their_parts() {
        let read = read(&Source::of("issues.jsonl", ISSUES)).unwrap();
        let [epic, part, closed] = &read.drafts[..] else {
            panic!("three tasks: {:?}", read.drafts)
        };
        assert_eq!(epic.waits_for, ["bd-2"]);
        assert_eq!(epic.description, "Type: epic\nImported from: beads bd-1");
        assert_eq!(
            epic.created.unwrap().to_string(),
            "2025-12-16T09:03:14.349Z"
        );
        assert_eq!(
            (part.status, part.priority),
            (Status::InProgress, Priority::Low)
        );
        assert_eq!(part.waits_for, ["bd-3"]);
        assert_eq!(
            part.description,
            "Do it.\n\n## Design\n\nSo.\n\n## Acceptance criteria\n\n- it works\n\n## Notes\n\nThen.\n\n\
            ## Comments\n\nbob, 2025-12-16:\nHm.\n\nPriority: P4\nLabels: ui, x\nDiscovered from: bd-9\n\
            Assignee: ada\nImported from: beads bd-2"
        );
        assert_eq!(closed.status, Status::Done);
        assert_eq!(closed.completed.unwrap().date(), "2025-12-17");
        let told: Vec<String> = read
            .notes
            .iter()
            .map(|note| format!("{}: {}", note.item, note.what))
            .collect();
        assert_eq!(
            told,
            [
                "line 6: it is no issue but a memory; left out",
                "1 issues: they were deleted in beads; left out"
            ]
        );
    }

    #[test]
    fn a_broken_line_is_told_with_its_number() {
        let text = "{\"id\":\"a\",\"title\":\"x\"}\n\n<<<<<<< HEAD\n";
        let error = read(&Source::of("issues.jsonl", text)).unwrap_err();
        assert_eq!(
            error.message,
            "issues.jsonl is no JSON at line 3, column 1: expected value"
        );
    }
}
