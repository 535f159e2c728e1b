//! One setting that is put into a client's file, found there, and taken out again.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::error::InstallError;
use super::{json as jsonc, toml};

/// One setting, and where it goes.
#[derive(Debug, Clone)]
pub(super) enum Setting {
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

impl Setting {
    pub(super) fn presence(&self, file: &Path, text: &str) -> Result<Presence, InstallError> {
        let refused = |error| InstallError::syntax(file, &error);
        let found = match self {
            Self::Json { path, entry } => {
                let there = jsonc::get(text, path).map_err(refused)?;
                compare(there.as_ref(), entry)
            }
            Self::Toml { path, entry } => {
                let there = toml::get(text, path).map_err(refused)?;
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
                let there = jsonc::get(text, STATUS_LINE).map_err(refused)?;
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
    pub(super) fn put(&self, file: &Path, text: &str) -> Result<String, InstallError> {
        let refused = |error| InstallError::syntax(file, &error);
        match self {
            Self::Json { path, entry } => jsonc::set(text, path, entry).map_err(refused),
            Self::Toml { path, entry } => {
                let table = entry.as_object().cloned().unwrap_or_else(Map::new);
                toml::set(text, path, &table).map_err(refused)
            }
            Self::Hook { command } => {
                let text = self.take(file, text)?;
                jsonc::push(&text, HOOKS, &hook(command)).map_err(refused)
            }
            Self::StatusLine { command } => {
                jsonc::set(text, STATUS_LINE, &status_line(command)).map_err(refused)
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
    pub(super) fn take(&self, file: &Path, text: &str) -> Result<String, InstallError> {
        let refused = |error| InstallError::syntax(file, &error);
        match self {
            Self::Json { path, entry: _ } => jsonc::remove(text, path).map_err(refused),
            Self::Toml { path, entry: _ } => toml::remove(text, path).map_err(refused),
            Self::Hook { .. } => {
                let mut text = text.to_owned();
                while let Some((place, _)) = hooks(file, &text)?.next() {
                    text = jsonc::remove_element(&text, HOOKS, place).map_err(refused)?;
                }
                Ok(text)
            }
            Self::StatusLine { .. } => {
                // Somebody else's stays.
                if has_own_status_line(file, text)? {
                    jsonc::remove(text, STATUS_LINE).map_err(refused)
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
    pub(super) fn programs(&self, file: &Path, text: &str) -> Result<Vec<String>, InstallError> {
        let refused = |error| InstallError::syntax(file, &error);
        let first = |entry: Option<Value>| -> Vec<String> {
            let command = entry.as_ref().and_then(|entry| entry.get("command"));
            let command = command.and_then(|words| words.get(0).or(Some(words)));
            let program = command.and_then(Value::as_str);
            program.into_iter().map(str::to_owned).collect()
        };
        Ok(match self {
            Self::Json { path, entry: _ } => first(jsonc::get(text, path).map_err(refused)?),
            Self::Toml { path, entry: _ } => first(toml::get(text, path).map_err(refused)?),
            Self::Hook { .. } => {
                let hooks = hooks(file, text)?.filter_map(|(_, hook)| {
                    let command = hook.get("hooks")?.get(0)?.get("command")?;
                    Some(own_program(command.as_str()?, "hook session-start")?.to_owned())
                });
                hooks.collect()
            }
            Self::StatusLine { .. } => {
                let there = jsonc::get(text, STATUS_LINE).map_err(refused)?;
                let command = there
                    .as_ref()
                    .and_then(|there| there.get("command")?.as_str());
                let program = command.and_then(|command| own_program(command, "statusline"));
                program.into_iter().map(str::to_owned).collect()
            }
            Self::Line { .. } => Vec::new(),
        })
    }

    /// Whether it is there, in any form. Only reads: changing a large file takes much longer.
    pub(super) fn is_in(&self, file: &Path, text: &str) -> Result<bool, InstallError> {
        let refused = |error| InstallError::syntax(file, &error);
        Ok(match self {
            Self::Json { path, entry: _ } => jsonc::get(text, path).map_err(refused)?.is_some(),
            Self::Toml { path, entry: _ } => toml::get(text, path).map_err(refused)?.is_some(),
            Self::Hook { .. } => hooks(file, text)?.next().is_some(),
            Self::StatusLine { .. } => has_own_status_line(file, text)?,
            Self::Line { line } => text.lines().any(|there| there.trim() == *line),
        })
    }
}

/// Whether the status line is ours.
fn has_own_status_line(file: &Path, text: &str) -> Result<bool, InstallError> {
    let there = jsonc::get(text, STATUS_LINE);
    let there = there.map_err(|error| InstallError::syntax(file, &error))?;
    let command = there.as_ref().and_then(|there| there.get("command"));
    Ok(is_ours(command, "statusline"))
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

/// Our own hooks among those that run when a session starts, with their places in the list. One that does more than ours is
/// somebody else's.
fn hooks(
    file: &Path,
    text: &str,
) -> Result<impl Iterator<Item = (usize, Value)> + use<>, InstallError> {
    let there = jsonc::get(text, HOOKS).map_err(|error| InstallError::syntax(file, &error))?;
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
