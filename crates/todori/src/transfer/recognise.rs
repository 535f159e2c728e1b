//! Which format a text is in, by its name and by what it looks like.

use serde_json::Value;

use super::source::{Source, SourceFile};
use super::{Format, Unreadable, check_list, front_matter, todo_txt};

/// Says which format a source is in, or what to do if that can't be told.
pub(super) fn recognise(source: &Source) -> Result<Format, Unreadable> {
    if let Some(format) = source.layout {
        return Ok(format);
    }
    let Some(file) = source
        .files
        .first()
        .filter(|file| !file.text.trim().is_empty())
    else {
        return Err(
            Unreadable::new(format!("{} is empty", source.name)).with_hint("nothing was imported")
        );
    };
    let found = match by_name(file) {
        Some(format) => Some(format),
        None => by_content(file)?,
    };
    found.ok_or_else(|| {
        let known = Format::ALL.map(Format::name).join(", ");
        Unreadable::new(format!(
            "it can't be told what format {} is in",
            source.name
        ))
        .with_hint(format!("say it with --from: {known}"))
    })
}

fn by_name(file: &SourceFile) -> Option<Format> {
    let name = file.name.to_lowercase();
    let has_ending = |ending: &str| name.ends_with(ending);
    if has_ending("todo.txt") || name == "done.txt" {
        Some(Format::TodoTxt)
    } else if has_ending(".md") || has_ending(".markdown") {
        Some(markdown(file))
    } else {
        None
    }
}

/// A Markdown file is one task of Backlog.md, or a check list.
fn markdown(file: &SourceFile) -> Format {
    let is_task = front_matter::split(&file.text).is_some_and(|(front, _)| {
        let front = front_matter::read(front);
        front.contains("id") && front.contains("title") && front.contains("status")
    });
    if is_task {
        Format::BacklogMd
    } else {
        Format::Markdown
    }
}

fn by_content(file: &SourceFile) -> Result<Option<Format>, Unreadable> {
    let text = file.text.trim_start();
    if text.starts_with('{') || text.starts_with('[') && !check_list::is_like(text) {
        return by_json(file);
    }
    if text.starts_with("---\n") || check_list::is_like(text) {
        return Ok(Some(markdown(file)));
    }
    Ok(todo_txt::is_like(text).then_some(Format::TodoTxt))
}

fn by_json(file: &SourceFile) -> Result<Option<Format>, Unreadable> {
    let value = match super::json::parse(&file.text, &file.name, 1) {
        Ok(value) => value,
        Err(error) => {
            // Several objects, one a line: beads, even where one of them is broken.
            let mut lines = file.text.lines().filter(|line| !line.trim().is_empty());
            let is_object = |line: &str| {
                serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object())
            };
            let several = lines.next().is_some_and(is_object) && lines.next().is_some();
            return if several {
                Ok(Some(Format::Beads))
            } else {
                Err(error)
            };
        }
    };
    let has = |value: &Value, names: &[&str]| names.iter().all(|name| value.get(name).is_some());
    if let Some(list) = value.as_array() {
        let Some(first) = list.first() else {
            return Err(Unreadable::new(format!("{} is an empty list", file.name)));
        };
        return Ok(if has(first, &["content", "status"]) {
            Some(Format::ClaudeCode)
        } else if has(first, &["title", "activeForm", "subtasks", "created"]) {
            Some(Format::Todori)
        } else if has(first, &["id", "title", "issue_type"]) {
            Some(Format::Beads)
        } else {
            None
        });
    }
    let is_tag = |value: &Value| value.get("tasks").is_some_and(Value::is_array);
    let mut tags = value.as_object().into_iter().flat_map(|map| map.values());
    Ok(if value.get("todori").is_some() {
        Some(Format::Todori)
    } else if is_tag(&value) || tags.any(is_tag) {
        Some(Format::TaskMaster)
    } else if has(&value, &["subject", "status"]) || value.get("todos").is_some_and(Value::is_array)
    {
        Some(Format::ClaudeCode)
    } else if has(&value, &["id", "title", "status"]) {
        Some(Format::Beads)
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: &str) {
        let told = match recognise(&Source::of(name, text)) {
            Ok(format) => format.name().to_owned(),
            Err(error) => error.message,
        };
        assert_eq!(told, expected, "{name}: {text}");
    }

    #[test]
    fn a_format_is_told_by_its_name_and_its_looks() {
        check("tasks.json", r#"{"tasks": []}"#, "task-master");
        check("tasks.json", r#"{"master": {"tasks": []}}"#, "task-master");
        check("x", r#"{"todori": 1, "tasks": []}"#, "todori");
        check(
            "issues.jsonl",
            "{\"id\":\"bd-1\",\"title\":\"x\",\"status\":\"open\"}",
            "beads",
        );
        check("x", "{\"id\":\"bd-1\"}\n{\"id\":\"bd-2\"}\n", "beads");
        check("x", "{\"id\":\"bd-1\"}\n{oops\n", "beads");
        check(
            "1.json",
            r#"{"id": "1", "subject": "x", "status": "pending"}"#,
            "claude-code",
        );
        check(
            "x",
            r#"[{"content": "x", "status": "pending", "activeForm": "y"}]"#,
            "claude-code",
        );
        check("todo.txt", "anything", "todo-txt");
        check("x", "(A) Call home", "todo-txt");
        check("x", "x 2026-01-01 Call home", "todo-txt");
        check("PLAN.md", "# Plan\n", "markdown");
        check("x", "# Plan\n\n- [ ] one", "markdown");
        check("x", "[x] is how it begins\n- [ ] one", "markdown");
        check(
            "a.md",
            "---\nid: BACK-1\ntitle: x\nstatus: To Do\n---\n",
            "backlog-md",
        );
        check("a.md", "---\ntitle: x\n---\n- [ ] a", "markdown");
    }

    #[test]
    fn what_can_not_be_told_is_said() {
        check("x", "  \n", "x is empty");
        check("x", "just words", "it can't be told what format x is in");
        check("x", r#"{"a": 1}"#, "it can't be told what format x is in");
        check(
            "x",
            "{oops",
            "x is no JSON at line 1, column 2: key must be a string",
        );
        check("x", "[]", "x is an empty list");
    }
}
