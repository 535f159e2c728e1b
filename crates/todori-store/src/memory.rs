//! Boards that are gone with the process. The plainest store that keeps the contract; the lists of sessions of the file
//! store live in one, too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use todori_domain::{
    Board, BoardIdentity, BoardKey, Change, Created, Decision, Event, EventNumber, Finding, Moment,
    Outcome, Promise, Revision, Selection, Selector, SessionEnd, SessionName, SessionState,
    Sessions, Situation, Snapshot, Status, Store, StoreDescription, StoreError, Want, Work,
};
use tokio::sync::watch;

use crate::revisions::past;

/// How many events are remembered for each board.
const MAX_EVENTS: usize = 1_000;

/// Keeps boards in memory.
#[derive(Debug)]
pub struct MemoryStore {
    /// Tells it from others in this process.
    number: u64,
    state: Mutex<State>,
    sessions: watch::Sender<Revision>,
}

#[derive(Debug, Default)]
struct State {
    boards: BTreeMap<BoardKey, BoardWithHistory>,
    /// The sessions that have taken tasks and did not end.
    live: BTreeSet<SessionName>,
}

/// One board and its past.
#[derive(Debug)]
pub(crate) struct BoardWithHistory {
    board: Arc<Board>,
    revision: watch::Sender<Revision>,
    /// Oldest first.
    events: Vec<Event>,
}

impl Default for BoardWithHistory {
    fn default() -> Self {
        Self {
            board: Arc::default(),
            revision: watch::Sender::new(Revision::default()),
            events: Vec::new(),
        }
    }
}

impl BoardWithHistory {
    pub(crate) fn board(&self) -> &Arc<Board> {
        &self.board
    }

    pub(crate) fn changes(&self) -> watch::Receiver<Revision> {
        self.revision.subscribe()
    }

    /// Whether somebody waits for a change.
    pub(crate) fn is_watched(&self) -> bool {
        self.revision.receiver_count() > 0
    }

    /// Takes a board that somebody else wrote.
    pub(crate) fn put(&mut self, board: Arc<Board>) {
        if *self.board != *board {
            self.board = board;
            self.revision.send_modify(|revision| revision.0 += 1);
        }
    }

    pub(crate) fn snapshot(&self, want: &Want, live: &BTreeSet<SessionName>) -> Snapshot {
        let holders = self.board.holders().iter();
        let live = holders.filter(|holder| want.presence && live.contains(*holder));
        Snapshot {
            board: Arc::clone(&self.board),
            revision: *self.revision.borrow(),
            history: want.history.page(self.newest_first()),
            live: live.cloned().collect(),
        }
    }

    fn newest_first(&self) -> impl Iterator<Item = Event> {
        self.events.iter().rev().cloned()
    }

    fn select(&self, selection: &Selection) -> Vec<Event> {
        let mut selector = Selector::new(selection);
        while let Some(query) = selector.needs() {
            let page = query.page(self.newest_first());
            selector.take(page);
        }
        selector.finish()
    }

    pub(crate) fn transact(
        &mut self,
        moment: &Moment,
        work: Work,
        live: &BTreeSet<SessionName>,
    ) -> Outcome {
        let Work { past, mut decide } = work;
        let past = past.map(|selection| self.select(&selection));
        let past = past.unwrap_or_default();
        let situation = Situation {
            board: &self.board,
            presence: live,
            past: &past,
        };
        let verdict = decide(&situation).map(|decision| self.keep(moment, decision));
        Outcome {
            verdict,
            board: Arc::clone(&self.board),
            revision: *self.revision.borrow(),
            past,
        }
    }

    fn keep(&mut self, moment: &Moment, decision: Decision) -> Change {
        let Decision {
            change,
            board,
            undoes,
        } = decision;
        if change.is_empty() {
            return change;
        }
        self.board = board;
        let request = self.events.last().map_or(0, |last| last.number.request) + 1;
        let events = change.tasks.iter().enumerate().map(|(place, task)| Event {
            number: EventNumber { request, place },
            at: moment.at,
            by: moment.actor.session.clone(),
            client: moment.actor.client.clone(),
            change: task.clone(),
            undoes: Arc::clone(&undoes),
        });
        self.events.extend(events);
        let excess = self.events.len().saturating_sub(MAX_EVENTS);
        self.events.drain(..excess);
        self.revision.send_modify(|revision| revision.0 += 1);
        change
    }
}

/// Whether a change leaves its author with a task in progress.
pub(crate) fn takes_a_task(change: &Change, author: &SessionName) -> bool {
    let mut tasks = change.tasks.iter().filter_map(|task| task.after.as_ref());
    tasks.any(|task| task.status == Status::InProgress && task.assignee.as_ref() == Some(author))
}

impl Default for MemoryStore {
    fn default() -> Self {
        static STORES: AtomicU64 = AtomicU64::new(0);
        Self {
            number: STORES.fetch_add(1, Ordering::Relaxed),
            state: Mutex::default(),
            sessions: watch::Sender::new(Revision::default()),
        }
    }
}

impl MemoryStore {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions_changed(&self) {
        self.sessions.send_modify(|revision| revision.0 += 1);
    }

    fn commit(&self, key: &BoardKey, moment: &Moment, work: Work) -> Outcome {
        let mut state = self.state();
        let State { boards, live } = &mut *state;
        let outcome = boards
            .entry(key.clone())
            .or_default()
            .transact(moment, work, live);
        if let Ok(change) = &outcome.verdict
            && !change.is_empty()
        {
            let author = &moment.actor.session;
            let is_news = match key {
                BoardKey::Session(_) => true,
                BoardKey::Project => {
                    !author.is_person()
                        && takes_a_task(change, author)
                        && live.insert(author.clone())
                }
            };
            if is_news {
                self.sessions_changed();
            }
        }
        outcome
    }

    fn list_sessions(&self) -> Sessions {
        let state = self.state();
        let mut sessions: BTreeMap<SessionName, Option<Arc<Board>>> =
            state.live.iter().map(|name| (name.clone(), None)).collect();
        for (key, kept) in &state.boards {
            if let BoardKey::Session(name) = key
                && !kept.board.is_empty()
            {
                sessions.insert(name.clone(), Some(Arc::clone(&kept.board)));
            }
        }
        let sessions = sessions.into_iter();
        Sessions {
            revision: *self.sessions.borrow(),
            sessions: sessions
                .map(|(name, list)| SessionState { name, list })
                .collect(),
        }
    }

    fn end(&self, suffix: &str, end: SessionEnd) {
        let mut state = self.state();
        let ended = |name: &SessionName| name.as_str().ends_with(suffix);
        state.live.retain(|name| !ended(name));
        if end == SessionEnd::Over {
            let lists = state.boards.iter_mut();
            let lists =
                lists.filter(|(key, _)| matches!(key, BoardKey::Session(name) if ended(name)));
            // Whoever waits for the list is told that there is nothing on it any more.
            lists.for_each(|(_, kept)| {
                kept.put(Arc::default());
                kept.events.clear();
            });
        }
        drop(state);
        self.sessions_changed();
    }
}

/// An answer that is there already.
fn ready<'a, T: Send + 'a>(answer: T) -> Promise<'a, Result<T, StoreError>> {
    Box::pin(std::future::ready(Ok(answer)))
}

impl Store for MemoryStore {
    fn read<'a>(
        &'a self,
        board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        let state = self.state();
        let empty = BoardWithHistory::default();
        let kept = state.boards.get(board).unwrap_or(&empty);
        ready(kept.snapshot(&want, &state.live))
    }

    fn transact<'a>(
        &'a self,
        board: &'a BoardKey,
        moment: &'a Moment,
        work: Work,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        // Decided when asked, not when waited for: requests take effect in the order they are made.
        ready(self.commit(board, moment, work))
    }

    fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        let changes = self
            .state()
            .boards
            .entry(board.clone())
            .or_default()
            .changes();
        past(changes, revision)
    }

    fn identify<'a>(
        &'a self,
        board: &'a BoardKey,
    ) -> Promise<'a, Result<BoardIdentity, StoreError>> {
        let name = match board {
            BoardKey::Project => "memory".to_owned(),
            BoardKey::Session(session) => session.as_str().to_owned(),
        };
        let id = format!("memory:{}:{board:?}", self.number);
        ready(BoardIdentity { id, name })
    }

    fn create(&self) -> Promise<'_, Result<Created, StoreError>> {
        let mut state = self.state();
        let is_new = !state.boards.contains_key(&BoardKey::Project);
        state.boards.entry(BoardKey::Project).or_default();
        let location = "the memory of this process".to_owned();
        ready(Created { location, is_new })
    }

    fn sessions(&self) -> Promise<'_, Result<Sessions, StoreError>> {
        ready(self.list_sessions())
    }

    fn wait_past_sessions(&self, revision: Revision) -> Promise<'_, Result<Revision, StoreError>> {
        past(self.sessions.subscribe(), revision)
    }

    fn end_sessions<'a>(
        &'a self,
        suffix: &'a str,
        end: SessionEnd,
    ) -> Promise<'a, Result<(), StoreError>> {
        self.end(suffix, end);
        ready(())
    }

    fn describe(&self) -> Promise<'_, Result<StoreDescription, StoreError>> {
        ready(StoreDescription {
            kind: "the memory of this process".to_owned(),
            location: "gone when the process ends".to_owned(),
            committed_file: None,
            warnings: Vec::new(),
        })
    }

    fn diagnose(&self) -> Promise<'_, Vec<Finding>> {
        let note = Finding::note("store", "tasks are kept in memory only")
            .advise("they are gone when the process ends");
        Box::pin(std::future::ready(vec![note]))
    }
}
