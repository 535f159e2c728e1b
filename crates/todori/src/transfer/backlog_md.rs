//! Reads the folder of Backlog.md: one Markdown file for each task, with a head.

use todori_domain::Status;

use super::Unreadable;
use super::draft::{Draft, DraftSubtask, Read, came_from, priority_or_note, status_or_note, time};
use super::front_matter;
use super::source::{Source, SourceFile, counted};

pub(super) fn read(source: &Source) -> Result<Read, Unreadable> {
    let mut read = Read::default();
    let mut found = Vec::new();
    let mut archived = 0;
    for file in &source.files {
        let Some((head, body)) = front_matter::split(&file.text) else {
            read.note(
                file.name.as_str(),
                "it has no head with id and title; left out",
            );
            continue;
        };
        if file.name.contains("archive/") {
            archived += 1;
            continue;
        }
        found.push(task(file, head, body, &mut read));
    }
    if found.is_empty() && archived == 0 {
        let message = format!("there is no task of Backlog.md in {}", source.name);
        return Err(Unreadable::new(message)
            .with_hint("its files begin with --- and have id, title and status there"));
    }
    if archived > 0 {
        read.note(
            format!("{archived} files"),
            "they are in the archive; left out",
        );
    }
    // The order that people gave them, and the order of their numbers.
    found.sort_by(|a, b| {
        let (a_key, b_key) = (counted(&a.draft.key), counted(&b.draft.key));
        a.ordinal.total_cmp(&b.ordinal).then(a_key.cmp(&b_key))
    });
    // A whole is done when its parts are: it waits for them.
    let parts: Vec<(String, String)> = found
        .iter()
        .filter_map(|task| Some((task.draft.key.clone(), task.parent.clone()?)))
        .collect();
    for (child, parent) in parts {
        if let Some(whole) = found.iter_mut().find(|task| task.draft.key == parent) {
            whole.draft.waits_for.push(child);
        } else {
            let what = format!("it is a part of {parent}, which is not there: left out");
            read.note(child, what);
        }
    }
    read.drafts = found.into_iter().map(|task| task.draft).collect();
    Ok(read)
}

/// One file, read: its task and its place among the others.
struct TaskFile {
    draft: Draft,
    parent: Option<String>,
    ordinal: f64,
}

/// Ids are written in capitals or not, as it comes.
fn key(id: &str) -> String {
    id.trim().to_uppercase()
}

fn task(file: &SourceFile, head: &str, body: &str, read: &mut Read) -> TaskFile {
    let mut front = front_matter::read(head);
    let id = front.text("id");
    let mut draft = Draft::new(key(&id), front.text("title"));
    let (description, subtasks) = sections(body, read);
    (draft.description, draft.subtasks) = (description, subtasks);
    let word = front.text("status");
    if file.name.contains("completed/") {
        draft.status = Status::Done;
    } else if file.name.contains("drafts/") {
        draft.status = Status::Deferred;
    } else if !word.is_empty() {
        status_or_note(&word, &mut draft, read);
    }
    let word = front.text("priority");
    priority_or_note(&word, &mut draft, read);
    draft.waits_for = front
        .take("dependencies")
        .iter()
        .map(|id| key(id))
        .collect();
    draft.created = time(&front.text("created_date"));
    draft.updated = time(&front.text("updated_date"));
    let parent = front.text("parent_task_id");
    let ordinal = front.text("ordinal").parse().unwrap_or(f64::MAX);
    // The parts say whom they belong to.
    drop(front.take("subtasks"));
    let mut description = std::mem::take(&mut draft.description);
    for (name, values) in front.rest() {
        let mut words = name.replace('_', " ");
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        read.fact(&mut description, &words, &values.join(", "));
    }
    if !id.is_empty() {
        came_from(&mut description, "Backlog.md", &id);
    }
    draft.description = description;
    TaskFile {
        draft: read.settle(draft),
        parent: Some(key(&parent)).filter(|parent| !parent.is_empty()),
        ordinal,
    }
}

/// The text below the head: what the task is about, and its acceptance criteria as subtasks.
fn sections(body: &str, read: &mut Read) -> (String, Vec<DraftSubtask>) {
    let mut found: Vec<(&str, Vec<&str>)> = vec![("", Vec::new())];
    let mut in_code = false;
    for line in body.lines() {
        let is_mark = |ending: &str| line.starts_with("<!-- ") && line.ends_with(ending);
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if is_mark(":BEGIN -->") || is_mark(":END -->") {
            continue;
        } else if let (Some(heading), false) = (line.strip_prefix("## "), in_code) {
            found.push((heading.trim(), Vec::new()));
            continue;
        }
        if let Some((_, lines)) = found.last_mut() {
            lines.push(line);
        }
    }
    let (mut description, mut subtasks) = (String::new(), Vec::new());
    for (heading, lines) in found {
        match heading.to_lowercase().as_str() {
            "" | "description" => {
                let text = lines.join("\n");
                if !description.is_empty() && !text.trim().is_empty() {
                    description.push_str("\n\n");
                }
                description.push_str(text.trim());
            }
            "acceptance criteria" => {
                let (criteria, others): (Vec<&str>, Vec<&str>) =
                    lines.iter().partition(|line| criterion(line).is_some());
                subtasks.extend(criteria.iter().filter_map(|line| criterion(line)));
                read.section(&mut description, heading, others.join("\n").trim());
            }
            _ => read.section(&mut description, heading, lines.join("\n").trim()),
        }
    }
    (description, subtasks)
}

/// Reads `- [x] #1 it works`.
fn criterion(line: &str) -> Option<DraftSubtask> {
    let rest = line.trim_start().strip_prefix("- [")?;
    let (mark, text) = rest.split_once("] ")?;
    let text = text.trim();
    let numbered = text.strip_prefix('#').and_then(|rest| rest.split_once(' '));
    let title = match numbered {
        Some((number, title)) if number.bytes().all(|byte| byte.is_ascii_digit()) => title,
        _ => text,
    };
    let mut subtask = DraftSubtask::new(title);
    if matches!(mark, "x" | "X") {
        subtask.status = Status::Done;
    }
    Some(subtask)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(files: &[(&str, &str)]) -> Source {
        let mut source = Source::of("backlog", "");
        source.files = files
            .iter()
            .map(|(name, text)| SourceFile {
                path: None,
                name: (*name).to_owned(),
                text: (*text).to_owned(),
            })
            .collect();
        source
    }

    const WHOLE: &str = "---\nid: BACK-2\ntitle: >-\n  A long\n  title\nstatus: In Progress\nassignee:\n  - '@codex'\n\
        created_date: '2025-08-17 17:00'\nlabels: [ui]\ndependencies:\n  - back-1\npriority: high\nordinal: 1000\n---\n\n\
        ## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nWhy.\n\n```\n## no heading\n```\n<!-- SECTION:DESCRIPTION:END -->\n\n\
        ## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 It works\n- [ ] #2 It is fast\n<!-- AC:END -->\n\n\
        ## Implementation Plan\n\n1. Think\n";

    #[test]
    fn a_file_becomes_a_task() {
        let read = read(&source(&[("tasks/back-2 - A.md", WHOLE)])).unwrap();
        let draft = &read.drafts[0];
        assert_eq!(
            (draft.key.as_str(), draft.title.as_str()),
            ("BACK-2", "A long title")
        );
        assert_eq!(
            (draft.status, draft.waits_for.as_slice()),
            (Status::InProgress, &["BACK-1".to_owned()][..])
        );
        assert_eq!(
            draft.description,
            "Why.\n\n```\n## no heading\n```\n\n## Implementation Plan\n\n1. Think\n\n\
            Assignee: @codex\nLabels: ui\nImported from: Backlog.md BACK-2"
        );
        let subtasks: Vec<(&str, Status)> = draft
            .subtasks
            .iter()
            .map(|subtask| (subtask.title.as_str(), subtask.status))
            .collect();
        assert_eq!(
            subtasks,
            [("It works", Status::Done), ("It is fast", Status::Pending)]
        );
        assert_eq!(
            draft.created.unwrap().to_string(),
            "2025-08-17T17:00:00.000Z"
        );
        assert_eq!(read.notes, []);
    }

    #[test]
    fn the_folder_says_what_is_done_and_what_is_a_draft() {
        let one = |id: &str, more: &str| {
            format!("---\nid: {id}\ntitle: {id}\nstatus: To Do\n{more}---\n")
        };
        let read = read(&source(&[
            ("tasks/a.md", &one("t-10", "")),
            ("tasks/b.md", &one("t-9", "parent_task_id: T-10\n")),
            (
                "tasks/c.md",
                &one("t-11", "parent_task_id: T-99\nordinal: 1\n"),
            ),
            ("completed/d.md", &one("t-1", "")),
            ("drafts/e.md", &one("draft-1", "")),
            ("archive/tasks/f.md", &one("t-2", "")),
            ("tasks/readme.md", "# no task"),
        ]))
        .unwrap();
        let told: Vec<(&str, Status)> = read
            .drafts
            .iter()
            .map(|draft| (draft.key.as_str(), draft.status))
            .collect();
        assert_eq!(
            told,
            [
                ("T-11", Status::Pending),
                ("DRAFT-1", Status::Deferred),
                ("T-1", Status::Done),
                ("T-9", Status::Pending),
                ("T-10", Status::Pending)
            ]
        );
        assert_eq!(
            read.drafts[4].waits_for,
            ["T-9"],
            "a whole waits for its parts"
        );
        let told: Vec<&str> = read.notes.iter().map(|note| note.item.as_str()).collect();
        assert_eq!(told, ["tasks/readme.md", "1 files", "T-11"]);
    }
}
