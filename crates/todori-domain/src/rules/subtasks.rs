//! The subtasks of a task. Numbers are never reused, so that an old number never means another subtask.

use super::draft::Draft;
use crate::{Description, Refusal, Status, Subtask, SubtaskEdit, SubtaskRef, Task, TaskRef, Title};

pub(super) fn add(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    title: &Title,
    description: Option<&Description>,
) -> Result<(), Refusal> {
    let mut task = draft.task(task)?;
    let highest = task
        .subtasks
        .iter()
        .map(|subtask| subtask.number)
        .max()
        .unwrap_or(0);
    let number = task.next_subtask.max(highest.saturating_add(1));
    task.next_subtask = number.saturating_add(1);
    let (title, description) = (title.clone(), description.cloned());
    task.subtasks.push(Subtask {
        number,
        title,
        description,
        status: Status::Pending,
    });
    draft.put(task);
    Ok(())
}

pub(super) fn edit(
    draft: &mut Draft<'_>,
    subtask: &SubtaskRef,
    edit: &SubtaskEdit,
) -> Result<(), Refusal> {
    let mut task = draft.task(&subtask.task)?;
    let not_found = not_found(&task, subtask.number);
    let edited = task
        .subtasks
        .iter_mut()
        .find(|other| other.number == subtask.number);
    let edited = edited.ok_or(not_found)?;
    let SubtaskEdit {
        title,
        description,
        status,
    } = edit;
    if let Some(title) = title {
        edited.title = title.clone();
    }
    if let Some(description) = description {
        edited.description.clone_from(description);
    }
    if let Some(status) = status {
        edited.status = *status;
    }
    draft.put(task);
    Ok(())
}

pub(super) fn delete(draft: &mut Draft<'_>, subtask: &SubtaskRef) -> Result<(), Refusal> {
    let mut task = draft.task(&subtask.task)?;
    let place = task
        .subtasks
        .iter()
        .position(|other| other.number == subtask.number);
    let place = place.ok_or_else(|| not_found(&task, subtask.number))?;
    task.subtasks.remove(place);
    // A file written by hand may lack the counter: what was taken away still counts.
    task.next_subtask = task.next_subtask.max(subtask.number.saturating_add(1));
    draft.put(task);
    Ok(())
}

fn not_found(task: &Task, number: u32) -> Refusal {
    let known = task.subtasks.iter().map(|subtask| subtask.number).collect();
    Refusal::SubtaskNotFound {
        subtask: task.subtask_id(number),
        known,
    }
}
