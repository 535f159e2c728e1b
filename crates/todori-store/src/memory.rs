//! Boards that are gone with the process. The plainest store that keeps the contract.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use todori_domain::{
    Board, BoardKey, Decide, Decision, Event, Moment, Outcome, Promise, Revision, SessionName,
    Snapshot, Store, StoreError, Want,
};
use tokio::sync::watch;

/// How many events are remembered for each board.
const MAX_EVENTS: usize = 1_000;

/// Keeps boards in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    shelves: Mutex<BTreeMap<BoardKey, Shelf>>,
}

#[derive(Debug)]
struct Shelf {
    board: Arc<Board>,
    revision: watch::Sender<Revision>,
    /// Oldest first.
    events: Vec<Event>,
}

impl Default for Shelf {
    fn default() -> Self {
        let revision = watch::Sender::new(Revision::default());
        Self {
            board: Arc::default(),
            revision,
            events: Vec::new(),
        }
    }
}

impl MemoryStore {
    fn shelves(&self) -> MutexGuard<'_, BTreeMap<BoardKey, Shelf>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a board here that another process wrote, in the place of what was here.
    pub(crate) fn put(&self, name: &BoardKey, board: Board) {
        let mut shelves = self.shelves();
        let shelf = shelves.entry(name.clone()).or_default();
        if *shelf.board != board {
            shelf.board = Arc::new(board);
            shelf.revision.send_modify(|revision| revision.0 += 1);
        }
    }

    /// Forgets a board.
    pub(crate) fn forget(&self, name: &BoardKey) {
        self.shelves().remove(name);
    }

    fn snapshot(&self, name: &BoardKey, want: Want) -> Snapshot {
        let shelves = self.shelves();
        let Some(shelf) = shelves.get(name) else {
            let shelf = Shelf::default();
            return Snapshot {
                board: shelf.board,
                revision: Revision::default(),
                history: Vec::new(),
                live: BTreeSet::new(),
            };
        };
        Snapshot {
            board: Arc::clone(&shelf.board),
            revision: *shelf.revision.borrow(),
            history: newest(&shelf.events, want.history),
            live: BTreeSet::new(),
        }
    }

    fn commit(&self, name: &BoardKey, moment: &Moment, mut decide: Decide) -> Outcome {
        let mut shelves = self.shelves();
        let mut empty = Shelf::default();
        let shelf = shelves.get_mut(name).unwrap_or(&mut empty);
        // Nobody else is in this process, and nothing here outlives it.
        let verdict = match decide(&shelf.board, &BTreeSet::<SessionName>::new()) {
            Err(refusal) => Err(refusal),
            Ok(Decision { change, .. }) if change.is_empty() => Ok(change),
            Ok(Decision { change, board }) => {
                let shelf = shelves.entry(name.clone()).or_default();
                shelf.board = board;
                let request = shelf.revision.borrow().0;
                shelf.events.extend(change.tasks.iter().map(|task| Event {
                    at: moment.at,
                    by: moment.actor.session.clone(),
                    client: moment.actor.client.clone(),
                    change: task.clone(),
                    request,
                }));
                let excess = shelf.events.len().saturating_sub(MAX_EVENTS);
                shelf.events.drain(..excess);
                shelf.revision.send_modify(|revision| revision.0 += 1);
                Ok(change)
            }
        };
        let shelf = shelves.get(name).unwrap_or(&empty);
        Outcome {
            verdict,
            board: Arc::clone(&shelf.board),
            revision: *shelf.revision.borrow(),
        }
    }
}

/// The newest events, newest first, with the requests counted from there.
fn newest(events: &[Event], count: usize) -> Vec<Event> {
    let mut told: Vec<Event> = events.iter().rev().take(count).cloned().collect();
    let (mut number, mut last) = (0, None);
    for event in &mut told {
        if last != Some(event.request) {
            number += 1;
            last = Some(event.request);
        }
        event.request = number;
    }
    told
}

impl Store for MemoryStore {
    fn read<'a>(
        &'a self,
        board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        Box::pin(async move { Ok(self.snapshot(board, want)) })
    }

    fn transact<'a>(
        &'a self,
        board: &'a BoardKey,
        moment: &'a Moment,
        decide: Decide,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        // Decided when asked, not when waited for: requests take effect in the order they are made.
        let outcome = self.commit(board, moment, decide);
        Box::pin(async move { Ok(outcome) })
    }

    fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        let mut changes = {
            let mut shelves = self.shelves();
            shelves
                .entry(board.clone())
                .or_default()
                .revision
                .subscribe()
        };
        Box::pin(async move {
            let newer = changes
                .wait_for(|now| *now > revision)
                .await
                .map(|now| *now);
            newer.map_err(|_| StoreError::Unreadable {
                reason: "the store was closed".to_owned(),
            })
        })
    }

    fn boards(&self) -> Promise<'_, Result<Vec<BoardKey>, StoreError>> {
        let names = self.shelves().keys().cloned().collect();
        Box::pin(async move { Ok(names) })
    }
}
