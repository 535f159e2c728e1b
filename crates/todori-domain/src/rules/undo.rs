//! Taking changes back. What somebody did later stays: a field that is no longer as the change left it is not touched,
//! and then nothing is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::draft::Draft;
use super::waiting;
use crate::{Refusal, Task, TaskChange, TaskId};

/// Takes changes back, newest first; all of them or none.
pub(super) fn undo(draft: &mut Draft<'_>, changes: &[&TaskChange]) -> Result<(), Refusal> {
    let mut lost = BTreeSet::new();
    for change in changes {
        let done = match (&change.before, &change.after) {
            (Some(before), Some(after)) => undo_edit(draft, before, after),
            (Some(before), None) => undo_deletion(draft, before),
            (None, Some(after)) => undo_creation(draft, after),
            (None, None) => Ok(()),
        };
        if let Err(ChangedSince(task)) = done {
            lost.insert(task);
        }
    }
    lost.extend(waiting_for_removed(draft, changes));
    if !lost.is_empty() {
        return Err(Refusal::ChangedSince {
            tasks: lost.into_iter().collect(),
        });
    }
    // Only now is everything back that tasks may wait for.
    let restored = changes.iter().filter_map(|change| change.id());
    for id in restored.collect::<BTreeSet<_>>() {
        let Some(mut task) = draft.board().get(id).map(|task| Task::clone(task)) else {
            continue;
        };
        task.waits_for
            .retain(|&other| draft.board().get(other).is_some());
        waiting::refuse_cycle(draft.board(), id, &task.waits_for)?;
        draft.put(task);
    }
    Ok(())
}

/// The tasks that were made to wait, since then, for a task that the undo removes.
fn waiting_for_removed(draft: &Draft<'_>, changes: &[&TaskChange]) -> Vec<TaskId> {
    let made = changes.iter().filter(|change| change.before.is_none());
    let gone: BTreeSet<TaskId> = made
        .filter_map(|change| change.id())
        .filter(|&id| draft.board().get(id).is_none())
        .collect();
    let waiting = draft.board().by_id();
    let waiting = waiting.filter(|task| task.waits_for.iter().any(|id| gone.contains(id)));
    waiting.map(|task| task.id).collect()
}

/// The task that would lose something.
struct ChangedSince(TaskId);

/// Puts back the fields that the change changed, if they are still as it left them.
fn undo_edit(draft: &mut Draft<'_>, before: &Task, after: &Task) -> Result<(), ChangedSince> {
    let changed = || ChangedSince(after.id);
    let mut task = draft
        .board()
        .get(after.id)
        .map(|task| Task::clone(task))
        .ok_or_else(changed)?;
    // Taken apart completely: a field that is new must be thought of here.
    let Task {
        id: _,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for,
        subtasks,
        next_subtask: _,
        assignee,
        rank,
        created: _,
        updated: _,
        completed,
    } = before;
    let mut kept = true;
    kept &= put_back(&mut task.title, title, &after.title);
    kept &= put_back(&mut task.active_form, active_form, &after.active_form);
    kept &= put_back(&mut task.description, description, &after.description);
    kept &= put_back(&mut task.priority, priority, &after.priority);
    kept &= put_back(&mut task.waits_for, waits_for, &after.waits_for);
    kept &= put_back(&mut task.subtasks, subtasks, &after.subtasks);
    kept &= put_back(&mut task.rank, rank, &after.rank);
    // Who has it and when it was completed follow from where it stands.
    let mut standing = (task.status, task.assignee, task.completed);
    let was = (*status, assignee.clone(), *completed);
    let became = (after.status, after.assignee.clone(), after.completed);
    kept &= put_back(&mut standing, &was, &became);
    (task.status, task.assignee, task.completed) = standing;
    if kept {
        draft.put(task);
        Ok(())
    } else {
        Err(changed())
    }
}

/// Puts a field back if the change touched it; false if somebody touched it later.
fn put_back<T: PartialEq + Clone>(now: &mut T, before: &T, after: &T) -> bool {
    if before == after {
        return true;
    }
    let untouched = now == after || now == before;
    if untouched {
        now.clone_from(before);
    }
    untouched
}

/// Brings a task back. What waited for it is brought back by the changes of those tasks.
fn undo_deletion(draft: &mut Draft<'_>, before: &Arc<Task>) -> Result<(), ChangedSince> {
    if draft.board().get(before.id).is_some() {
        return Err(ChangedSince(before.id));
    }
    draft.put(Task::clone(before));
    Ok(())
}

/// Takes a task away again, if nobody has changed it.
fn undo_creation(draft: &mut Draft<'_>, after: &Task) -> Result<(), ChangedSince> {
    let Some(now) = draft.board().get(after.id) else {
        return Ok(());
    };
    // Numbers of subtasks are never given back, even where the subtasks are gone.
    let as_created = Task {
        updated: now.updated,
        next_subtask: now.next_subtask,
        ..after.clone()
    };
    if **now != as_created {
        return Err(ChangedSince(after.id));
    }
    draft.remove(after.id);
    Ok(())
}
