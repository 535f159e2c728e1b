//! A task as JSON, for the history. Has its own field names so that history lines stay readable when the domain moves.

use serde_json::{Map, Value, json};
use todori_domain::{
    Description, Priority, Rank, SessionName, Status, Subtask, Task, TaskId, Timestamp, Title,
};

/// Writes a task; fields that it does not have are left out.
pub(crate) fn write(task: &Task) -> Value {
    let Task {
        id,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for,
        subtasks,
        next_subtask,
        assignee,
        rank,
        created,
        updated,
        completed,
    } = task;
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", json!(id.to_string()));
    put("title", json!(title.as_str()));
    if let Some(text) = active_form {
        put("active_form", json!(text.as_str()));
    }
    if let Some(text) = description {
        put("description", json!(text.as_str()));
    }
    put("status", json!(status.as_str()));
    put("priority", json!(priority.as_str()));
    if !rank.is_unset() {
        put("rank", json!(rank.as_str()));
    }
    if !waits_for.is_empty() {
        put(
            "dependencies",
            waits_for.iter().map(|id| json!(id.to_string())).collect(),
        );
    }
    if !subtasks.is_empty() {
        put("subtasks", subtasks.iter().map(write_subtask).collect());
    }
    put("next_subtask", json!(next_subtask));
    if let Some(name) = assignee {
        put("assignee", json!(name.as_str()));
    }
    put("created", json!(created.to_string()));
    put("updated", json!(updated.to_string()));
    if let Some(time) = completed {
        put("completed", json!(time.to_string()));
    }
    Value::Object(map)
}

fn write_subtask(step: &Subtask) -> Value {
    let Subtask {
        number,
        title,
        description,
        status,
    } = step;
    let mut value = json!({"number": number, "title": title.as_str(), "status": status.as_str()});
    if let (Some(text), Some(map)) = (description, value.as_object_mut()) {
        map.insert("description".to_owned(), json!(text.as_str()));
    }
    value
}

/// Reads what `write` wrote; `None` for anything else.
pub(crate) fn read(value: &Value) -> Option<Task> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let title = Title::parse(text("title")?).ok()?;
    let created = Timestamp::parse(text("created")?)?;
    let rank = text("rank").map_or(Some(Rank::unset()), Rank::parse)?;
    let mut task = Task::new(TaskId::parse(text("id")?)?, title, rank, created);
    task.active_form = text("active_form").map(Title::parse).transpose().ok()?;
    task.description = text("description")
        .map(Description::parse)
        .transpose()
        .ok()?
        .flatten();
    task.status = Status::parse(text("status")?)?;
    task.priority = Priority::parse(text("priority")?)?;
    for id in value
        .get("dependencies")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        task.waits_for.push(TaskId::parse(id.as_str()?)?);
    }
    for step in value
        .get("subtasks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        task.subtasks.push(read_subtask(step)?);
    }
    task.next_subtask = u32::try_from(value.get("next_subtask")?.as_u64()?).ok()?;
    task.assignee = text("assignee").map(SessionName::new);
    task.updated = Timestamp::parse(text("updated")?)?;
    task.completed = match text("completed") {
        Some(time) => Some(Timestamp::parse(time)?),
        None => None,
    };
    Some(task)
}

fn read_subtask(step: &Value) -> Option<Subtask> {
    let text = |key: &str| step.get(key).and_then(Value::as_str);
    Some(Subtask {
        number: u32::try_from(step.get("number")?.as_u64()?).ok()?,
        title: Title::parse(text("title")?).ok()?,
        description: text("description")
            .map(Description::parse)
            .transpose()
            .ok()?
            .flatten(),
        status: Status::parse(text("status")?)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use todori_domain::testing::generate;

    proptest! {
        #[test]
        fn any_task_is_read_back(task in generate::id().prop_flat_map(generate::task)) {
            let line = super::write(&task).to_string();
            let value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(super::read(&value), Some(task));
        }
    }
}
