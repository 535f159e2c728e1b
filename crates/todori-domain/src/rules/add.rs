//! Adding a task: at the end of the list, waiting only for tasks that exist.

use super::draft::Draft;
use super::{place, status, waiting};
use crate::{NewTask, Refusal, Task};

pub(super) fn add(draft: &mut Draft<'_>, new: &NewTask) -> Result<(), Refusal> {
    let NewTask {
        id,
        title,
        description,
        status,
        priority,
        waits_for,
    } = new;
    let waits_for = waiting::resolve(draft.board(), waits_for)?;
    waiting::refuse_cycle(draft.board(), *id, &waits_for)?;
    let rank = place::at_end(draft);
    let mut task = Task::new(*id, title.clone(), rank, draft.moment.at);
    task.description.clone_from(description);
    task.priority = *priority;
    task.waits_for = waits_for;
    status::set(&mut task, *status, draft);
    draft.put(task);
    Ok(())
}
