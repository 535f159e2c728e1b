//! A task as `--json` prints it: the same for every verb, and stable.

use serde_json::{Value, json};
use todori_domain::{Description, SessionName, Subtask, Task, Title};

/// All fields of a task; what it does not have is null or empty.
pub(super) fn task(task: &Task) -> Value {
    let Task {
        id,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for,
        subtasks,
        next_subtask: _,
        assignee,
        rank: _,
        created,
        updated,
        completed,
    } = task;
    json!({
        "id": id.to_string(),
        "title": title.as_str(),
        "activeForm": active_form.as_ref().map(Title::as_str),
        "description": description.as_ref().map(Description::as_str),
        "status": status.as_str(),
        "priority": priority.as_str(),
        "dependencies": waits_for.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "subtasks": subtasks.iter().map(|step| subtask(task, step)).collect::<Vec<_>>(),
        "assignee": assignee.as_ref().map(SessionName::as_str),
        "created": created.to_string(),
        "updated": updated.to_string(),
        "completed": completed.map(|time| time.to_string()),
    })
}

fn subtask(task: &Task, step: &Subtask) -> Value {
    let Subtask {
        number,
        title,
        description,
        status,
    } = step;
    json!({
        "id": task.subtask_id(*number).to_string(),
        "title": title.as_str(),
        "description": description.as_ref().map(Description::as_str),
        "status": status.as_str(),
    })
}
