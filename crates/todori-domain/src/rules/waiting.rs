//! What a task may wait for: tasks that exist, each once, and never in a cycle.

use crate::graph::find_cycle;
use crate::{Board, Refusal, TaskId, TaskRef};

/// Finds the tasks to wait for; the first mention of each counts.
pub(super) fn resolve(board: &Board, references: &[TaskRef]) -> Result<Vec<TaskId>, Refusal> {
    resolve_or_keep(board, references, &[])
}

/// Like [`resolve`], but what the task already waits for may stay even where it is no longer on the board: a list
/// that is written back as it was read changes nothing.
pub(super) fn resolve_or_keep(
    board: &Board,
    references: &[TaskRef],
    present: &[TaskId],
) -> Result<Vec<TaskId>, Refusal> {
    let mut found = Vec::with_capacity(references.len());
    for reference in references {
        let id = match board.resolve(reference) {
            Ok(task) => task.id,
            Err(Refusal::TaskNotFound { given }) => TaskId::parse(&given)
                .filter(|id| present.contains(id))
                .ok_or(Refusal::DependencyNotFound { given })?,
            Err(other) => return Err(other),
        };
        if !found.contains(&id) {
            found.push(id);
        }
    }
    Ok(found)
}

/// Refuses what would make a task wait for itself, directly or through others.
pub(super) fn refuse_cycle(board: &Board, task: TaskId, targets: &[TaskId]) -> Result<(), Refusal> {
    let waits_for = |id| {
        board
            .get(id)
            .map_or(&[][..], |task| task.waits_for.as_slice())
    };
    find_cycle(task, targets, waits_for).map_or(Ok(()), |path| Err(Refusal::Cycle { path }))
}
