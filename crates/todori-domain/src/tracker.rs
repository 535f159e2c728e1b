//! The one door into the domain: tools, the command line and the pages all come in here.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{
    Board, BoardKey, Change, Command, Event, Moment, Refusal, Revision, SessionName, Store,
    StoreError, Want, decide,
};

/// What is asked. A caller asks once: it can't read, think and write in turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Look at the board.
    Read(Want),
    /// Do all of this, or nothing.
    Write(Vec<Command>),
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was only read.
    Read,
    /// This changed; perhaps nothing.
    Changed(Change),
    /// Nothing changed, for this reason.
    Refused(Refusal),
}

/// Everything that a reply can be worded from.
#[derive(Debug, Clone)]
pub struct Answer {
    /// When it was asked, and by whom.
    pub moment: Moment,
    /// What became of it.
    pub verdict: Verdict,
    /// The board after it.
    pub board: Arc<Board>,
    /// The revision of that board.
    pub revision: Revision,
    /// The newest events, newest first, if wanted.
    pub history: Vec<Event>,
    /// The sessions that have tasks in progress and are alive, if wanted.
    pub live: BTreeSet<SessionName>,
}

/// Answers requests from a store.
#[derive(Clone)]
pub struct Tracker {
    store: Arc<dyn Store>,
}

impl Tracker {
    /// Answers from this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The store, for those that wait for changes.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Answers one request.
    pub async fn handle(
        &self,
        board: &BoardKey,
        moment: Moment,
        request: Request,
    ) -> Result<Answer, StoreError> {
        match request {
            Request::Read(want) => {
                let read = self.store.read(board, want).await?;
                Ok(Answer {
                    moment,
                    verdict: Verdict::Read,
                    board: read.board,
                    revision: read.revision,
                    history: read.history,
                    live: read.live,
                })
            }
            Request::Write(commands) => {
                let at = moment.clone();
                let decide = Box::new(move |board: &Arc<Board>, presence: &dyn crate::Presence| {
                    decide(board, &commands, &at, presence)
                });
                let outcome = self.store.transact(board, &moment, decide).await?;
                let verdict = match outcome.verdict {
                    Ok(change) => Verdict::Changed(change),
                    Err(refusal) => Verdict::Refused(refusal),
                };
                Ok(Answer {
                    moment,
                    verdict,
                    board: outcome.board,
                    revision: outcome.revision,
                    history: Vec::new(),
                    live: BTreeSet::new(),
                })
            }
        }
    }
}

impl std::fmt::Debug for Tracker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tracker")
    }
}
