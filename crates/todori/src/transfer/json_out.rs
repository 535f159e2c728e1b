//! Writes tasks as JSON that can be read again without a loss.

use serde_json::{Value, json};
use todori_domain::Task;

use super::own::VERSION;

/// The whole file; `show` gives a task as every verb prints it.
pub(crate) fn json_file(tasks: &[&Task], show: fn(&Task) -> Value) -> Value {
    let tasks = tasks.iter().map(|task| {
        let mut value = show(task);
        if let Some(map) = value.as_object_mut() {
            // Numbers of steps are never used again, not even by a task that moved elsewhere.
            map.insert("nextSubtask".to_owned(), json!(task.next_subtask));
        }
        value
    });
    json!({"todori": VERSION, "tasks": tasks.collect::<Vec<Value>>()})
}
