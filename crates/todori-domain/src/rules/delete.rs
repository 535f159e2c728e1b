//! Taking a task away, and out of everything that waits for it.

use super::draft::Draft;
use crate::{Refusal, Task, TaskRef};

pub(super) fn delete(draft: &mut Draft<'_>, task: &TaskRef) -> Result<(), Refusal> {
    let id = draft.task(task)?.id;
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
    Ok(())
}
