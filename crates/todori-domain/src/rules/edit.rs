//! Changing fields of a task. What is set to what it already is does not count as a change.

use super::draft::Draft;
use super::{status, waiting};
use crate::{Refusal, TaskEdit, TaskRef};

pub(super) fn edit(draft: &mut Draft<'_>, task: &TaskRef, edit: &TaskEdit) -> Result<(), Refusal> {
    let mut task = draft.task(task)?;
    let TaskEdit {
        title,
        description,
        status,
        stage,
        priority,
        waits_for,
    } = edit;
    if let Some(title) = title {
        task.title = title.clone();
    }
    if let Some(description) = description {
        task.description.clone_from(description);
    }
    if let Some(priority) = priority {
        task.priority = *priority;
    }
    if let Some(waits_for) = waits_for {
        let waits_for = waiting::resolve_or_keep(draft.board(), waits_for, &task.waits_for)?;
        // A circle that a merge left behind is not this edit's fault: only what it adds is looked at.
        let added: Vec<_> = waits_for
            .iter()
            .copied()
            .filter(|id| !task.waits_for.contains(id))
            .collect();
        waiting::refuse_cycle(draft.board(), task.id, &added)?;
        task.waits_for = waits_for;
    }
    if let Some(status) = status {
        status::set(&mut task, *status, draft);
    }
    if let Some(stage) = stage {
        status::set_stage(&mut task, *stage, draft);
    }
    draft.put(task);
    Ok(())
}
