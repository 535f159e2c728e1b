//! One thing that is put into a file, and taken out again.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::trouble::Trouble;
use super::{json as commented, toml};

/// One thing that is put into a file.
#[derive(Debug, Clone)]
pub(super) enum Op {
    /// An entry in JSON.
    Json {
        path: &'static [&'static str],
        entry: Value,
    },
    /// A table in TOML.
    Toml {
        path: &'static [&'static str],
        entry: Value,
    },
    /// A hook of Claude Code that runs a command when a session starts.
    Hook { command: String },
    /// The status line of Claude Code.
    StatusLine { command: String },
    /// A line in a list of lines.
    Line { line: &'static str },
}

/// What is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Absent,
    Same,
    /// Ours, or in our place, but not what it should be.
    Different,
}

const HOOKS: &[&str] = &["hooks", "SessionStart"];
/// When a model has lost, or never had, what was going on.
const MATCHER: &str = "startup|resume|clear|compact";
const STATUS_LINE: &[&str] = &["statusLine"];

impl Op {
    pub(super) fn presence(&self, file: &Path, text: &str) -> Result<Presence, Trouble> {
        let found = match self {
            Self::Json { path, entry } => {
                let there =
                    commented::get(text, path).map_err(|flaw| Trouble::json(file, &flaw))?;
                compare(there.as_ref(), entry)
            }
            Self::Toml { path, entry } => {
                let there = toml::get(text, path).map_err(|flaw| Trouble::toml(file, &flaw))?;
                compare(there.as_ref(), entry)
            }
            Self::Hook { command } => {
                let wanted = hook(command);
                let mut ours = hooks(file, text)?;
                match (ours.next(), ours.next()) {
                    (None, _) => Presence::Absent,
                    (Some((_, there)), None) if there == wanted => Presence::Same,
                    (Some(_), _) => Presence::Different,
                }
            }
            Self::StatusLine { command } => {
                let there =
                    commented::get(text, STATUS_LINE).map_err(|flaw| Trouble::json(file, &flaw))?;
                compare(there.as_ref(), &status_line(command))
            }
            Self::Line { line } => {
                if text.lines().any(|there| there.trim() == *line) {
                    Presence::Same
                } else {
                    Presence::Absent
                }
            }
        };
        Ok(found)
    }

    /// Puts it in.
    pub(super) fn put(&self, file: &Path, text: &str) -> Result<String, Trouble> {
        let trouble = |flaw| Trouble::json(file, &flaw);
        match self {
            Self::Json { path, entry } => commented::set(text, path, entry).map_err(trouble),
            Self::Toml { path, entry } => {
                let table = entry.as_object().cloned().unwrap_or_else(Map::new);
                toml::set(text, path, &table).map_err(|flaw| Trouble::toml(file, &flaw))
            }
            Self::Hook { command } => {
                let text = self.take(file, text)?;
                commented::push(&text, HOOKS, &hook(command)).map_err(trouble)
            }
            Self::StatusLine { command } => {
                commented::set(text, STATUS_LINE, &status_line(command)).map_err(trouble)
            }
            Self::Line { line } => {
                let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
                let gap = if text.is_empty() || text.ends_with('\n') {
                    ""
                } else {
                    end
                };
                Ok(format!("{text}{gap}{line}{end}"))
            }
        }
    }

    /// Takes it out, whatever it looks like by now.
    pub(super) fn take(&self, file: &Path, text: &str) -> Result<String, Trouble> {
        let trouble = |flaw| Trouble::json(file, &flaw);
        match self {
            Self::Json { path, entry: _ } => commented::remove(text, path).map_err(trouble),
            Self::Toml { path, entry: _ } => {
                toml::remove(text, path).map_err(|flaw| Trouble::toml(file, &flaw))
            }
            Self::Hook { .. } => {
                let mut text = text.to_owned();
                while let Some((place, _)) = hooks(file, &text)?.next() {
                    text = commented::remove_element(&text, HOOKS, place).map_err(trouble)?;
                }
                Ok(text)
            }
            Self::StatusLine { .. } => {
                let there = commented::get(text, STATUS_LINE).map_err(trouble)?;
                let command = there.as_ref().and_then(|there| there.get("command"));
                // Somebody else's stays.
                if is_ours(command, "statusline") {
                    commented::remove(text, STATUS_LINE).map_err(trouble)
                } else {
                    Ok(text.to_owned())
                }
            }
            Self::Line { line } => Ok(text
                .split_inclusive('\n')
                .filter(|there| there.trim() != *line)
                .collect()),
        }
    }

    /// The programs that what is there starts.
    pub(super) fn programs(&self, file: &Path, text: &str) -> Result<Vec<String>, Trouble> {
        let trouble = |flaw| Trouble::json(file, &flaw);
        let first = |entry: Option<Value>| -> Vec<String> {
            let command = entry.as_ref().and_then(|entry| entry.get("command"));
            let command = command.and_then(|words| words.get(0).or(Some(words)));
            let program = command.and_then(Value::as_str);
            program.into_iter().map(str::to_owned).collect()
        };
        Ok(match self {
            Self::Json { path, entry: _ } => first(commented::get(text, path).map_err(trouble)?),
            Self::Toml { path, entry: _ } => {
                first(toml::get(text, path).map_err(|flaw| Trouble::toml(file, &flaw))?)
            }
            Self::Hook { .. } => {
                let hooks = hooks(file, text)?.filter_map(|(_, hook)| {
                    let command = hook.get("hooks")?.get(0)?.get("command")?;
                    Some(own_program(command.as_str()?, "hook session-start")?.to_owned())
                });
                hooks.collect()
            }
            Self::StatusLine { .. } => {
                let there = commented::get(text, STATUS_LINE).map_err(trouble)?;
                let command = there
                    .as_ref()
                    .and_then(|there| there.get("command")?.as_str());
                let program = command.and_then(|command| own_program(command, "statusline"));
                program.into_iter().map(str::to_owned).collect()
            }
            Self::Line { .. } => Vec::new(),
        })
    }

    /// Whether it is there, in any form.
    pub(super) fn is_in(&self, file: &Path, text: &str) -> Result<bool, Trouble> {
        Ok(self.take(file, text)? != text)
    }
}

fn compare(there: Option<&Value>, wanted: &Value) -> Presence {
    match there {
        None => Presence::Absent,
        Some(there) if there == wanted => Presence::Same,
        Some(_) => Presence::Different,
    }
}

fn hook(command: &str) -> Value {
    json!({
        "matcher": MATCHER,
        "hooks": [{"type": "command", "command": command, "timeout": 5}],
    })
}

fn status_line(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

/// Our own hooks among those that run when a session starts, with their places. One that does more than ours is
/// somebody else's.
fn hooks(file: &Path, text: &str) -> Result<impl Iterator<Item = (usize, Value)> + use<>, Trouble> {
    let there = commented::get(text, HOOKS).map_err(|flaw| Trouble::json(file, &flaw))?;
    let list = match there {
        Some(Value::Array(list)) => list,
        Some(_) | None => Vec::new(),
    };
    let is_ours = |hook: &Value| {
        let inner = hook.get("hooks").and_then(Value::as_array);
        inner.is_some_and(|hooks| {
            !hooks.is_empty()
                && hooks
                    .iter()
                    .all(|hook| is_ours(hook.get("command"), "hook session-start"))
        })
    };
    Ok(list
        .into_iter()
        .enumerate()
        .filter(move |(_, hook)| is_ours(hook)))
}

/// Whether a command runs a verb of this program.
fn is_ours(command: Option<&Value>, verb: &str) -> bool {
    let command = command.and_then(Value::as_str);
    command.is_some_and(|command| own_program(command, verb).is_some())
}

/// This program, as a command names it that runs a verb of it.
pub(super) fn own_program<'a>(command: &'a str, verb: &str) -> Option<&'a str> {
    let program = command.trim().strip_suffix(verb)?;
    let program = program.trim().trim_matches(['"', '\'']);
    (program.rsplit('/').next() == Some("todori")).then_some(program)
}
