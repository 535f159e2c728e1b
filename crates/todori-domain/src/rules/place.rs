//! Where in the list a task goes.

use super::draft::Draft;
use crate::{Rank, Task};

/// Gives the rank behind all others. Tasks that were written by hand without a rank get theirs first, in the order in
/// which they are shown, so that what is added last is last.
pub(super) fn at_end(draft: &mut Draft<'_>) -> Rank {
    let unranked: Vec<Task> = draft
        .board()
        .in_order()
        .rev()
        .take_while(|task| task.rank.is_unset())
        .map(|task| Task::clone(task))
        .collect();
    let mut last = last_rank(draft);
    for mut task in unranked.into_iter().rev() {
        let rank = behind(last.as_ref());
        task.rank = rank.clone();
        draft.put(task);
        last = Some(rank);
    }
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
