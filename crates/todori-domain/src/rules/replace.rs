//! Replacing a whole list. Items have no names: one whose words were there before is the same task.

use super::draft::Draft;
use super::{delete, place, status};
use crate::{Item, Refusal, Stage, Status, Task, TaskId};

pub(super) fn replace(draft: &mut Draft<'_>, items: &[Item]) -> Result<(), Refusal> {
    let count = items
        .iter()
        .filter(|item| item.stage == Stage::InProgress)
        .count();
    if count > 1 {
        return Err(Refusal::SeveralInProgress { count });
    }
    let mut left: Vec<Task> = draft
        .board()
        .in_order()
        .map(|task| Task::clone(task))
        .collect();
    let mut order: Vec<TaskId> = Vec::with_capacity(items.len());
    for item in items {
        let Item {
            id,
            title,
            active_form,
            stage,
        } = item;
        let known = left.iter().position(|task| task.title == *title);
        let mut task = match known {
            Some(known) => left.remove(known),
            None => Task::new(*id, title.clone(), place::at_end(draft), draft.moment.at),
        };
        task.active_form.clone_from(active_form);
        if Stage::of(task.status) != Some(*stage) || known.is_none() {
            status::set(&mut task, stage.status(), draft);
        }
        order.push(task.id);
        draft.put(task);
    }
    for task in left {
        // What was cancelled elsewhere can't be seen here, so it was not left out on purpose.
        if task.status != Status::Cancelled {
            delete::remove(draft, task.id);
        }
    }
    place::arrange(draft, &order);
    Ok(())
}
