//! What follows from a status: who has the task, and when it was completed.

use super::draft::Draft;
use crate::{Stage, Status, Task};

/// Sets a status. Starting a task gives it to the session that did so; leaving in-progress frees it.
///
/// A task that is in progress already stays with the session that has it while that session lives, so that two agents
/// who both start it can see from the reply which of them has it.
pub(super) fn set(task: &mut Task, status: Status, draft: &Draft<'_>) {
    let session = &draft.moment.actor.session;
    let was = task.status;
    task.status = status;
    match status {
        Status::InProgress => {
            let held = was == Status::InProgress
                && task
                    .assignee
                    .as_ref()
                    .is_some_and(|holder| draft.presence.is_live(holder));
            if !held {
                task.assignee = Some(session.clone());
            }
        }
        Status::Pending | Status::Blocked | Status::Done | Status::Deferred | Status::Cancelled => {
            task.assignee = None;
        }
    }
    task.completed = match status {
        Status::Done if was == Status::Done && task.completed.is_some() => task.completed,
        Status::Done => Some(draft.moment.at),
        Status::Pending
        | Status::InProgress
        | Status::Blocked
        | Status::Deferred
        | Status::Cancelled => None,
    };
}

/// Sets one of three states, if the task does not look so already: somebody who writes back what they saw of a blocked
/// task does not mean to unblock it.
pub(super) fn set_stage(task: &mut Task, stage: Stage, draft: &Draft<'_>) {
    let resumed = stage == Stage::InProgress;
    if Stage::of(task.status) != Some(stage) || resumed {
        set(task, stage.status(), draft);
    }
}
