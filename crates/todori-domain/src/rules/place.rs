//! Where in the list a task goes.

use std::collections::BTreeSet;

use super::draft::Draft;
use crate::{Place, Rank, Refusal, Stage, Task, TaskId, TaskRef};

/// Gives the rank behind all others. Tasks that were written by hand without a rank get theirs first, in the order in
/// which they are shown, so that what is added last is last; that is no change that anybody made to them.
pub(super) fn at_end(draft: &mut Draft<'_>) -> Rank {
    let unranked: Vec<Task> = draft
        .board()
        .in_order()
        .rev()
        .take_while(|task| task.rank.is_unset())
        .map(|task| Task::clone(task))
        .collect();
    let mut last = last_rank(draft);
    let mut ranked = Vec::with_capacity(unranked.len());
    for mut task in unranked.into_iter().rev() {
        let rank = behind(last.as_ref());
        task.rank = rank.clone();
        ranked.push(task);
        last = Some(rank);
    }
    draft.fill_in(ranked);
    behind(last.as_ref())
}

fn last_rank(draft: &Draft<'_>) -> Option<Rank> {
    let mut ranked = draft
        .board()
        .in_order()
        .rev()
        .skip_while(|task| task.rank.is_unset());
    ranked.next().map(|task| task.rank.clone())
}

fn behind(last: Option<&Rank>) -> Rank {
    Rank::between(last, None).unwrap_or_else(Rank::first)
}

/// Puts the tasks that can be seen into an order that names all of them, but perhaps not the `new` ones.
pub(super) fn reorder(
    draft: &mut Draft<'_>,
    order: &[TaskRef],
    new: &[TaskId],
) -> Result<(), Refusal> {
    let mut named: Vec<TaskId> = Vec::with_capacity(order.len());
    let mut repeated = Vec::new();
    for reference in order {
        let id = draft.board().resolve(reference)?.id;
        if named.contains(&id) {
            repeated.push(id);
        } else {
            named.push(id);
        }
    }
    let seen = draft
        .board()
        .in_order()
        .filter(|task| Stage::of(task.status).is_some());
    let left_out: Vec<TaskId> = seen
        .map(|task| task.id)
        .filter(|id| !named.contains(id))
        .collect();
    let (late, missing): (Vec<TaskId>, Vec<TaskId>) =
        left_out.into_iter().partition(|id| new.contains(id));
    if !missing.is_empty() || !repeated.is_empty() {
        return Err(Refusal::IncompleteOrder { missing, repeated });
    }
    named.extend(late);
    arrange(draft, &named);
    Ok(())
}

/// Puts one task somewhere else.
pub(super) fn move_to(draft: &mut Draft<'_>, task: &TaskRef, to: &Place) -> Result<(), Refusal> {
    let board = draft.board();
    let moved = board.resolve(task)?.id;
    let beside = match to {
        Place::Before(other) | Place::After(other) => Some(board.resolve(other)?.id),
        Place::First | Place::Last => None,
    };
    if beside == Some(moved) {
        return Ok(());
    }
    let mut order: Vec<TaskId> = board.in_order().map(|task| task.id).collect();
    order.retain(|&id| id != moved);
    let at = order.iter().position(|&id| Some(id) == beside);
    let at = match to {
        Place::First => 0,
        Place::Last => order.len(),
        Place::Before(_) => at.unwrap_or(order.len()),
        Place::After(_) => at.map_or(order.len(), |at| at + 1),
    };
    let rank = |place: Option<usize>| {
        let id = place.and_then(|place| order.get(place))?;
        board.get(*id).map(|task| task.rank.clone())
    };
    let (lower, upper) = (rank(at.checked_sub(1)), rank(Some(at)));
    let ranked = |rank: &Option<Rank>| rank.as_ref().is_none_or(|rank| !rank.is_unset());
    let between = (ranked(&lower) && ranked(&upper))
        .then(|| Rank::between(lower.as_ref(), upper.as_ref()))
        .flatten();
    order.insert(at, moved);
    let stays = board
        .in_order()
        .map(|task| task.id)
        .eq(order.iter().copied());
    let task = board.get(moved).map(|task| Task::clone(task));
    match (stays, between, task) {
        (true, _, _) => {}
        // The one that was moved changes, not the one that it was moved past.
        (false, Some(rank), Some(task)) => draft.put(Task { rank, ..task }),
        // No room between the two: those that share a rank get new ones.
        (false, _, _) => arrange(draft, &order),
    }
    Ok(())
}

/// Gives these tasks the places that they have together, in this order; all others stay where they are. As few ranks
/// change as possible: moving one task changes one task.
pub(super) fn arrange(draft: &mut Draft<'_>, order: &[TaskId]) {
    let moved: BTreeSet<TaskId> = order.iter().copied().collect();
    let mut next = order.iter().copied();
    let tasks: Vec<Task> = draft
        .board()
        .in_order()
        .map(|task| {
            if moved.contains(&task.id) {
                next.next().unwrap_or(task.id)
            } else {
                task.id
            }
        })
        .filter_map(|id| draft.board().get(id).map(|task| Task::clone(task)))
        .collect();
    if draft
        .board()
        .in_order()
        .zip(&tasks)
        .all(|(now, then)| now.id == then.id)
    {
        return;
    }
    let mut kept = longest_rising(&tasks);
    let mut lower: Option<Rank> = None;
    let mut place = 0;
    while place < tasks.len() {
        if kept.get(place) == Some(&true) {
            lower = tasks.get(place).map(|task| task.rank.clone());
            place += 1;
            continue;
        }
        // A run of tasks that need new ranks, up to the next one that keeps its own. Where there is no room before
        // that one, it gets a new rank too.
        let end = (place..tasks.len()).find(|&at| kept.get(at) == Some(&true));
        let upper = end.and_then(|at| tasks.get(at)).map(|task| &task.rank);
        let count = end.unwrap_or(tasks.len()) - place;
        match (Rank::spread(lower.as_ref(), upper, count), end) {
            (Some(ranks), _) => {
                for (task, rank) in tasks.iter().skip(place).zip(&ranks) {
                    draft.put(Task {
                        rank: rank.clone(),
                        ..task.clone()
                    });
                }
                lower = ranks.last().cloned().or(lower);
                place += count;
            }
            (None, Some(at)) => {
                if let Some(mark) = kept.get_mut(at) {
                    *mark = false;
                }
            }
            // There is always room at the end.
            (None, None) => return,
        }
    }
}

/// Marks a longest run of tasks whose ranks already rise; tasks without a rank of their own are never in it.
fn longest_rising(tasks: &[Task]) -> Vec<bool> {
    // For each task, the length of the longest run that ends there, and the one before it.
    let mut runs: Vec<(usize, Option<usize>)> = Vec::with_capacity(tasks.len());
    let mut best: Vec<usize> = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        if task.rank.is_unset() {
            runs.push((0, None));
            continue;
        }
        let length =
            best.partition_point(|&at| tasks.get(at).is_some_and(|other| other.rank < task.rank));
        let before = length.checked_sub(1).and_then(|at| best.get(at).copied());
        runs.push((length + 1, before));
        match best.get_mut(length) {
            Some(end) => *end = place,
            None => best.push(place),
        }
    }
    let mut kept = vec![false; tasks.len()];
    let mut at = best.last().copied();
    while let Some(place) = at {
        if let Some(mark) = kept.get_mut(place) {
            *mark = true;
        }
        at = runs.get(place).and_then(|(_, before)| *before);
    }
    kept
}
