//! A task to text: the one canonical form of every task. Deterministic, one field a line, and read the same by every
//! YAML reader: what is not provably plain is quoted.

use std::fmt::Write as _;

use todori_domain::{Description, SessionName, Subtask, Task, Title};

/// The fields of a task, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Created,
    Title,
    ActiveForm,
    Description,
    Status,
    Priority,
    Rank,
    Dependencies,
    Subtasks,
    NextSubtask,
    Assignee,
    Completed,
    Updated,
}

impl Field {
    pub(crate) const ALL: [Self; 13] = [
        Self::Created,
        Self::Title,
        Self::ActiveForm,
        Self::Description,
        Self::Status,
        Self::Priority,
        Self::Rank,
        Self::Dependencies,
        Self::Subtasks,
        Self::NextSubtask,
        Self::Assignee,
        Self::Completed,
        Self::Updated,
    ];

    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Title => "title",
            Self::ActiveForm => "active_form",
            Self::Description => "description",
            Self::Status => "status",
            Self::Priority => "priority",
            Self::Rank => "rank",
            Self::Dependencies => "dependencies",
            Self::Subtasks => "subtasks",
            Self::NextSubtask => "next_subtask",
            Self::Assignee => "assignee",
            Self::Completed => "completed",
            Self::Updated => "updated",
        }
    }

    pub(crate) fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.key() == key)
    }
}

/// Writes a whole task, from the line with its id on.
pub(crate) fn task(out: &mut String, task: &Task) {
    let _ = writeln!(out, "  {}:", task.id);
    for each in Field::ALL {
        field(out, task, each);
    }
}

/// Writes one field of a task; nothing where the task has no such thing.
pub(crate) fn field(out: &mut String, task: &Task, field: Field) {
    // Taken apart completely: a field that is new must be written, or it is lost.
    let Task {
        id: _,
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
    } = task;
    let key = field.key();
    // Writing to a string can't fail.
    let _ = match field {
        Field::Created => writeln!(out, "    {key}: {created}"),
        Field::Title => line(out, 4, key, title.as_str()),
        Field::ActiveForm => optional(out, 4, key, active_form.as_ref().map(Title::as_str)),
        Field::Description => optional(out, 4, key, description.as_ref().map(Description::as_str)),
        Field::Status => writeln!(out, "    {key}: {}", status.as_str()),
        Field::Priority => writeln!(out, "    {key}: {}", priority.as_str()),
        Field::Rank if rank.is_unset() => Ok(()),
        Field::Rank => writeln!(out, "    {key}: \"{}\"", rank.as_str()),
        Field::Dependencies if waits_for.is_empty() => Ok(()),
        Field::Dependencies => {
            let _ = writeln!(out, "    {key}:");
            waits_for
                .iter()
                .try_for_each(|id| writeln!(out, "      - {id}"))
        }
        Field::Subtasks if subtasks.is_empty() => Ok(()),
        Field::Subtasks => {
            let _ = writeln!(out, "    {key}:");
            subtasks
                .iter()
                .try_for_each(|subtask| write_subtask(out, subtask))
        }
        Field::NextSubtask if *next_subtask <= 1 => Ok(()),
        Field::NextSubtask => writeln!(out, "    {key}: {next_subtask}"),
        Field::Assignee => optional(out, 4, key, assignee.as_ref().map(SessionName::as_str)),
        Field::Completed => completed.map_or(Ok(()), |time| writeln!(out, "    {key}: {time}")),
        Field::Updated => writeln!(out, "    {key}: {updated}"),
    };
}

fn write_subtask(out: &mut String, subtask: &Subtask) -> std::fmt::Result {
    let Subtask {
        number,
        title,
        description,
        status,
    } = subtask;
    writeln!(out, "      {number}:")?;
    line(out, 8, "title", title.as_str())?;
    optional(
        out,
        8,
        "description",
        description.as_ref().map(Description::as_str),
    )?;
    writeln!(out, "        status: {}", status.as_str())
}

fn optional(out: &mut String, indent: usize, key: &str, text: Option<&str>) -> std::fmt::Result {
    text.map_or(Ok(()), |text| line(out, indent, key, text))
}

/// Writes `key: text`, the text in the most readable form that is safe.
pub(crate) fn line(out: &mut String, indent: usize, key: &str, text: &str) -> std::fmt::Result {
    write!(out, "{:indent$}{key}:", "")?;
    if is_plain(text) {
        writeln!(out, " {text}")
    } else if is_block(text) {
        block(out, indent + 2, text)
    } else {
        out.push(' ');
        quoted(out, text);
        writeln!(out)
    }
}

/// Words that some YAML reader takes for something other than text.
const RESERVED: [&str; 10] = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan",
];

/// Whether every YAML reader, of any version, takes this text for itself without quotes.
fn is_plain(text: &str) -> bool {
    let mut before = ' ';
    for c in text.chars() {
        let allowed = match c {
            ' ' | '!'..='~' => true,
            other => other > '\u{9f}' && other.is_alphanumeric(),
        };
        // `: ` begins a value and ` #` a comment; a double blank may be folded.
        let breaks = (before == ':' && c == ' ') || (before == ' ' && matches!(c, '#' | ' '));
        if !allowed || breaks {
            return false;
        }
        before = c;
    }
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && !matches!(before, ' ' | ':')
        && !RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether the text can be shown line by line in a literal block and be read back unchanged.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && !body.ends_with('\n')
        && body
            .lines()
            .all(|line| !line.ends_with([' ', '\t']) && !line.starts_with('\t'))
        && body.chars().all(|c| c == '\n' || c == '\t' || is_shown(c))
}

fn block(out: &mut String, indent: usize, text: &str) -> std::fmt::Result {
    let (mark, body) = text
        .strip_suffix('\n')
        .map_or(("|-", text), |body| ("|", body));
    writeln!(out, " {mark}")?;
    body.split('\n').try_for_each(|line| {
        if line.is_empty() {
            writeln!(out)
        } else {
            writeln!(out, "{:indent$}{line}", "")
        }
    })
}

/// Whether a character may stand in the file as it is: nothing that is invisible, breaks lines or turns text around.
fn is_shown(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
        && (c as u32) & 0xfffe != 0xfffe
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            shown if is_shown(shown) => out.push(shown),
            other if (other as u32) < 0x100 => {
                let _ = write!(out, "\\x{:02x}", other as u32);
            }
            other if (other as u32) < 0x1_0000 => {
                let _ = write!(out, "\\u{:04x}", other as u32);
            }
            other => {
                let _ = write!(out, "\\U{:08x}", other as u32);
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut out = String::new();
        line(&mut out, 0, "k", text).unwrap();
        assert_eq!(out, format!("k:{expected}\n"));
    }

    #[test]
    fn text_is_plain_only_where_every_reader_agrees() {
        check("Fix the login", " Fix the login");
        check("fix: the #1 thing", " \"fix: the #1 thing\"");
        check("a:b#c, [d] {e} 'f'", " a:b#c, [d] {e} 'f'");
        check("No", " \"No\"");
        check("2025-12-14", " \"2025-12-14\"");
        check("1e3", " \"1e3\"");
        check("trailing ", " \"trailing \"");
        check("ends with:", " \"ends with:\"");
        check("über Größe", " \"über Größe\"");
        check("Größe", " Größe");
        check("🔧 fix", " \"🔧 fix\"");
    }

    #[test]
    fn what_can_deceive_is_escaped() {
        check("a\u{202e}b", " \"a\\u202eb\"");
        check("esc\u{1b}[31m", " \"esc\\x1b[31m\"");
        check("tag\u{e0041}", " \"tag\\U000e0041\"");
        check("a\r\nb", " \"a\\r\\nb\"");
    }

    #[test]
    fn lines_stand_in_a_block() {
        check("one\n\n  two\nthree", " |-\n  one\n\n    two\n  three");
        check("one\ntwo\n", " |\n  one\n  two");
        check(" lead\ntwo", " \" lead\\ntwo\"");
        check("one\n", " \"one\\n\"");
        check("one \ntwo", " \"one \\ntwo\"");
    }
}
