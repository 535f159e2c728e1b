//! Follows the tasks of a Claude Code run by its output stream (`--output-format stream-json`): a line in, a state out.
//! Knows the messages and the tools that carry tasks; does no input or output itself.

mod calls;
mod ending;
mod lines;
mod lists;
mod results;
mod tools;

use serde_json::Value;

use calls::{Call, PendingCalls};
pub(crate) use ending::Ending;
pub(crate) use lines::{Lines, MAX_LINE, Piece};
pub(crate) use lists::{List, Lists};

/// What is known of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Run {
    lists: Lists,
    calls: PendingCalls,
    ending: Option<Ending>,
    /// How many lines were read.
    lines: usize,
    /// How many of them were messages of a run.
    messages: usize,
    /// How many lines were not JSON, and the number of the first of them.
    invalid: usize,
    first_invalid: usize,
}

impl Run {
    /// Reads the next line, given without its line break. Returns whether a list looks different now.
    pub(crate) fn line(&mut self, line: &[u8]) -> bool {
        self.lines += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            return false;
        }
        match serde_json::from_slice(line) {
            // `--output-format json --verbose` gives all messages in one list.
            Ok(Value::Array(messages)) => {
                let mut changed = false;
                for message in &messages {
                    changed |= self.message(message);
                }
                changed
            }
            Ok(message) => self.message(&message),
            Err(_) => {
                self.count_invalid_line();
                false
            }
        }
    }

    /// Counts a line that was too long to be read.
    pub(crate) fn skip_line(&mut self) {
        self.lines += 1;
    }

    fn count_invalid_line(&mut self) {
        self.invalid += 1;
        if self.invalid == 1 {
            self.first_invalid = self.lines;
        }
    }

    fn message(&mut self, message: &Value) -> bool {
        let text = |key: &str| message.get(key).and_then(Value::as_str);
        match text("type") {
            Some("assistant") => {
                self.messages += 1;
                self.remember_calls(message);
                false
            }
            Some("user") => {
                self.messages += 1;
                self.apply_results(message)
            }
            Some("result") => {
                self.messages += 1;
                self.ending = Some(Ending::read(message));
                false
            }
            Some("system") => {
                self.messages += 1;
                self.read_notification(message)
            }
            // Parts of messages that arrive as a whole later.
            Some("stream_event") => {
                self.messages += 1;
                false
            }
            // Other versions of Claude Code have other kinds of messages.
            Some(_) | None => false,
        }
    }

    /// Remembers the calls in a message until their results come.
    fn remember_calls(&mut self, message: &Value) {
        let agent = message.get("parent_tool_use_id").and_then(Value::as_str);
        for block in blocks(message, "tool_use") {
            let word = |key: &str| block.get(key).and_then(Value::as_str);
            let (Some(id), Some(name)) = (word("id"), word("name")) else {
                continue;
            };
            let Some(tool) = tools::find(name) else {
                continue;
            };
            let input = block.get("input").cloned().unwrap_or_default();
            if tool == tools::Tool::Spawn {
                self.lists.name_agent(id, &input);
            }
            self.calls.begin(
                id,
                Call {
                    agent: agent.map(str::to_owned),
                    tool,
                    input,
                },
            );
        }
    }

    /// Applies the calls whose results are in a message. Returns whether a list looks different now.
    fn apply_results(&mut self, message: &Value) -> bool {
        let mut changed = false;
        let single = blocks(message, "tool_result").count() == 1;
        for block in blocks(message, "tool_result") {
            let id = block.get("tool_use_id").and_then(Value::as_str);
            let Some((id, call)) = id.and_then(|id| Some((id, self.calls.end(id)?))) else {
                continue;
            };
            // It belongs to the message as a whole: with several results, nothing says which one it is about.
            let structured = message.get("tool_use_result").filter(|_| single);
            if let Some(data) = results::success(block, structured) {
                changed |= call.apply(id, &data, &mut self.lists);
            }
        }
        changed
    }

    /// Reads a notification that an agent in the background has ended. Returns whether a list looks different now.
    fn read_notification(&mut self, message: &Value) -> bool {
        let text = |key: &str| message.get(key).and_then(Value::as_str);
        let ended = matches!(text("status"), Some("completed" | "failed" | "stopped"));
        match (text("subtype"), text("tool_use_id")) {
            (Some("task_notification"), Some(id)) if ended => self.lists.finish_agent(id),
            _ => false,
        }
    }

    pub(crate) fn lists(&self) -> &Lists {
        &self.lists
    }

    /// How the run ended, as its last result message says.
    pub(crate) fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// How many lines were read.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Whether any line was a message of a run.
    pub(crate) fn is_stream(&self) -> bool {
        self.messages > 0
    }

    /// How many lines were not JSON, and the number of the first of them; `None` if all were.
    pub(crate) fn invalid_lines(&self) -> Option<(usize, usize)> {
        (self.invalid > 0).then_some((self.invalid, self.first_invalid))
    }
}

/// The blocks of one kind in a message.
fn blocks<'a>(message: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let content = message
        .get("message")
        .and_then(|message| message.get("content"));
    let blocks = content.and_then(Value::as_array).into_iter().flatten();
    blocks.filter(move |block| block.get("type").and_then(Value::as_str) == Some(kind))
}

#[cfg(test)]
mod tests;
