//! What a call changes on the lists. It is applied when its result arrives, never before: a call may fail.

use std::collections::VecDeque;

use serde_json::Value;
use todori_dialects::Transcript;

use super::lists::{ItemUpdate, Lists, Source, StatusDetail, id};
use super::results::Success;
use super::tools::Tool;

/// The most calls that may wait for their results; the oldest are dropped.
const MAX_PENDING: usize = 1_000;

/// A call whose result has not come yet.
#[derive(Debug)]
pub(super) struct Call {
    /// The agent that made it; `None` for the main one.
    pub(super) agent: Option<String>,
    pub(super) tool: Tool,
    pub(super) input: Value,
}

/// The calls whose results have not come yet, oldest first.
#[derive(Debug, Default)]
pub(super) struct PendingCalls(VecDeque<(String, Call)>);

impl PendingCalls {
    pub(super) fn begin(&mut self, id: &str, call: Call) {
        // A stream may contain the same call twice.
        drop(self.end(id));
        if self.0.len() >= MAX_PENDING {
            self.0.pop_front();
        }
        self.0.push_back((id.to_owned(), call));
    }

    pub(super) fn end(&mut self, id: &str) -> Option<Call> {
        let place = self.0.iter().position(|(known, _)| known == id)?;
        self.0.remove(place).map(|(_, call)| call)
    }
}

impl Call {
    /// Changes the lists as a successful call did. Returns whether they look different now.
    pub(super) fn apply(&self, id: &str, result: &Success, lists: &mut Lists) -> bool {
        if self.tool == Tool::Spawn {
            return lists.finish_agent(id);
        }
        let before = lists.clone();
        self.change(result, lists);
        before != *lists
    }

    fn change(&self, result: &Success, lists: &mut Lists) {
        let agent = self.agent.as_deref();
        let data = &result.data;
        match self.tool {
            Tool::Spawn => {}
            Tool::TaskCreate | Tool::TaskUpdate | Tool::TaskGet => self.claude_task(result, lists),
            Tool::TaskList => {
                if let Some(items) = updates(data, "tasks") {
                    lists.replace_all(agent, Source::Claude, StatusDetail::Full, &items);
                }
            }
            Tool::Todori(transcript) => self.todori_call(transcript, data, lists),
        }
    }

    /// A call of a tool of todori, or of one like it.
    fn todori_call(&self, transcript: Transcript, data: &Value, lists: &mut Lists) {
        let agent = self.agent.as_deref();
        match transcript {
            Transcript::Nothing => {}
            Transcript::ListWritten => {
                if let Some(items) = updates(&self.input, "todos") {
                    lists.write(agent, items);
                }
            }
            Transcript::ListRead => {
                // The server clears a list that is finished; people still want to see it.
                let items = updates(data, "todos");
                if let Some(items) =
                    items.filter(|new| !new.is_empty() || !lists.is_finished(agent))
                {
                    lists.write(agent, items);
                }
            }
            Transcript::Task => self.board_task(data, lists),
            Transcript::OptionalTask => {
                if let Some(task) = data.get("task") {
                    lists.update(
                        agent,
                        Source::Board,
                        StatusDetail::Full,
                        &ItemUpdate::read(task),
                    );
                }
            }
            Transcript::SomeTasks => {
                for task in updates(data, "tasks").into_iter().flatten() {
                    if task.id.is_some() {
                        lists.update(agent, Source::Board, StatusDetail::Full, &task);
                    }
                }
            }
            Transcript::AllByStage => {
                if let Some(items) = updates(data, "todos") {
                    lists.replace_all(agent, Source::Board, StatusDetail::Stage, &items);
                }
            }
            Transcript::AllAsCheckList => {
                if let Some(items) = updates(data, "tasks") {
                    lists.replace_all(agent, Source::Board, StatusDetail::Completion, &items);
                }
            }
            Transcript::DeletedTask => {
                let gone = data.get("deletedId").or_else(|| self.input.get("id"));
                if let Some(gone) = gone.and_then(id) {
                    lists.remove(agent, Source::Board, &gone);
                }
            }
        }
    }

    /// A task of todori, as the result says; if that says nothing, as the call does.
    fn board_task(&self, data: &Value, lists: &mut Lists) {
        let answered = ItemUpdate::read(data);
        let update = if answered.id.is_some() {
            answered
        } else {
            ItemUpdate::read(&self.input)
        };
        if update.id.is_some() {
            lists.update(
                self.agent.as_deref(),
                Source::Board,
                StatusDetail::Full,
                &update,
            );
        }
    }

    /// One of Claude Code's own tasks: the result knows the id, the call knows the words.
    fn claude_task(&self, result: &Success, lists: &mut Lists) {
        let agent = self.agent.as_deref();
        let answered = result
            .data
            .get("task")
            .map(ItemUpdate::read)
            .unwrap_or_default();
        let asked = ItemUpdate::read(&self.input);
        let updated = result.data.get("taskId").and_then(id);
        let Some(id) = answered
            .id
            .or(updated)
            .or_else(|| id_in_words(&result.text))
            .or(asked.id)
        else {
            return;
        };
        let status = self.input.get("status").and_then(Value::as_str);
        if self.tool == Tool::TaskUpdate && status == Some("deleted") {
            return lists.remove(agent, Source::Claude, &id);
        }
        // The task may be from an earlier session, whose stream is not here: its title is unknown.
        let confirmed = result.data.get("success").and_then(Value::as_bool) == Some(true);
        let untitled = confirmed && !lists.has(agent, Source::Claude, &id);
        let title = asked.title.or(answered.title);
        let update = ItemUpdate {
            title: title.or_else(|| untitled.then(|| format!("Task #{id}"))),
            id: Some(id),
            active_form: asked.active_form.or(answered.active_form),
            status: asked.status.or(answered.status),
            subtasks: None,
        };
        lists.update(agent, Source::Claude, StatusDetail::Full, &update);
    }
}

/// The id in `Task #1 created successfully: ...`, for versions that say it nowhere else.
fn id_in_words(text: &str) -> Option<String> {
    let (id, rest) = text.strip_prefix("Task #")?.split_once(' ')?;
    (rest.starts_with("created") && !id.is_empty()).then(|| id.chars().take(100).collect())
}

/// The items of a list, which is the value itself or a field of it.
fn updates(value: &Value, name: &str) -> Option<Vec<ItemUpdate>> {
    let list = value.as_array().or_else(|| value.get(name)?.as_array())?;
    Some(list.iter().map(ItemUpdate::read).collect())
}
