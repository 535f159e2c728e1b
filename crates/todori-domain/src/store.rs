//! How boards are kept. The contract that every store keeps, in prose; [`crate::testing::conformance`] checks it.

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Board, Change, Decision, Event, Moment, Refusal, SessionName};

/// An answer that is still to come. (Plain `std`: which runtime waits for it is the program's business.)
pub type Promise<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Says what would change. Runs inside the transaction, perhaps more than once.
pub type Decide =
    Box<dyn FnMut(&Arc<Board>, &dyn Presence) -> Result<Decision, Refusal> + Send + 'static>;

/// Names one board of a store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoardKey {
    /// The board that lives with the project, and lasts.
    Project,
    /// The board of one session, gone with it.
    Session(SessionName),
}

/// Counts the states of a board that a store has shown. Grows with each change; means nothing between two processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Revision(pub u64);

/// What to read beside the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Want {
    /// How many of the newest events.
    pub history: usize,
    /// Whether to find out which of the sessions that have tasks in progress are alive.
    pub presence: bool,
}

/// A board as it was at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The board.
    pub board: Arc<Board>,
    /// Its revision.
    pub revision: Revision,
    /// The newest events, newest first, as many as wanted.
    pub history: Vec<Event>,
    /// The sessions that have tasks in progress and are alive, if wanted.
    pub live: BTreeSet<SessionName>,
}

/// What became of a transaction.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What changed, or why nothing did.
    pub verdict: Result<Change, Refusal>,
    /// The board after the change; where it was refused, the board that it was refused on.
    pub board: Arc<Board>,
    /// The revision of that board.
    pub revision: Revision,
}

/// Tells which sessions are alive.
pub trait Presence {
    /// Whether somebody still speaks for this session. A person is always there.
    fn is_live(&self, session: &SessionName) -> bool;
}

impl Presence for BTreeSet<SessionName> {
    fn is_live(&self, session: &SessionName) -> bool {
        session.is_person() || self.contains(session)
    }
}

/// Knows of no live session at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyElse;

impl Presence for NobodyElse {
    fn is_live(&self, session: &SessionName) -> bool {
        session.is_person()
    }
}

/// Keeps boards.
///
/// - A board that was never written to is empty; reading it creates nothing.
/// - `transact` loads the newest state, calls `decide` on it, and keeps what it decides, as one step: no other change
///   to the board comes between. It may call `decide` again on a newer state when it has to start over.
/// - What `transact` answers with `Ok` survives the end of the process and of the machine, if the store is one that
///   lasts. `Err` means that nothing was changed, with the one exception of [`StoreError::OutcomeUnknown`].
/// - A refusal, or a change that is empty, writes nothing and moves no revision.
/// - Several transactions may be made durable together; a refusal of one does not touch the others.
/// - Requests made one after the other, without waiting, take effect in that order: a read sees all writes that were
///   asked for before it through the same store.
/// - `wait_past` ends once the board has a revision greater than the one given, whoever changed it. Watchers wait for
///   a revision and read the state, so there is no change that they can miss.
pub trait Store: Send + Sync {
    /// Reads a board.
    fn read<'a>(
        &'a self,
        board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>>;

    /// Changes a board as `decide` says; `moment` is for the history.
    fn transact<'a>(
        &'a self,
        board: &'a BoardKey,
        moment: &'a Moment,
        decide: Decide,
    ) -> Promise<'a, Result<Outcome, StoreError>>;

    /// Waits until the board has changed since `revision`.
    fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>>;

    /// Lists the boards that there are.
    fn boards(&self) -> Promise<'_, Result<Vec<BoardKey>, StoreError>>;
}

/// Why a store could not do what it was asked. Carries words for people, never the contents of tasks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no project here to keep a board in.
    #[error("no project found from {from} upwards")]
    NoProject {
        /// Where the search began.
        from: String,
    },
    /// The board's file can't be understood. It is left as it is; reads and writes are refused until it is mended.
    #[error("{file} is broken at {at}: {reason}")]
    Broken {
        /// The file, relative to the project.
        file: String,
        /// Where in the file.
        at: Position,
        /// What is wrong there.
        reason: String,
    },
    /// The board's file was there and is gone. It is not replaced by an empty one.
    #[error("{file} was there and is gone")]
    Vanished {
        /// The file, relative to the project.
        file: String,
    },
    /// Others kept the board locked for too long. Nothing was changed.
    #[error("the board was busy for {seconds} seconds")]
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// The board can't be read.
    #[error("the board cannot be read: {reason}")]
    Unreadable {
        /// What the system said.
        reason: String,
    },
    /// The change was not made: nothing is different from before.
    #[error("not applied: {reason}")]
    NotApplied {
        /// What the system said.
        reason: String,
    },
    /// The change was made, but whether it would survive a power cut is not known.
    #[error("outcome unknown: {reason}")]
    OutcomeUnknown {
        /// What the system said.
        reason: String,
    },
}

/// A place in a file, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in that line.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}
