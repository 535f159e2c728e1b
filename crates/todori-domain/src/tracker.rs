//! The one door into the domain: tools, the command line and the pages all come in here.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    Board, BoardKey, Change, Command, Decision, Event, HistoryPage, Moment, Refusal, Revision,
    Selection, SessionName, Situation, Store, StoreError, Want, Work, decide, decide_undo,
};

/// What is asked. A caller asks once: it can't read, think and write in turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Look at the board.
    Read(Want),
    /// Do all of this, or nothing.
    Write(Vec<Command>),
    /// Take back what these events did, all of it or nothing.
    Undo(Selection),
    /// Say what that would change, and change nothing.
    RehearseUndo(Selection),
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was only read.
    Read,
    /// This changed; perhaps nothing. Where it was rehearsed, this would change.
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
    /// The board after it; where it was rehearsed, as it would be.
    pub board: Arc<Board>,
    /// The revision of the board.
    pub revision: Revision,
    /// The events that were wanted; of an undo, those that it took back.
    pub history: HistoryPage,
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
            Request::Read(want) => self.read(board, moment, want).await,
            Request::Write(commands) => {
                let at = moment.clone();
                let work = Work::on_board(move |situation| {
                    decide(situation.board, &commands, &at, situation.presence)
                });
                self.write(board, moment, work).await
            }
            Request::Undo(selection) => {
                let work = undo(selection, &moment);
                self.write(board, moment, work).await
            }
            Request::RehearseUndo(selection) => {
                let work = undo(selection, &moment);
                self.rehearse(board, moment, work).await
            }
        }
    }

    async fn read(
        &self,
        board: &BoardKey,
        moment: Moment,
        want: Want,
    ) -> Result<Answer, StoreError> {
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

    async fn write(
        &self,
        board: &BoardKey,
        moment: Moment,
        work: Work,
    ) -> Result<Answer, StoreError> {
        let outcome = self.store.transact(board, &moment, work).await?;
        let verdict = match outcome.verdict {
            Ok(change) => Verdict::Changed(change),
            Err(refusal) => Verdict::Refused(refusal),
        };
        let history = HistoryPage {
            events: outcome.past,
            more: false,
        };
        Ok(Answer {
            moment,
            verdict,
            board: outcome.board,
            revision: outcome.revision,
            history,
            live: BTreeSet::new(),
        })
    }

    /// Decides as if in earnest, inside a transaction that is then told that nothing changes.
    async fn rehearse(
        &self,
        board: &BoardKey,
        moment: Moment,
        work: Work,
    ) -> Result<Answer, StoreError> {
        let Work { past, mut decide } = work;
        let decided: Arc<Mutex<Option<Decision>>> = Arc::default();
        let kept = Arc::clone(&decided);
        let decide = Box::new(move |situation: &Situation<'_>| {
            let decision = decide(situation)?;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(decision);
            Ok(Decision::nothing(situation.board))
        });
        let mut answer = self.write(board, moment, Work { past, decide }).await?;
        let decided = decided
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let (Verdict::Changed(_), Some(decision)) = (&answer.verdict, decided) {
            answer.verdict = Verdict::Changed(decision.change);
            answer.board = decision.board;
        }
        Ok(answer)
    }
}

/// Takes back what the selected events did.
fn undo(selection: Selection, moment: &Moment) -> Work {
    let at = moment.clone();
    Work {
        past: Some(selection),
        decide: Box::new(move |situation| {
            decide_undo(situation.board, situation.past, &at, situation.presence)
        }),
    }
}

impl Answer {
    /// The events that came with the answer, newest first.
    pub fn events(&self) -> &[Event] {
        &self.history.events
    }
}

impl std::fmt::Debug for Tracker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tracker")
    }
}
