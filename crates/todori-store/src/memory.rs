//! Boards that are gone with the process. The plainest store that keeps the contract; the lists of sessions of the file
//! store live in one, too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use todori_domain::{
    Board, BoardIdentity, BoardKey, Change, Created, Decision, Event, EventNumber, Finding, Moment,
    Outcome, Promise, Revision, Selection, Selector, SessionEnd, SessionName, SessionState,
    Sessions, Situation, Snapshot, Store, StoreDescription, StoreError, Want, Work,
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
    /// The sessions that have claimed tasks and did not end.
    live: BTreeSet<SessionName>,
    /// Those of which nothing was heard for long.
    silent: BTreeSet<SessionName>,
    /// Whether there is a project board.
    is_created: bool,
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
    /// An empty board that begins at this revision.
    pub(crate) fn beginning_at(revision: Revision) -> Self {
        Self {
            revision: watch::Sender::new(revision),
            ..Self::default()
        }
    }

    pub(crate) fn revision(&self) -> Revision {
        *self.revision.borrow()
    }

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
            is_switch: false,
        });
        self.events.extend(events);
        // Whole requests go, so that none is ever undone in part.
        let excess = self.events.len().saturating_sub(MAX_EVENTS);
        let oldest = self.events.get(excess).map(|event| event.number.request);
        self.events
            .retain(|event| Some(event.number.request) >= oldest);
        self.revision.send_modify(|revision| revision.0 += 1);
        change
    }
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
        let State {
            boards,
            live,
            silent,
            is_created,
        } = &mut *state;
        let outcome = boards
            .entry(key.clone())
            .or_default()
            .transact(moment, work, live);
        if let Ok(change) = &outcome.verdict
            && !change.is_empty()
        {
            let author = &moment.actor.session;
            let is_news = match key {
                BoardKey::Session(session) => {
                    silent.remove(session);
                    true
                }
                BoardKey::Project => {
                    *is_created = true;
                    !author.is_person()
                        && change.is_claimed_by(author)
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
        let mut lists: BTreeMap<SessionName, Option<Arc<Board>>> =
            state.live.iter().map(|name| (name.clone(), None)).collect();
        for (key, kept) in &state.boards {
            if let BoardKey::Session(name) = key
                && !kept.board.is_empty()
            {
                lists.insert(name.clone(), Some(Arc::clone(&kept.board)));
            }
        }
        let sessions = lists.into_iter().map(|(name, list)| SessionState {
            is_live: !state.silent.contains(&name),
            name,
            list,
        });
        Sessions {
            revision: *self.sessions.borrow(),
            sessions: sessions.collect(),
        }
    }

    fn end(&self, suffix: &str, end: SessionEnd) {
        let mut state = self.state();
        let ended = |name: &SessionName| name.as_str().ends_with(suffix);
        state.live.retain(|name| !ended(name));
        let lists = state.boards.keys().filter_map(|key| match key {
            BoardKey::Session(name) => Some(name.clone()),
            BoardKey::Project => None,
        });
        let silent: Vec<SessionName> = lists.filter(ended).collect();
        match end {
            SessionEnd::Silent => state.silent.extend(silent),
            SessionEnd::Over => state.silent.retain(|name| !ended(name)),
        }
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
        let is_new = !std::mem::replace(&mut state.is_created, true);
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
