//! Writes tasks as JSON that can be read again without a loss.

use serde_json::{Value, json};
use todori_domain::Task;
use todori_store::task_json;

use super::own::VERSION;

/// The whole file.
pub(crate) fn json_file(tasks: &[&Task]) -> Value {
    let tasks = tasks.iter().map(|task| task_json::full(task));
    json!({"todori": VERSION, "tasks": tasks.collect::<Vec<Value>>()})
}
