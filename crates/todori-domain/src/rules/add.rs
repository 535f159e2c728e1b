//! Adding a task: at the end of the list, waiting only for tasks that exist.

use super::draft::Draft;
use super::{place, status, waiting};
use std::sync::Arc;

use crate::{NewTask, OnDuplicate, Past, Refusal, Status, Task};

pub(super) fn add(draft: &mut Draft<'_>, new: &NewTask) -> Result<(), Refusal> {
    let NewTask {
        id,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for,
        subtasks,
        past,
        on_duplicate,
    } = new;
    // Names are for good: a task of this name is this task, whoever was quicker.
    if draft.board().get(*id).is_some() {
        return Ok(());
    }
    let open = |task: &&Arc<Task>| task.status.is_open() && task.title == *title;
    if *on_duplicate == OnDuplicate::Skip && draft.board().by_id().any(|task| open(&task)) {
        return Ok(());
    }
    let waits_for = waiting::resolve(draft.board(), waits_for)?;
    waiting::refuse_cycle(draft.board(), *id, &waits_for)?;
    let rank = place::at_end(draft);
    let mut task = Task::new(*id, title.clone(), rank, draft.moment.at);
    task.active_form.clone_from(active_form);
    task.description.clone_from(description);
    task.priority = *priority;
    task.waits_for = waits_for;
    task.subtasks.clone_from(subtasks);
    task.subtasks.sort_by_key(|subtask| subtask.number);
    task.subtasks.dedup_by_key(|subtask| subtask.number);
    let highest = task.subtasks.last().map_or(0, |subtask| subtask.number);
    task.next_subtask = highest.saturating_add(1);
    status::set(&mut task, *status, draft);
    match past {
        None => draft.put(task),
        Some(past) => {
            remember(&mut task, past);
            draft.fill_in(vec![task]);
        }
    }
    Ok(())
}

/// Gives a task the past that it had elsewhere.
fn remember(task: &mut Task, past: &Past) {
    let Past {
        created,
        updated,
        completed,
        assignee,
        next_subtask,
    } = past;
    task.created = created.unwrap_or(task.created);
    task.updated = updated.unwrap_or(task.updated);
    if task.status == Status::Done {
        task.completed = completed.or(task.completed);
    }
    if task.status == Status::InProgress {
        task.assignee.clone_from(assignee);
    }
    task.next_subtask = task.next_subtask.max(*next_subtask);
}
