//! Tasks as this dialect shows them, in full or as rows of a list, always within the budget.

use serde_json::{Map, Value, json};
use todori_domain::{Subtask, SubtaskId, Task};

use crate::budget::{cut, list_mark, share, size, size_in_json};
use crate::resource::TASK_URI;
use crate::schema::{Field, Shape};

/// How many bytes of JSON the texts of a task may take for which there is no argument to read on.
const TITLE_BYTES: usize = 840;
const SHORT_BYTES: usize = 160;
/// The same in a row of a list.
const ROW_TITLE_BYTES: usize = 280;
const ROW_TEXT_BYTES: usize = 400;
const ROW_DEPENDENCIES: usize = 5;
const ROW_SUBTASKS: usize = 4;

/// The shape of a whole task.
pub(super) fn task_shape() -> Shape {
    use Field as F;
    Shape::Object(vec![
        F::required("id", Shape::Id, ""),
        F::required("title", Shape::any_text(), ""),
        F::optional("description", Shape::any_text(), ""),
        F::required("status", Shape::Choice(super::STATUSES), ""),
        F::optional("priority", Shape::Choice(super::PRIORITIES), ""),
        F::optional("dependencies", Shape::list(Shape::Id), ""),
        F::optional("subtasks", Shape::list(subtask_shape()), ""),
        F::optional("nextSubtask", Shape::Integer(1), ""),
        F::optional("activeForm", Shape::any_text(), ""),
        F::optional("assignee", Shape::any_text(), ""),
        F::optional("metadata", times_shape(), ""),
    ])
}

/// The shape of a task after it was written. `get_task` describes it in full; said once, it costs less context.
pub(super) fn written_shape() -> Shape {
    Shape::Object(vec![
        Field::required("id", Shape::Id, ""),
        Field::required("title", Shape::any_text(), ""),
        Field::required("status", Shape::any_text(), ""),
        Field::required("subtasks", Shape::list(Shape::Object(Vec::new())), ""),
    ])
}

fn subtask_shape() -> Shape {
    Shape::Object(vec![
        Field::required("id", Shape::Id, ""),
        Field::required("title", Shape::any_text(), ""),
        Field::optional("description", Shape::any_text(), ""),
        Field::required("status", Shape::Choice(super::STATUSES), ""),
    ])
}

fn times_shape() -> Shape {
    Shape::Object(vec![
        Field::required("created", Shape::Time, ""),
        Field::required("updated", Shape::Time, ""),
        Field::optional("completed", Shape::Time, ""),
    ])
}

/// The shape of a row; which fields it has is up to the caller.
pub(super) fn row_shape() -> Shape {
    use Field as F;
    Shape::Object(vec![
        F::optional("id", Shape::Id, ""),
        F::optional("title", Shape::any_text(), ""),
        F::optional("status", Shape::Choice(super::STATUSES), ""),
        F::optional("priority", Shape::Choice(super::PRIORITIES), ""),
        F::optional("dependencies", Shape::list(Shape::Id), ""),
        F::optional("openSubtasks", Shape::Integer(0), ""),
    ])
}

/// Where reading the long parts of a task begins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReadFrom {
    /// The first character of the description.
    pub(super) character: usize,
    /// The number of the first subtask.
    pub(super) subtask: usize,
}

/// A task from the beginning, in at most this many bytes.
pub(super) fn task(task: &Task, most: usize) -> Value {
    task_from(task, most, ReadFrom::default())
}

/// A task from some place on, in at most this many bytes.
pub(super) fn task_from(task: &Task, most: usize, from: ReadFrom) -> Value {
    let resource = format!("read resource {TASK_URI}{}", task.id);
    let short = |text: &str, most: usize| cut(text, most, |_| resource.clone());
    let description: Option<String> = task
        .description
        .as_ref()
        .map(|text| text.as_str().chars().skip(from.character).collect())
        .filter(|text: &String| !text.is_empty());
    let subtasks: Vec<&Subtask> = task
        .subtasks
        .iter()
        .filter(|subtask| subtask.number as usize >= from.subtask)
        .collect();

    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", json!(task.id.to_string()));
    put("title", json!(short(task.title.as_str(), TITLE_BYTES)));
    put("description", Value::Null);
    put("status", json!(task.status.as_str()));
    put("priority", json!(task.priority.as_str()));
    put("dependencies", json!([]));
    put("subtasks", json!([]));
    if let Some(text) = &task.active_form {
        put("activeForm", json!(short(text.as_str(), SHORT_BYTES)));
    }
    if let Some(name) = &task.assignee {
        put("assignee", json!(short(name.as_str(), SHORT_BYTES)));
    }
    put("metadata", times(task));
    // The object without its long parts takes this much; they share the rest.
    let frame = size(&Value::Object(map.clone())) + "\"nextSubtask\":4294967295,".len();
    let whole_subtasks: Vec<Value> = subtasks
        .iter()
        .map(|subtask| short_subtask(task.subtask_id(subtask.number), subtask, usize::MAX))
        .collect();
    let needs = [
        description.as_deref().map_or(0, size_in_json),
        whole_subtasks.iter().map(|subtask| size(subtask) + 1).sum(),
        task.waits_for.len() * 39,
    ];
    let [for_text, for_subtasks, for_dependencies] = share(most.saturating_sub(frame), needs);

    let read_on = |kept: usize| {
        format!(
            "get_task {{id: {}, from: {}}}",
            task.id.prefix(8),
            from.character + kept
        )
    };
    match description {
        Some(text) => {
            map.insert(
                "description".to_owned(),
                json!(cut(&text, for_text, read_on)),
            );
        }
        None => drop(map.shift_remove("description")),
    }
    map.insert(
        "dependencies".to_owned(),
        dependencies(task, for_dependencies, &resource),
    );
    let (shown, next) = fitting_subtasks(task, &subtasks, whole_subtasks, for_subtasks);
    map.insert("subtasks".to_owned(), Value::Array(shown));
    if let Some(number) = next {
        map.insert("nextSubtask".to_owned(), json!(number));
    }
    Value::Object(map)
}

fn times(task: &Task) -> Value {
    let mut times =
        json!({"created": task.created.to_string(), "updated": task.updated.to_string()});
    if let (Some(map), Some(time)) = (times.as_object_mut(), task.completed) {
        map.insert("completed".to_owned(), json!(time.to_string()));
    }
    times
}

/// A subtask, its texts in about this many bytes.
fn short_subtask(id: SubtaskId, subtask: &Subtask, most: usize) -> Value {
    let mut map = Map::new();
    let short_id = format!("{}.{}", id.task.prefix(8), id.number);
    let read_on = |kept: usize| format!("get_task {{id: {short_id}, from: {kept}}}");
    let title = cut(subtask.title.as_str(), most.min(TITLE_BYTES), |_| {
        format!("get_task {{id: {short_id}}}")
    });
    let left = most.saturating_sub(size_in_json(&title));
    map.insert("id".to_owned(), json!(id.to_string()));
    map.insert("title".to_owned(), json!(title));
    if let Some(text) = &subtask.description {
        map.insert(
            "description".to_owned(),
            json!(cut(text.as_str(), left, read_on)),
        );
    }
    map.insert("status".to_owned(), json!(subtask.status.as_str()));
    Value::Object(map)
}

/// A single subtask, its description from this character on: the answer to `get_task` with the id of a subtask.
pub(super) fn subtask_from(id: SubtaskId, subtask: &Subtask, most: usize, from: usize) -> Value {
    let mut map = Map::new();
    let short_id = format!("{}.{}", id.task.prefix(8), id.number);
    let read_on = |kept: usize| format!("get_task {{id: {short_id}, from: {}}}", from + kept);
    let resource = format!("read resource {TASK_URI}{}", id.task);
    map.insert("id".to_owned(), json!(id.to_string()));
    map.insert(
        "title".to_owned(),
        json!(cut(subtask.title.as_str(), TITLE_BYTES, |_| resource.clone())),
    );
    map.insert("status".to_owned(), json!(subtask.status.as_str()));
    let frame = size(&Value::Object(map.clone())) + "\"description\":\"\",".len();
    if let Some(text) = &subtask.description {
        let text: String = text.as_str().chars().skip(from).collect();
        map.insert(
            "description".to_owned(),
            json!(cut(&text, most.saturating_sub(frame), read_on)),
        );
    }
    Value::Object(map)
}

/// The subtasks that fit, shortened if need be, and the number of the first that does not.
fn fitting_subtasks(
    task: &Task,
    subtasks: &[&Subtask],
    whole: Vec<Value>,
    room: usize,
) -> (Vec<Value>, Option<u32>) {
    const SUBTASK_BYTES: usize = 220;
    let needed: usize = whole.iter().map(|subtask| size(subtask) + 1).sum();
    if needed <= room {
        return (whole, None);
    }
    let mut shown = Vec::new();
    let mut used = 0;
    for subtask in subtasks {
        let value = short_subtask(task.subtask_id(subtask.number), subtask, SUBTASK_BYTES);
        used += size(&value) + 1;
        if used > room && shown.is_empty() {
            // One subtask is always shown, if only by its title: otherwise nobody could read on.
            let bare = Subtask {
                description: None,
                ..(*subtask).clone()
            };
            shown.push(short_subtask(task.subtask_id(subtask.number), &bare, 80));
            let next = subtasks.iter().find(|next| next.number > subtask.number);
            return (shown, next.map(|next| next.number));
        }
        if used > room {
            return (shown, Some(subtask.number));
        }
        shown.push(value);
    }
    (shown, None)
}

fn dependencies(task: &Task, room: usize, resource: &str) -> Value {
    let ids = task.waits_for.iter().map(|id| json!(id.to_string()));
    if task.waits_for.len() * 39 <= room {
        return ids.collect();
    }
    let mark = |rest| json!(list_mark(rest, resource));
    let fitting = room.saturating_sub(size(&mark(task.waits_for.len())) + 1) / 39;
    let rest = task.waits_for.len() - fitting;
    ids.take(fitting)
        .chain(std::iter::once(mark(rest)))
        .collect()
}

/// A row of a list: what identifies the task, and what is not the default.
pub(super) fn row(task: &Task) -> Value {
    let mut map = Map::new();
    for field in ["id", "title", "status", "priority"] {
        map.insert(field.to_owned(), row_field(task, field));
    }
    if !task.waits_for.is_empty() {
        map.insert("dependencies".to_owned(), row_field(task, "dependencies"));
    }
    if task.open_subtasks() > 0 {
        map.insert("openSubtasks".to_owned(), json!(task.open_subtasks()));
    }
    Value::Object(map)
}

/// The fields that a row can have.
pub(super) const ROW_FIELDS: &[&str] = &[
    "id",
    "title",
    "status",
    "priority",
    "description",
    "dependencies",
    "subtasks",
    "openSubtasks",
    "activeForm",
    "assignee",
    "created",
    "updated",
    "completed",
    "metadata",
];

/// A row with the fields that were asked for; what a task does not have is left out.
pub(super) fn projection(task: &Task, fields: &[String]) -> Value {
    let values = fields
        .iter()
        .map(|field| (field.clone(), row_field(task, field)));
    Value::Object(values.filter(|(_, value)| !value.is_null()).collect())
}

fn row_field(task: &Task, field: &str) -> Value {
    let short = |text: &str, most: usize| {
        json!(cut(text, most, |_| format!(
            "get_task {{id: {}}}",
            task.id.prefix(8)
        )))
    };
    match field {
        "id" => json!(task.id.to_string()),
        "title" => short(task.title.as_str(), ROW_TITLE_BYTES),
        "status" => json!(task.status.as_str()),
        "priority" => json!(task.priority.as_str()),
        "description" => task
            .description
            .as_ref()
            .map_or(Value::Null, |text| short(text.as_str(), ROW_TEXT_BYTES)),
        "dependencies" => row_dependencies(task),
        "subtasks" => row_subtasks(task),
        "openSubtasks" => json!(task.open_subtasks()),
        "activeForm" => task
            .active_form
            .as_ref()
            .map_or(Value::Null, |text| short(text.as_str(), SHORT_BYTES)),
        "assignee" => task
            .assignee
            .as_ref()
            .map_or(Value::Null, |name| short(name.as_str(), SHORT_BYTES)),
        "created" => json!(task.created.to_string()),
        "updated" => json!(task.updated.to_string()),
        "completed" => task
            .completed
            .map_or(Value::Null, |time| json!(time.to_string())),
        "metadata" => times(task),
        _ => Value::Null,
    }
}

fn row_dependencies(task: &Task) -> Value {
    let ids = task.waits_for.iter().map(|id| json!(id.to_string()));
    if task.waits_for.len() <= ROW_DEPENDENCIES {
        return ids.collect();
    }
    let rest = task.waits_for.len() - ROW_DEPENDENCIES;
    let mark = list_mark(rest, &format!("get_task {{id: {}}}", task.id.prefix(8)));
    ids.take(ROW_DEPENDENCIES)
        .chain(std::iter::once(json!(mark)))
        .collect()
}

fn row_subtasks(task: &Task) -> Value {
    const WORDS: usize = 100;
    let row = |subtask: &Subtask| {
        let short = |kept: &str| cut(kept, WORDS, |_| String::new());
        json!({"id": task.subtask_id(subtask.number).to_string(), "title": short(subtask.title.as_str()),
            "status": subtask.status.as_str()})
    };
    task.subtasks.iter().take(ROW_SUBTASKS).map(row).collect()
}
