//! Adding a task: at the end of the list, waiting only for tasks that exist.

use super::draft::Draft;
use super::{place, status, waiting};
use std::sync::Arc;

use crate::{NewTask, OnDuplicate, Refusal, Task};

pub(super) fn add(draft: &mut Draft<'_>, new: &NewTask) -> Result<(), Refusal> {
    let NewTask {
        id,
        title,
        description,
        status,
        priority,
        waits_for,
        on_duplicate,
    } = new;
    let open = |task: &&Arc<Task>| task.status.is_open() && task.title == *title;
    if *on_duplicate == OnDuplicate::Skip && draft.board().by_id().any(|task| open(&task)) {
        return Ok(());
    }
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
