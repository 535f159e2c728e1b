//! What people see. The only place that prints: everything a user wrote is made harmless here before it reaches a
//! terminal, and a reader that went away (`todori list | head`) ends the command quietly.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use serde_json::{Value, json};
use todori_domain::{Priority, Status};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::config::Settings;

/// Where and how to print.
pub(super) struct Output {
    style: Style,
    pub(super) json: bool,
    /// How many columns there are; none where it is no terminal.
    columns: Option<usize>,
    /// Whether something could not be printed.
    lost: bool,
}

/// What the reader's terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    color: bool,
    /// More than ASCII: pictures, bars, an ellipsis.
    unicode: bool,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Strong,
    Faint,
    Good,
    Busy,
    Bad,
}

impl Output {
    pub(super) fn new(settings: &Settings, json: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        let columns = terminal_size::terminal_size_of(io::stdout());
        Self {
            style: Style {
                color: terminal && !settings.no_color,
                // A pipe gets no pictures, and neither does a terminal whose owner wants it plain.
                unicode: terminal && settings.unicode && !settings.no_color,
            },
            json,
            columns: columns.map(|(width, _)| usize::from(width.0)),
            lost: false,
        }
    }

    /// Before anything is known.
    pub(super) fn plain() -> Self {
        Self {
            style: Style {
                color: false,
                unicode: true,
            },
            json: false,
            columns: None,
            lost: false,
        }
    }

    /// Prints a line.
    pub(super) fn line(&mut self, text: &str) {
        self.lost |= !write_all(&mut io::stdout().lock(), &format!("{text}\n"));
    }

    /// Prints a text that is harmless already, as it is.
    pub(super) fn raw(&mut self, text: &str) {
        self.lost |= !write_all(&mut io::stdout().lock(), text);
    }

    /// Says something beside the result.
    pub(super) fn note(&self, text: &str) {
        if !self.json {
            let _ = write_all(
                &mut io::stderr().lock(),
                &format!("todori: {}\n", harmless(text)),
            );
        }
    }

    /// Whether something could not be printed, though somebody was there to read it.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Prints JSON, readable on a terminal and on one line elsewhere.
    pub(super) fn value(&mut self, value: &Value) {
        let pretty = self.columns.is_some();
        let text = if pretty {
            serde_json::to_string_pretty(value)
        } else {
            serde_json::to_string(value)
        };
        self.line(&safe_json(&text.unwrap_or_default()));
    }

    /// Says what went wrong, and what to do next.
    pub(super) fn error(&self, message: &str, hint: Option<&str>) {
        let mut text = String::new();
        if self.json {
            let error = json!({"error": {"message": message, "hint": hint}});
            let _ = writeln!(text, "{error}");
        } else {
            let _ = writeln!(text, "todori: {}", harmless(message));
            for line in hint.into_iter().flat_map(str::lines) {
                let _ = writeln!(text, "  {}", harmless(line));
            }
        }
        // Where even errors can't be said, the exit code is all there is.
        let _ = write_all(&mut io::stderr().lock(), &text);
    }

    /// Prints an error that is JSON already.
    #[expect(
        clippy::unused_self,
        reason = "whoever prints must have been given an output"
    )]
    pub(super) fn fault(&self, fault: &Value) {
        let _ = write_all(&mut io::stderr().lock(), &format!("{fault}\n"));
    }

    /// A piece of text in some look, if colours are wanted.
    pub(super) fn look(&self, look: Look, text: &str) -> String {
        if !self.style.color {
            return text.to_owned();
        }
        let code = match look {
            Look::Strong => "1",
            Look::Faint => "2",
            Look::Good => "32",
            Look::Busy => "33",
            Look::Bad => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// The sign of a status; always two columns wide.
    pub(super) fn sign(&self, status: Status) -> &'static str {
        match (status, self.style.unicode) {
            (Status::Pending, true) => "❌",
            (Status::InProgress, true) => "🔧",
            (Status::Blocked, true) => "⛔",
            (Status::Done, true) => "✅",
            (Status::Deferred, true) => "💤",
            (Status::Cancelled, true) => "🚫",
            (Status::Pending, false) => "- ",
            (Status::InProgress, false) => "> ",
            (Status::Blocked, false) => "! ",
            (Status::Done, false) => "x ",
            (Status::Deferred, false) => "z ",
            (Status::Cancelled, false) => "~ ",
        }
    }

    /// A bar of how much is done.
    pub(super) fn bar(&self, done: usize, total: usize, width: usize) -> String {
        let filled = (done * width).checked_div(total).unwrap_or(0);
        let (full, empty) = if self.style.unicode {
            ("█", "░")
        } else {
            ("#", ".")
        };
        format!(
            "{}{}",
            self.look(Look::Good, &full.repeat(filled)),
            self.look(Look::Faint, &empty.repeat(width - filled))
        )
    }

    /// How a priority looks; nothing for the usual one.
    pub(super) fn priority(&self, priority: Priority) -> String {
        match priority {
            Priority::High => self.look(Look::Bad, "high  "),
            Priority::Medium => "medium".to_owned(),
            Priority::Low => self.look(Look::Faint, "low   "),
        }
    }

    /// Makes a user's text fit one line of what is left after so many columns.
    pub(super) fn fit(&self, text: &str, used: usize) -> String {
        let text = harmless(text);
        let Some(columns) = self.columns else {
            return text;
        };
        let room = columns.saturating_sub(used).max(10);
        if text.width() <= room {
            return text;
        }
        let ellipsis = if self.style.unicode { "…" } else { "~" };
        let mut kept = String::new();
        let mut width = 0;
        for c in text.chars() {
            width += c.width().unwrap_or(0);
            if width > room - 1 {
                break;
            }
            kept.push(c);
        }
        kept + ellipsis
    }
}

/// Writes; false if it could not. A reader that went away is no error: nobody is left to tell.
fn write_all(stream: &mut impl io::Write, text: &str) -> bool {
    match stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush())
    {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::BrokenPipe,
    }
}

/// Whether a terminal would obey this character, or hide or turn what follows.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// JSON with the characters spelt out that turn text around: JSON allows it, and terminals obey them.
pub(super) fn safe_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && is_unsafe(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A user's text on one line, with everything spelt out that a terminal would obey.
pub(super) fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push('⏎'),
            '\t' => safe.push(' '),
            // Joins parts of an emoji: without it families fall apart.
            '\u{200d}' => safe.push(c),
            other if is_unsafe(other) => {
                let _ = write!(safe, "\\u{{{:x}}}", other as u32);
            }
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{7}\u{9b}c"),
            "a\\u{1b}[31mb\\u{7}\\u{9b}c"
        );
        assert_eq!(harmless("x\u{202e}y\u{2066}z"), "x\\u{202e}y\\u{2066}z");
        assert_eq!(harmless("two\nlines\r\tend"), "two⏎lines\\u{d} end");
        assert_eq!(harmless("héllo 🔧 日本"), "héllo 🔧 日本");
    }

    #[test]
    fn a_long_text_is_cut_to_the_terminal() {
        let output = Output {
            columns: Some(20),
            ..Output::plain()
        };
        assert_eq!(output.fit("日本語日本語日本語", 8), "日本語日本…");
        assert_eq!(output.fit("short", 8), "short");
        assert_eq!(Output::plain().fit(&"x".repeat(500), 8).len(), 500);
    }
}
