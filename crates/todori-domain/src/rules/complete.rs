//! Marking a task as done, however it is named, and taking that back.

use std::sync::Arc;

use super::draft::Draft;
use super::status;
use crate::{Board, Refusal, Stage, Status, Task, Which};

/// How many candidates an ambiguous title names.
const MAX_CANDIDATES: usize = 10;

pub(super) fn complete(
    draft: &mut Draft<'_>,
    which: &Which,
    completed: bool,
) -> Result<(), Refusal> {
    let mut task = Task::clone(find_task(draft.board(), which)?);
    if (task.status == Status::Done) != completed {
        let status = if completed {
            Status::Done
        } else {
            Status::Pending
        };
        status::set(&mut task, status, draft);
        draft.put(task);
    }
    Ok(())
}

/// Finds the task that is meant. Also for those who word what became of it.
pub fn find_task<'a>(board: &'a Board, which: &Which) -> Result<&'a Arc<Task>, Refusal> {
    match which {
        Which::Id(reference) => {
            let task = board.resolve(reference)?;
            let seen = Stage::of(task.status).is_some();
            seen.then_some(task).ok_or_else(|| Refusal::TaskNotFound {
                given: reference.given().to_owned(),
            })
        }
        Which::Place(place) => {
            let at = place.checked_sub(1);
            let found = at.and_then(|at| seen(board).nth(at));
            let count = seen(board).count();
            found.ok_or(Refusal::NoSuchPlace {
                place: *place,
                count,
            })
        }
        Which::Title(given) => by_title(board, given),
    }
}

/// The tasks that those see who know three states only.
fn seen(board: &Board) -> impl Iterator<Item = &Arc<Task>> {
    board
        .in_order()
        .filter(|task| Stage::of(task.status).is_some())
}

/// A title that is exactly this; else the same without regard to case; else the only one that contains it. What is
/// still to be done goes before what is done.
fn by_title<'a>(board: &'a Board, given: &str) -> Result<&'a Arc<Task>, Refusal> {
    let wanted = given.trim().to_lowercase();
    let open = |task: &&&Arc<Task>| task.status.is_open();
    let exact: Vec<&Arc<Task>> = seen(board)
        .filter(|task| task.title.as_str() == given)
        .collect();
    let alike = seen(board).filter(|task| task.title.as_str().trim().to_lowercase() == wanted);
    let alike: Vec<&Arc<Task>> = alike.collect();
    for equal in [exact, alike] {
        if let Some(found) = equal.iter().find(open).or(equal.first()) {
            return Ok(found);
        }
    }
    let containing: Vec<&Arc<Task>> = seen(board)
        .filter(|task| task.title.as_str().to_lowercase().contains(&wanted))
        .collect();
    let still_open: Vec<&&Arc<Task>> = containing.iter().filter(open).collect();
    match (still_open.as_slice(), containing.as_slice()) {
        ([only], _) => Ok(only),
        ([], [only]) => Ok(only),
        ([], []) => Err(Refusal::TitleNotFound {
            given: given.to_owned(),
        }),
        (several, all) => {
            let several: Vec<&Arc<Task>> = if several.is_empty() {
                all.to_vec()
            } else {
                several.iter().map(|task| **task).collect()
            };
            let candidates = several
                .iter()
                .take(MAX_CANDIDATES)
                .map(|task| task.id)
                .collect();
            let total = several.len();
            Err(Refusal::AmbiguousTitle {
                given: given.to_owned(),
                candidates,
                total,
            })
        }
    }
}
