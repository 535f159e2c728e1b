//! A task as JSON: the one shape that `--json` prints, the page is told, exports hold and the history keeps. A field is
//! named here once; what leaves fields out begins with all of them.

use serde_json::{Value, json};
use todori_domain::{
    Description, Priority, Rank, SessionName, Status, Subtask, Task, TaskId, Timestamp, Title,
};

/// All fields of a task; what it does not have is null or empty.
pub fn full(task: &Task) -> Value {
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
    json!({
        "id": id.to_string(),
        "title": title.as_str(),
        "activeForm": active_form.as_ref().map(Title::as_str),
        "description": description.as_ref().map(Description::as_str),
        "status": status.as_str(),
        "priority": priority.as_str(),
        "dependencies": waits_for.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "subtasks": subtasks.iter().map(|subtask| full_subtask(task, subtask)).collect::<Vec<_>>(),
        "nextSubtask": next_subtask,
        "assignee": assignee.as_ref().map(SessionName::as_str),
        "rank": (!rank.is_unset()).then(|| rank.as_str()),
        "created": created.to_string(),
        "updated": updated.to_string(),
        "completed": completed.map(|time| time.to_string()),
    })
}

/// The same without what is null or empty.
pub fn compact(task: &Task) -> Value {
    let mut value = full(task);
    let subtasks = value.get_mut("subtasks").and_then(Value::as_array_mut);
    for subtask in subtasks.into_iter().flatten() {
        leave_out_nothing(subtask);
    }
    leave_out_nothing(&mut value);
    value
}

fn leave_out_nothing(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !is_nothing(value));
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

fn full_subtask(task: &Task, subtask: &Subtask) -> Value {
    let Subtask {
        number,
        title,
        description,
        status,
    } = subtask;
    json!({
        "id": task.subtask_id(*number).to_string(),
        "number": number,
        "title": title.as_str(),
        "description": description.as_ref().map(Description::as_str),
        "status": status.as_str(),
    })
}

/// Reads what `full` or `compact` wrote, and what older versions did; `None` for anything else.
pub(crate) fn read(value: &Value) -> Option<Task> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    // Older versions spelt two names with an underscore.
    let active_form = text("activeForm").or_else(|| text("active_form"));
    let next_subtask = value
        .get("nextSubtask")
        .or_else(|| value.get("next_subtask"));
    let waits_for = list(value, "dependencies").map(|id| TaskId::parse(id.as_str()?));
    let completed = text("completed").map(Timestamp::parse);
    // Field by field: one that is new must be read.
    Some(Task {
        id: TaskId::parse(text("id")?)?,
        title: Title::parse(text("title")?).ok()?,
        active_form: active_form.map(Title::parse).transpose().ok()?,
        description: description(value)?,
        status: Status::parse(text("status")?)?,
        priority: Priority::parse(text("priority")?)?,
        waits_for: waits_for.collect::<Option<_>>()?,
        subtasks: list(value, "subtasks")
            .map(read_subtask)
            .collect::<Option<_>>()?,
        next_subtask: u32::try_from(next_subtask?.as_u64()?).ok()?,
        assignee: text("assignee").map(SessionName::new),
        rank: text("rank").map_or(Some(Rank::unset()), Rank::parse)?,
        created: Timestamp::parse(text("created")?)?,
        updated: Timestamp::parse(text("updated")?)?,
        completed: match completed {
            Some(time) => Some(time?),
            None => None,
        },
    })
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let list = value.get(key).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn description(value: &Value) -> Option<Option<Description>> {
    let text = value.get("description").and_then(Value::as_str);
    let parsed = text.map(Description::parse).transpose().ok()?;
    Some(parsed.flatten())
}

fn read_subtask(subtask: &Value) -> Option<Subtask> {
    let text = |key: &str| subtask.get(key).and_then(Value::as_str);
    Some(Subtask {
        number: u32::try_from(subtask.get("number")?.as_u64()?).ok()?,
        title: Title::parse(text("title")?).ok()?,
        description: description(subtask)?,
        status: Status::parse(text("status")?)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use todori_domain::testing::generate;

    use super::*;

    proptest! {
        #[test]
        fn any_task_is_read_back(task in generate::id().prop_flat_map(generate::task)) {
            for written in [full(&task), compact(&task)] {
                let value = serde_json::from_str(&written.to_string()).unwrap();
                prop_assert_eq!(read(&value), Some(task.clone()));
            }
        }
    }

    #[test]
    fn what_older_versions_wrote_is_read() {
        let line = json!({
            "id": "3f2b8c1e-7a4d-4e0b-9c55-0d1f6a2b7e90", "title": "Old", "active_form": "Doing", "status": "pending",
            "priority": "high", "rank": "a3", "subtasks": [{"number": 2, "title": "Subtask", "status": "done"}],
            "next_subtask": 3, "created": "2026-11-15T07:12:13.123Z", "updated": "2026-11-15T07:12:13.123Z",
        });
        let task = read(&line).unwrap();
        assert_eq!(task.active_form.as_ref().map(Title::as_str), Some("Doing"));
        assert_eq!((task.next_subtask, task.subtasks[0].number), (3, 2));
    }
}
