//! What a call changes once its result is there: nothing is believed before.

use std::collections::VecDeque;

use serde_json::Value;

use super::lists::{Lens, Lists, Sight, Source, id};
use super::results::Success;
use super::tools::Tool;

/// The most calls that are waited for; the oldest are given up.
const MAX_WAITING: usize = 1_000;

/// A call whose result has not come yet.
#[derive(Debug)]
pub(super) struct Call {
    /// The agent that made it; none for the main one.
    pub(super) agent: Option<String>,
    pub(super) tool: Tool,
    pub(super) input: Value,
}

/// The calls that are waited for, oldest first.
#[derive(Debug, Default)]
pub(super) struct Calls(VecDeque<(String, Call)>);

impl Calls {
    pub(super) fn begin(&mut self, id: &str, call: Call) {
        // The same call may be told again.
        drop(self.end(id));
        if self.0.len() >= MAX_WAITING {
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
    /// Changes the lists as a successful call did. Says whether they look different now.
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
            Tool::Spawn | Tool::Silent => {}
            Tool::WriteList => {
                if let Some(items) = sights(&self.input, "todos") {
                    lists.write(agent, items);
                }
            }
            Tool::ShowList => {
                // A list that was finished is cleared by its server; people still want to see that it was.
                let items = sights(data, "todos");
                if let Some(items) =
                    items.filter(|new| !new.is_empty() || !lists.is_finished(agent))
                {
                    lists.write(agent, items);
                }
            }
            Tool::TaskCreate | Tool::TaskUpdate | Tool::TaskGet => self.claude_task(result, lists),
            Tool::TaskList => {
                if let Some(items) = sights(data, "tasks") {
                    lists.see_all(agent, Source::Claude, Lens::Full, &items);
                }
            }
            Tool::Task => self.board_task(data, lists),
            Tool::NextTask => {
                if let Some(task) = data.get("task") {
                    lists.see(agent, Source::Board, Lens::Full, &Sight::read(task));
                }
            }
            Tool::SomeTasks => {
                for task in sights(data, "tasks").into_iter().flatten() {
                    if task.id.is_some() {
                        lists.see(agent, Source::Board, Lens::Full, &task);
                    }
                }
            }
            Tool::Board => {
                if let Some(items) = sights(data, "todos") {
                    lists.see_all(agent, Source::Board, Lens::Three, &items);
                }
            }
            Tool::CheckList => {
                if let Some(items) = sights(data, "tasks") {
                    lists.see_all(agent, Source::Board, Lens::Two, &items);
                }
            }
            Tool::DeleteTask => {
                let gone = data.get("deletedId").or_else(|| self.input.get("id"));
                if let Some(gone) = gone.and_then(id) {
                    lists.remove(agent, Source::Board, &gone);
                }
            }
        }
    }

    /// A task of todori, as its result says; where that says nothing, as the call does.
    fn board_task(&self, data: &Value, lists: &mut Lists) {
        let told = Sight::read(data);
        let sight = if told.id.is_some() {
            told
        } else {
            Sight::read(&self.input)
        };
        if sight.id.is_some() {
            lists.see(self.agent.as_deref(), Source::Board, Lens::Full, &sight);
        }
    }

    /// One of Claude Code's own tasks: the result knows the id, the call knows the words.
    fn claude_task(&self, result: &Success, lists: &mut Lists) {
        let agent = self.agent.as_deref();
        let told = result.data.get("task").map(Sight::read).unwrap_or_default();
        let asked = Sight::read(&self.input);
        let updated = result.data.get("taskId").and_then(id);
        let Some(id) = told
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
        // A task of an earlier session may be updated: its words were never told here.
        let confirmed = result.data.get("success").and_then(Value::as_bool) == Some(true);
        let nameless = confirmed && !lists.has(agent, Source::Claude, &id);
        let title = asked.title.or(told.title);
        let sight = Sight {
            title: title.or_else(|| nameless.then(|| format!("Task #{id}"))),
            id: Some(id),
            active_form: asked.active_form.or(told.active_form),
            status: asked.status.or(told.status),
            steps: None,
        };
        lists.see(agent, Source::Claude, Lens::Full, &sight);
    }
}

/// The id in `Task #1 created successfully: ...`, for versions that say it nowhere else.
fn id_in_words(text: &str) -> Option<String> {
    let (id, rest) = text.strip_prefix("Task #")?.split_once(' ')?;
    (rest.starts_with("created") && !id.is_empty()).then(|| id.chars().take(100).collect())
}

/// The items in a list, which is the value itself or stands in it under a name.
fn sights(value: &Value, name: &str) -> Option<Vec<Sight>> {
    let list = value.as_array().or_else(|| value.get(name)?.as_array())?;
    Some(list.iter().map(Sight::read).collect())
}
