//! Writes tasks as a check list in Markdown: readable on a forge, and readable again. What a box can't say stands in a
//! comment that nobody sees.

use std::fmt::Write as _;

use todori_domain::{Description, Priority, Status, Subtask, Task, Title};

use super::check_list::MARK;

/// The groups, in the order in which people want to see them.
const GROUPS: [(Status, &str); 6] = [
    (Status::InProgress, "In progress"),
    (Status::Blocked, "Blocked"),
    (Status::Pending, "To do"),
    (Status::Deferred, "Deferred"),
    (Status::Done, "Done"),
    (Status::Cancelled, "Cancelled"),
];

/// Writes a check list. Characters that `is_unsafe` names are spelt out.
pub(crate) fn check_list(tasks: &[&Task], is_unsafe: fn(char) -> bool) -> String {
    let mut text = String::from("# Tasks\n");
    for (status, heading) in GROUPS {
        let mut group = tasks.iter().filter(|task| task.status == status).peekable();
        if group.peek().is_some() {
            let _ = write!(text, "\n## {heading}\n\n");
        }
        for task in group {
            item(&mut text, task, is_unsafe);
        }
    }
    text
}

fn item(text: &mut String, task: &Task, is_unsafe: fn(char) -> bool) {
    let priority = match task.priority {
        Priority::Medium => String::new(),
        Priority::High | Priority::Low => format!("**{}** ", task.priority.as_str()),
    };
    let title = format!("{priority}{}", spelt(&task.title, is_unsafe));
    let _ = write!(
        text,
        "- {} {MARK}id:{} status:{} priority:{}",
        boxed(task.status, &title),
        task.id,
        task.status.as_str(),
        task.priority.as_str()
    );
    if !task.waits_for.is_empty() {
        let ids: Vec<String> = task.waits_for.iter().map(ToString::to_string).collect();
        let _ = write!(text, " after:{}", ids.join(","));
    }
    text.push_str(" -->\n");
    quote(text, "  ", task.description.as_ref(), is_unsafe);
    for subtask in &task.subtasks {
        let Subtask {
            number,
            title,
            description,
            status,
        } = subtask;
        let _ = writeln!(
            text,
            "  - {} {MARK}n:{number} status:{} -->",
            boxed(*status, &spelt(title, is_unsafe)),
            status.as_str()
        );
        quote(text, "    ", description.as_ref(), is_unsafe);
    }
}

fn boxed(status: Status, title: &str) -> String {
    match status {
        Status::Done => format!("[x] {title}"),
        Status::Cancelled => format!("[x] ~~{title}~~"),
        Status::Pending | Status::InProgress | Status::Blocked | Status::Deferred => {
            format!("[ ] {title}")
        }
    }
}

fn quote(
    text: &mut String,
    indent: &str,
    words: Option<&Description>,
    is_unsafe: fn(char) -> bool,
) {
    for line in words
        .into_iter()
        .flat_map(|words| words.as_str().split('\n'))
    {
        let line = spell(line, |c| is_unsafe(c) && c != '\t');
        let _ = writeln!(text, "{indent}> {line}");
    }
}

/// A title on one line, which neither ends nor begins a comment, nor begins or ends in a blank.
fn spelt(title: &Title, is_unsafe: fn(char) -> bool) -> String {
    let mut text =
        spell(title.as_str(), |c| is_unsafe(c) || c == '\t').replace("<!--", "&#x3c;!--");
    if let Some(first) = text.chars().next().filter(|c| c.is_whitespace()) {
        text.replace_range(..first.len_utf8(), &code(first));
    }
    if let Some(last) = text.chars().next_back().filter(|c| c.is_whitespace()) {
        text.truncate(text.len() - last.len_utf8());
        text.push_str(&code(last));
    }
    text
}

/// Text with the characters spelt out that a terminal obeys, and whatever looks as if it were.
fn spell(text: &str, is_unsafe: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.replace("&#x", "&#x26;#x").chars() {
        if is_unsafe(c) {
            safe.push_str(&code(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A character by its number, as HTML writes it.
fn code(c: char) -> String {
    format!("&#x{:x};", c as u32)
}
