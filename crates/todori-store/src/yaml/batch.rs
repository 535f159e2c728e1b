//! Decides on the changes that are made durable together: each on the board as the one before it leaves it. A request that
//! is refused fails alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use todori_domain::{
    Board, Change, Event, Moment, Outcome, Revision, Situation, TaskChange, TaskId, Work,
};

use super::blocks::Loaded;
use super::history;
use super::presence::{InBatch, SessionLocks};

/// One request to change the board.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) moment: Moment,
    pub(crate) work: Work,
}

/// What a batch of requests comes to.
pub(crate) struct Decided {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) entries: Vec<history::Entry>,
    pub(crate) change: Change,
    pub(crate) board: Arc<Board>,
}

/// Decides on all of them, on a board of this revision. `pasts` are the events that each needs.
pub(crate) fn decide(
    board: &Arc<Board>,
    mut revision: Revision,
    sessions: &SessionLocks,
    writes: &mut [Write],
    pasts: Vec<Vec<Event>>,
) -> Decided {
    let mut board = Arc::clone(board);
    let mut net: BTreeMap<TaskId, TaskChange> = BTreeMap::new();
    let (mut outcomes, mut entries) = (Vec::new(), Vec::new());
    let mut presence = InBatch::new(sessions);
    for (write, past) in writes.iter_mut().zip(pasts) {
        let situation = Situation {
            board: &board,
            presence: &presence,
            past: &past,
        };
        let verdict = (write.work.decide)(&situation).map(|decision| {
            if !decision.change.is_empty() {
                board = decision.board;
                revision.0 += 1;
                let author = &write.moment.actor.session;
                if decision.change.is_claimed_by(author) {
                    presence.newcomers.insert(author.clone());
                }
                let change = decision.change.clone();
                entries.push(history::Entry::new(&write.moment, change, decision.undoes));
                for task in &decision.change.tasks {
                    let Some(id) = task.id() else { continue };
                    net.entry(id)
                        .and_modify(|known| known.after.clone_from(&task.after))
                        .or_insert_with(|| task.clone());
                }
            }
            decision.change
        });
        outcomes.push(Outcome {
            verdict,
            board: Arc::clone(&board),
            revision,
            past,
        });
    }
    let tasks = net
        .into_values()
        .filter(|task| task.before != task.after)
        .collect();
    Decided {
        outcomes,
        entries,
        change: Change { tasks },
        board,
    }
}

/// Keeps the text of tasks that are deleted, where it holds more than we would write.
pub(crate) fn keep_blocks(entries: &mut [history::Entry], loaded: &Loaded) {
    let is_gone = |task: &TaskChange| task.after.is_none();
    if !entries
        .iter()
        .any(|entry| entry.change.tasks.iter().any(is_gone))
    {
        return;
    }
    let texts: BTreeMap<TaskId, &str> = loaded.own_texts().collect();
    for entry in entries {
        let gone = entry.change.tasks.iter().filter(|task| is_gone(task));
        let gone = gone.filter_map(TaskChange::id);
        let kept = gone.filter_map(|id| Some((id, (*texts.get(&id)?).to_owned())));
        entry.blocks = kept.collect();
    }
}
