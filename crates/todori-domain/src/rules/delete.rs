//! Taking a task away, and out of everything that waits for it.

use super::draft::Draft;
use crate::{Refusal, Status, Task, TaskId, TaskRef};

pub(super) fn delete(draft: &mut Draft<'_>, task: &TaskRef) -> Result<(), Refusal> {
    let id = draft.task(task)?.id;
    remove(draft, id);
    Ok(())
}

pub(super) fn delete_completed(draft: &mut Draft<'_>) {
    let done = draft
        .board()
        .by_id()
        .filter(|task| task.status == Status::Done);
    let done: Vec<TaskId> = done.map(|task| task.id).collect();
    for id in done {
        remove(draft, id);
    }
}

/// Takes a task away, and out of everything that waits for it.
pub(super) fn remove(draft: &mut Draft<'_>, id: TaskId) {
    let waiting: Vec<Task> = draft
        .board()
        .by_id()
        .filter(|other| other.waits_for.contains(&id))
        .map(|other| Task::clone(other))
        .collect();
    draft.remove(id);
    for mut other in waiting {
        other.waits_for.retain(|&target| target != id);
        if other.id != id {
            draft.put(other);
        }
    }
}
