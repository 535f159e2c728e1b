//! Text to a task, for text in canonical form only, some twenty times faster than the full reader.
//!
//! It need not be strict: whatever it reads is written again and compared with the text, so it accepts exactly what
//! `emit` writes. Anything else is for the full reader.

use todori_domain::{
    Description, Priority, Rank, SessionName, Status, Subtask, Task, TaskId, Timestamp, Title,
};

use super::emit;

/// Reads one task, from the line with its id on; `None` for text that is not in canonical form.
pub(crate) fn read(text: &str, scratch: &mut String) -> Option<Task> {
    let task = Lines { rest: text }.task().filter(is_sound)?;
    scratch.clear();
    emit::task(scratch, &task);
    (scratch.as_str() == text).then_some(task)
}

/// What the full reader would refuse or mend, and what writing again can't show.
fn is_sound(task: &Task) -> bool {
    let mut targets = task.waits_for.iter().enumerate();
    let subtasks = &task.subtasks;
    let highest = subtasks.last().map_or(0, |subtask| subtask.number);
    targets.all(|(place, id)| !task.waits_for.iter().take(place).any(|other| other == id))
        && subtasks.iter().all(|subtask| subtask.number > 0)
        && subtasks.is_sorted_by(|a, b| a.number < b.number)
        && task.next_subtask > highest
}

struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Lines<'a> {
    fn task(&mut self) -> Option<Task> {
        let id = TaskId::parse(self.line("  ")?.strip_suffix(':')?)?;
        let created = Timestamp::parse(self.field("    created: ")?)?;
        let title = Title::parse(&self.text(4, "title")?).ok()?;
        let active_form = match self.text(4, "active_form") {
            Some(text) => Some(Title::parse(&text).ok()?),
            None => None,
        };
        let description = match self.text(4, "description") {
            Some(text) => Description::parse(&text).ok()?,
            None => None,
        };
        let status = Status::parse(self.field("    status: ")?)?;
        let priority = Priority::parse(self.field("    priority: ")?)?;
        let rank = match self.field("    rank: \"") {
            Some(rank) => Rank::parse(rank.strip_suffix('"')?)?,
            None => Rank::unset(),
        };
        let mut waits_for = Vec::new();
        if self.field("    dependencies:").is_some() {
            while let Some(id) = self.field("      - ") {
                waits_for.push(TaskId::parse(id)?);
            }
        }
        let mut subtasks = Vec::new();
        if self.field("    subtasks:").is_some() {
            while let Some(subtask) = self.subtask() {
                subtasks.push(subtask);
            }
        }
        let next_subtask = match self.field("    next_subtask: ") {
            Some(number) => number.parse().ok()?,
            None => 1,
        };
        let assignee = self.text(4, "assignee");
        let assignee = assignee.map(|text| SessionName::new(&text));
        let completed = match self.field("    completed: ") {
            Some(time) => Some(Timestamp::parse(time)?),
            None => None,
        };
        let updated = Timestamp::parse(self.field("    updated: ")?)?;
        // Field by field: one that is new must be read.
        self.rest.is_empty().then_some(Task {
            id,
            title,
            active_form,
            description,
            status,
            priority,
            waits_for,
            subtasks,
            next_subtask,
            assignee,
            rank,
            created,
            updated,
            completed,
        })
    }

    fn subtask(&mut self) -> Option<Subtask> {
        let line = self.rest.strip_prefix("      ")?;
        if line.starts_with(' ') {
            return None;
        }
        let number = self.line("      ")?.strip_suffix(':')?.parse().ok()?;
        let title = Title::parse(&self.text(8, "title")?).ok()?;
        let description = match self.text(8, "description") {
            Some(text) => Description::parse(&text).ok()?,
            None => None,
        };
        let status = Status::parse(self.field("        status: ")?)?;
        Some(Subtask {
            number,
            title,
            description,
            status,
        })
    }

    /// Takes the rest of a line that begins like this, whatever it is.
    fn line(&mut self, begins: &str) -> Option<&'a str> {
        let line = self.rest.strip_prefix(begins)?;
        let (line, rest) = line.split_once('\n')?;
        self.rest = rest;
        Some(line)
    }

    /// Takes the rest of a line if it begins like this.
    fn field(&mut self, begins: &str) -> Option<&'a str> {
        self.line(begins)
    }

    /// Takes a text field if it is the next one.
    fn text(&mut self, indent: usize, key: &str) -> Option<std::borrow::Cow<'a, str>> {
        let line = self.rest.get(indent..)?;
        let line = line.strip_prefix(key)?.strip_prefix(':')?;
        let (value, rest) = line.split_once('\n')?;
        let value = value.strip_prefix(' ')?;
        self.rest = rest;
        match value {
            "|-" => Some(self.block(indent + 2).into()),
            "|" => {
                let mut text = self.block(indent + 2);
                text.push('\n');
                Some(text.into())
            }
            _ => match value.strip_prefix('"') {
                None => Some(value.into()),
                Some(inside) => unquote(inside.strip_suffix('"')?),
            },
        }
    }

    fn block(&mut self, indent: usize) -> String {
        let mut text = String::new();
        let mut first = true;
        while let Some((line, rest)) = self.rest.split_once('\n') {
            let blanks = line.bytes().take_while(|&byte| byte == b' ').count();
            if !line.is_empty() && blanks < indent {
                break;
            }
            if !first {
                text.push('\n');
            }
            first = false;
            text.push_str(line.get(indent..).unwrap_or_default());
            self.rest = rest;
        }
        text
    }
}

/// Resolves the escapes that `emit` writes.
fn unquote(text: &str) -> Option<std::borrow::Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(text.into());
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let digits = match chars.next()? {
            'n' => {
                out.push('\n');
                continue;
            }
            't' => {
                out.push('\t');
                continue;
            }
            'r' => {
                out.push('\r');
                continue;
            }
            'x' => 2,
            'u' => 4,
            'U' => 8,
            other => {
                out.push(other);
                continue;
            }
        };
        let code = chars.as_str().get(..digits)?;
        out.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        chars = chars.as_str().get(digits..)?.chars();
    }
    Some(out.into())
}
