//! Writes tasks as a table for spreadsheets (RFC 4180), in which no cell is ever taken for a formula.

use std::fmt::Write as _;

use todori_domain::{Description, SessionName, Status, Task, Title};

/// The columns, in order: `subtasks` is how many there are, `steps` are their titles. Spreadsheets refer to these names.
const COLUMNS: [&str; 14] = [
    "id",
    "title",
    "status",
    "priority",
    "dependencies",
    "subtasks",
    "subtasks_done",
    "assignee",
    "created",
    "updated",
    "completed",
    "active_form",
    "description",
    "steps",
];

/// Writes a table, one row a task. Characters that `is_unsafe` names are spelt out, but for the ends of lines.
pub(crate) fn csv(tasks: &[&Task], is_unsafe: fn(char) -> bool) -> String {
    let mut text = COLUMNS.join(",");
    text.push_str("\r\n");
    for task in tasks {
        let Task {
            id,
            title,
            active_form,
            description,
            status,
            priority,
            waits_for,
            subtasks,
            next_subtask: _,
            assignee,
            rank: _,
            created,
            updated,
            completed,
        } = *task;
        let waits_for: Vec<String> = waits_for.iter().map(ToString::to_string).collect();
        let done = subtasks
            .iter()
            .filter(|subtask| subtask.status == Status::Done)
            .count();
        let titles: Vec<String> = subtasks
            .iter()
            .map(|subtask| format!("[{}] {}", subtask.status.as_str(), subtask.title.as_str()))
            .collect();
        let cells = [
            id.to_string(),
            title.as_str().to_owned(),
            status.as_str().to_owned(),
            priority.as_str().to_owned(),
            waits_for.join(" "),
            subtasks.len().to_string(),
            done.to_string(),
            assignee
                .as_ref()
                .map(SessionName::as_str)
                .unwrap_or_default()
                .to_owned(),
            created.to_string(),
            updated.to_string(),
            completed.map(|time| time.to_string()).unwrap_or_default(),
            active_form
                .as_ref()
                .map(Title::as_str)
                .unwrap_or_default()
                .to_owned(),
            description
                .as_ref()
                .map(Description::as_str)
                .unwrap_or_default()
                .to_owned(),
            titles.join("\n"),
        ];
        let cells: Vec<String> = cells.iter().map(|words| cell(words, is_unsafe)).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    text
}

/// One cell: spelt out where it must be, behind a mark that keeps it from being a formula, quoted where it must be.
fn cell(words: &str, is_unsafe: fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(words.len() + 2);
    if words.trim_start().starts_with(['=', '+', '-', '@']) || words.starts_with(['\t', '\r']) {
        safe.push('\'');
    }
    for c in words.chars() {
        match c {
            '"' => safe.push_str("\"\""),
            '\n' | '\t' => safe.push(c),
            c if is_unsafe(c) => {
                let _ = write!(safe, "\\u{{{:x}}}", c as u32);
            }
            c => safe.push(c),
        }
    }
    if safe.contains(['"', ',', '\n', '\t']) || safe != safe.trim() {
        format!("\"{safe}\"")
    } else {
        safe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_or_breaks_the_table() {
        for (words, expected) in [
            ("plain", "plain"),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", "' =1"),
            ("\t=1", "\"'\t=1\""),
            ("a, \"b\"", "\"a, \"\"b\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("a\u{1b}[2J", "a\\u{1b}[2J"),
            ("", ""),
        ] {
            assert_eq!(cell(words, char::is_control), expected, "{words:?}");
        }
    }
}
