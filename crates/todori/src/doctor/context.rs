//! What agents are charged for: the definitions of tools, the instructions, and the largest reply on this board.

use serde_json::{Map, Value, json};
use todori_dialects::{ALL, Block, Effect, MAX_REPLY_BYTES, about_tokens, seen_by_model};
use todori_domain::{Answer, Finding, Task, Tracker};

use super::count;
use crate::config::Settings;
use crate::dispatch::Dispatcher;

/// What each toolset costs before the first call.
pub(super) fn definitions() -> Vec<Finding> {
    let cost = |text: &str| format!("{} bytes, about {} tokens", text.len(), about_tokens(text));
    ALL.iter()
        .map(|dialect| {
            let says = format!(
                "{}: {}, {}; instructions, {}",
                dialect.name,
                count(dialect.for_models().count(), "tool"),
                cost(&seen_by_model(dialect)),
                cost(dialect.instructions)
            );
            Finding::ok("context", says)
        })
        .collect()
}

/// The largest reply that reading this board can give in the usual toolset.
pub(super) async fn replies(
    tracker: &Tracker,
    settings: &Settings,
    answer: &Answer,
) -> Option<Finding> {
    let dialect = ALL.first()?;
    let dispatcher = Dispatcher::new(tracker.clone(), vec![dialect]);
    let reads = dialect
        .tools
        .iter()
        .filter(|tool| tool.effect == Effect::Reads);
    let mut largest = (0, 0, "");
    for tool in reads {
        let arguments = if takes_an_id(tool) {
            let Some(task) = answer.board.in_order().max_by_key(|task| weight(task)) else {
                continue;
            };
            json!({"id": task.id.to_string()})
        } else {
            json!({})
        };
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        let person = settings.person.clone();
        let list = person.session.clone();
        let Some(Ok(reply)) = dispatcher.call(tool.name, arguments, person, &list).await else {
            continue;
        };
        let texts = reply.blocks.iter().map(|block| match block {
            Block::Text(text) | Block::Reminder(text) => text.as_str(),
        });
        let text: String = texts.collect();
        if text.len() > largest.0 {
            largest = (text.len(), about_tokens(&text), tool.name);
        }
    }
    let (bytes, tokens, tool) = largest;
    let says = format!(
        "the largest reply on this board is of {tool}: {bytes} bytes, about {tokens} tokens"
    );
    Some(if bytes > MAX_REPLY_BYTES {
        Finding::problem("context", says).advise(format!(
            "at most {MAX_REPLY_BYTES} bytes are promised: please report this"
        ))
    } else {
        Finding::ok("context", says)
    })
}

fn takes_an_id(tool: &todori_dialects::Tool) -> bool {
    let schema = (tool.input)().input_schema();
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == "id"))
}

/// About how much there is to say of a task.
fn weight(task: &Task) -> usize {
    let description = task
        .description
        .as_ref()
        .map_or(0, |text| text.as_str().len());
    let subtasks: usize = task
        .subtasks
        .iter()
        .map(|subtask| {
            subtask.title.as_str().len()
                + subtask
                    .description
                    .as_ref()
                    .map_or(0, |text| text.as_str().len())
        })
        .sum();
    description + subtasks + task.title.as_str().len()
}
