//! Changing fields of a task. What is set to what it already is does not count as a change.

use super::draft::Draft;
use super::{status, waiting};
use crate::{Refusal, TaskEdit, TaskRef};

pub(super) fn edit(draft: &mut Draft<'_>, task: &TaskRef, edit: &TaskEdit) -> Result<(), Refusal> {
    let mut task = draft.task(task)?;
    let TaskEdit {
        title,
        active_form,
        description,
        status,
        stage,
        priority,
        waits_for,
        waits_also_for,
        waits_no_longer_for,
    } = edit;
    if let Some(title) = title {
        task.title = title.clone();
    }
    if let Some(active_form) = active_form {
        task.active_form.clone_from(active_form);
    }
    if let Some(description) = description {
        task.description.clone_from(description);
    }
    if let Some(priority) = priority {
        task.priority = *priority;
    }
    let board = draft.board();
    let mut wanted = match waits_for {
        Some(waits_for) => waiting::resolve_or_keep(board, waits_for, &task.waits_for)?,
        None => task.waits_for.clone(),
    };
    let also = waiting::resolve(board, waits_also_for)?;
    let also: Vec<_> = also.into_iter().filter(|id| !wanted.contains(id)).collect();
    wanted.extend(also);
    let done_with = waiting::resolve_or_keep(board, waits_no_longer_for, &task.waits_for)?;
    wanted.retain(|id| !done_with.contains(id));
    // A cycle that a merge left behind is not this edit's fault: only what it adds is looked at.
    let added: Vec<_> = wanted
        .iter()
        .copied()
        .filter(|id| !task.waits_for.contains(id))
        .collect();
    waiting::refuse_cycle(board, task.id, &added)?;
    task.waits_for = wanted;
    if let Some(status) = status {
        status::set(&mut task, *status, draft);
    }
    if let Some(stage) = stage {
        status::set_stage(&mut task, *stage, draft);
    }
    draft.put(task);
    Ok(())
}
