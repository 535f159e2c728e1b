//! What people see. The only place that prints: everything a user wrote is made harmless here before it reaches a
//! terminal, and a reader that went away (`todori list | head`) ends the command quietly.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use serde_json::{Value, json};
use todori_domain::{Priority, Status};
use unicode_width::UnicodeWidthStr as _;

use crate::config::Settings;
use crate::text::{cut, cut_middle, picture, wrap};
pub(super) use crate::text::{harmless, is_unsafe};

/// Where and how to print.
pub(super) struct Output {
    capabilities: Capabilities,
    pub(super) json: bool,
    /// How many columns there are; none where it is no terminal.
    columns: Option<usize>,
    /// How many lines there are at once.
    rows: Option<usize>,
    stream: Stream,
    /// Whether something could not be printed.
    lost: bool,
    /// Whether the reader went away.
    gone: bool,
    /// What every error must not leave unsaid.
    reminder: Option<String>,
}

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    /// Where standard output belongs to something else.
    Err,
}

/// What the reader's terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Capabilities {
    color: bool,
    /// More than ASCII: pictures, bars, an ellipsis.
    unicode: bool,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Strong,
    Faint,
    Good,
    Busy,
    Bad,
}

impl Output {
    pub(super) fn new(settings: &Settings, json: bool) -> Self {
        Self::on(Stream::Out, settings, json)
    }

    /// The same on standard error, where standard output belongs to something else.
    pub(super) fn on_errors(settings: &Settings, json: bool) -> Self {
        Self::on(Stream::Err, settings, json)
    }

    /// For a program that shows one line in so many columns, such as a status line: no terminal, but it draws like one.
    pub(super) fn for_host(settings: &Settings, json: bool, columns: usize) -> Self {
        Self {
            capabilities: Capabilities {
                color: !settings.no_color,
                unicode: settings.unicode,
            },
            json,
            columns: Some(columns),
            ..Self::plain()
        }
    }

    /// Plain text in so many columns.
    #[cfg(test)]
    pub(super) fn plain_with(columns: usize) -> Self {
        Self {
            columns: Some(columns),
            ..Self::plain()
        }
    }

    fn on(stream: Stream, settings: &Settings, json: bool) -> Self {
        let terminal = match stream {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
        };
        let mut output = Self {
            capabilities: Capabilities {
                color: terminal && !settings.no_color,
                // A pipe gets no pictures, and neither does a terminal whose owner wants it plain.
                unicode: terminal && settings.unicode && !settings.no_color,
            },
            json,
            columns: None,
            rows: None,
            stream,
            lost: false,
            gone: false,
            reminder: None,
        };
        output.measure();
        output
    }

    /// Looks how large the terminal is now.
    pub(super) fn measure(&mut self) {
        let size = match self.stream {
            Stream::Out => terminal_size::terminal_size_of(io::stdout()),
            Stream::Err => terminal_size::terminal_size_of(io::stderr()),
        };
        self.columns = size.map(|(width, _)| usize::from(width.0));
        self.rows = size.map(|(_, height)| usize::from(height.0));
    }

    /// How many columns there are, if that is known.
    pub(super) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// What stands between the parts of a line.
    pub(super) fn separator(&self) -> &'static str {
        if self.capabilities.unicode {
            " · "
        } else {
            " | "
        }
    }

    /// How many columns and lines there are; none where it is no terminal.
    pub(super) fn size(&self) -> Option<(usize, usize)> {
        self.columns.zip(self.rows)
    }

    /// Before anything is known.
    pub(super) fn plain() -> Self {
        Self {
            capabilities: Capabilities {
                color: false,
                unicode: true,
            },
            json: false,
            columns: None,
            rows: None,
            stream: Stream::Out,
            lost: false,
            gone: false,
            reminder: None,
        }
    }

    /// Prints a line.
    pub(super) fn line(&mut self, text: &str) {
        self.print(&format!("{text}\n"));
    }

    /// Prints a sentence in some style, broken between words where the terminal is narrower.
    pub(super) fn paragraph(&mut self, style: Style, text: &str) {
        let text = harmless(text);
        let lines = match self.columns {
            Some(columns) => wrap(&text, columns),
            None => vec![text],
        };
        for line in lines {
            let line = self.style(style, &line);
            self.line(&line);
        }
    }

    /// Prints text as it is.
    pub(super) fn print(&mut self, text: &str) {
        let written = match self.stream {
            Stream::Out => write_all(&mut io::stdout().lock(), text),
            Stream::Err => write_all(&mut io::stderr().lock(), text),
        };
        self.remember(written);
    }

    /// Passes bytes on to standard output, whatever they are.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let written = write_bytes(&mut io::stdout().lock(), bytes);
        self.remember(written);
    }

    fn remember(&mut self, written: Written) {
        self.gone |= written == Written::Gone;
        self.lost |= written == Written::Lost;
    }

    /// Whether the reader went away: whatever is still printed, nobody sees it.
    pub(super) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Whether a person reads this as it is printed.
    pub(super) fn is_terminal(&self) -> bool {
        self.columns.is_some()
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

    /// Prints JSON on one line, whoever reads it: one of several.
    pub(super) fn json_line(&mut self, value: &Value) {
        self.line(&safe_json(&value.to_string()));
    }

    /// Prints a text that this program made, as it is.
    pub(super) fn document(&mut self, text: &[u8], key: &str) {
        let text = String::from_utf8_lossy(text);
        if self.json {
            self.value(&json!({key: text}));
        } else {
            self.print(&text);
        }
    }

    /// Asks a person something; `None` where there is nobody to ask.
    pub(super) fn ask(&self, question: &str) -> Option<String> {
        if self.json || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        if write_all(&mut io::stderr().lock(), question) != Written::Done {
            return None;
        }
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(answer)
    }

    /// What trees are drawn with: a fork, the last one, and a line that goes through.
    pub(super) fn twigs(&self) -> (&'static str, &'static str, &'static str) {
        if self.capabilities.unicode {
            ("├─ ", "└─ ", "│  ")
        } else {
            ("|- ", "`- ", "|  ")
        }
    }

    /// Adds something to every error from here on, such as where the work is that was not saved.
    pub(super) fn remind(&mut self, text: Option<String>) {
        self.reminder = text;
    }

    /// Says what went wrong, and what to do next.
    pub(super) fn error(&self, message: &str, hint: Option<&str>) {
        let hints: Vec<&str> = hint.into_iter().chain(self.reminder.as_deref()).collect();
        let hint = (!hints.is_empty()).then(|| hints.join("\n"));
        let mut text = String::new();
        if self.json {
            let error = json!({"error": {"message": message, "hint": hint}});
            let _ = writeln!(text, "{}", safe_json(&error.to_string()));
        } else {
            let _ = writeln!(text, "todori: {}", harmless(message));
            for line in hint.iter().flat_map(|hint| hint.lines()) {
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
        let text = format!("{}\n", safe_json(&fault.to_string()));
        let _ = write_all(&mut io::stderr().lock(), &text);
    }

    /// A piece of text in some style, if colours are wanted.
    pub(super) fn style(&self, style: Style, text: &str) -> String {
        if !self.capabilities.color || text.is_empty() {
            return text.to_owned();
        }
        let code = match style {
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Good => "32",
            Style::Busy => "33",
            Style::Bad => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// The sign of a status; always two columns wide.
    pub(super) fn sign(&self, status: Status) -> &'static str {
        if self.capabilities.unicode {
            return picture(status);
        }
        match status {
            Status::Pending => "- ",
            Status::InProgress => "> ",
            Status::Blocked => "! ",
            Status::Done => "x ",
            Status::Deferred => "z ",
            Status::Cancelled => "~ ",
        }
    }

    /// The sign of a status in a numbered list; a box where there are no pictures.
    pub(super) fn mark(&self, status: Status) -> &'static str {
        match (status, self.capabilities.unicode) {
            (status, true) => self.sign(status),
            (Status::Pending, false) => "[ ]",
            (Status::InProgress, false) => "[~]",
            (Status::Blocked, false) => "[!]",
            (Status::Done, false) => "[x]",
            (Status::Deferred, false) => "[z]",
            (Status::Cancelled, false) => "[-]",
        }
    }

    /// A bar of how much is done.
    pub(super) fn bar(&self, done: usize, total: usize, width: usize) -> String {
        let filled = (done * width).checked_div(total).unwrap_or(0);
        let (full, empty) = if self.capabilities.unicode {
            ("█", "░")
        } else {
            ("#", ".")
        };
        format!(
            "{}{}",
            self.style(Style::Good, &full.repeat(filled)),
            self.style(Style::Faint, &empty.repeat(width - filled))
        )
    }

    /// How a priority looks; nothing for the usual one.
    pub(super) fn priority(&self, priority: Priority) -> String {
        match priority {
            Priority::High => self.style(Style::Bad, "high  "),
            Priority::Medium => "medium".to_owned(),
            Priority::Low => self.style(Style::Faint, "low   "),
        }
    }

    /// Makes a user's text fit one line of what is left after so many columns.
    pub(super) fn fit(&self, text: &str, used: usize) -> String {
        let text = harmless(text);
        let Some(columns) = self.columns else {
            return text;
        };
        self.clip_harmless(&text, columns.saturating_sub(used).max(10))
    }

    /// Makes a user's text fit so many columns.
    pub(super) fn clip(&self, text: &str, room: usize) -> String {
        self.clip_harmless(&harmless(text), room)
    }

    /// Makes a harmless name fit so many columns; it keeps its end.
    pub(super) fn clip_name(&self, name: &str, room: usize) -> String {
        cut_middle(name, room, self.ellipsis())
    }

    fn clip_harmless(&self, text: &str, room: usize) -> String {
        cut(text, room, self.ellipsis())
    }

    fn ellipsis(&self) -> &'static str {
        if self.capabilities.unicode {
            "…"
        } else {
            "~"
        }
    }
}

/// How writing went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Done,
    /// A reader that went away is no error: nobody is left to tell.
    Gone,
    Lost,
}

fn write_all(stream: &mut impl io::Write, text: &str) -> Written {
    write_bytes(stream, text.as_bytes())
}

fn write_bytes(stream: &mut impl io::Write, bytes: &[u8]) -> Written {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Ok(()) => Written::Done,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Written::Gone,
        Err(_) => Written::Lost,
    }
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// JSON without characters that turn text around: they are spelt out, which JSON allows, because terminals obey them.
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

#[cfg(test)]
mod tests {
    use super::*;

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
