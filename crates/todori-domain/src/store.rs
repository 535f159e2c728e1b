//! How boards are kept: the contract that every store keeps, in prose. [`crate::testing::conformance`] checks it,
//! clause by clause.

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::{
    Board, Change, Decision, Event, Finding, HistoryPage, HistoryQuery, Moment, Refusal, Selection,
    SessionName,
};

/// An answer that is still to come. (Plain `std`: which runtime waits for it is the program's business.)
pub type Promise<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Says which board of a store is meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoardKey {
    /// The board that lives with the project, and lasts.
    Project,
    /// The list of one session, gone with it.
    Session(SessionName),
}

/// What tells a board from all others, and what people call it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BoardIdentity {
    /// The same for everybody who opens the same board, and different for any other board. For comparing only.
    pub id: String,
    /// What people call it. Two boards may have the same name.
    pub name: String,
}

/// Counts the states of a board that a store has shown. Grows with each change; whether it means anything in another
/// process is up to the store, so it is never kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Revision(pub u64);

/// What to read beside the board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Want {
    /// Which events; none by default.
    pub history: HistoryQuery,
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
    /// The events that were asked for. They belong to this board: what it shows has its event, and no event is younger.
    pub history: HistoryPage,
    /// The sessions that have tasks in progress and are alive, if wanted.
    pub live: BTreeSet<SessionName>,
}

/// What a decision is made on: everything in here is of one moment, inside the transaction.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// The board.
    pub board: &'a Arc<Board>,
    /// Who is alive.
    pub presence: &'a dyn Presence,
    /// The events that [`Work::past`] selects, newest first.
    pub past: &'a [Event],
}

/// Says what would change. Runs inside the transaction, perhaps more than once.
pub type Decide = Box<dyn FnMut(&Situation<'_>) -> Result<Decision, Refusal> + Send + 'static>;

/// What a transaction is to do.
pub struct Work {
    /// The events that the decision needs; most need none.
    pub past: Option<Selection>,
    /// The decision.
    pub decide: Decide,
}

impl Work {
    /// A decision that needs the board only.
    pub fn on_board(
        decide: impl FnMut(&Situation<'_>) -> Result<Decision, Refusal> + Send + 'static,
    ) -> Self {
        Self {
            past: None,
            decide: Box::new(decide),
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Work {{ past: {:?} }}", self.past)
    }
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
    /// The events that it was decided on.
    pub past: Vec<Event>,
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

/// A session, as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// Its name.
    pub name: SessionName,
    /// Whether it is there, as far as anybody can tell. One that was silent for long is not.
    pub is_live: bool,
    /// Its list; none while there is nothing on it.
    pub list: Option<Arc<Board>>,
}

/// All sessions that are alive or have a list, at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sessions {
    /// Grows whenever a session comes, goes or changes its list.
    pub revision: Revision,
    /// By name.
    pub sessions: Vec<SessionState>,
}

/// How sessions end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// They are over: their lists go, and others may claim what they have in progress.
    Over,
    /// Nothing was heard of them for long: others may claim what they have in progress; their lists stay.
    Silent,
}

/// What became of [`Store::create`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Where the board is, for people.
    pub location: String,
    /// Whether it was made now.
    pub is_new: bool,
}

/// What a store is, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreDescription {
    /// What kind of store it is, such as `a file in the project's folder`.
    pub kind: String,
    /// Where it keeps its boards, and how it was found. Holds no secrets.
    pub location: String,
    /// What is meant to be committed with the project, if anything is.
    pub committed_file: Option<CommittedFile>,
    /// What whoever starts a server on it should know. Cheap to find out; all there is to find is for [`Store::diagnose`].
    pub warnings: Vec<Finding>,
}

/// A file of a store that is meant to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// The project's folder, in full.
    pub folder: String,
    /// The file, as it is called from there.
    pub name: String,
}

/// Keeps boards, and everything that belongs to them.
///
/// **Boards**
/// - A board that was never written to is empty; reading it creates nothing.
/// - Boards are apart: what happens to one is seen in no other, nor in its history.
/// - A board has an identity, the same for all who open it, and a name.
///
/// **Transactions**
/// - `transact` loads the newest state, calls `decide` on it, and keeps what it decides, as one step: no other change
///   to the board comes between. It may call `decide` again on a newer state when it has to start over. The events that
///   `past` selects are of the same state.
/// - What `transact` answers with `Ok` survives the end of the process and of the machine, if the store is one that
///   lasts. `Err` means that nothing was changed, with the one exception of [`StoreError::OutcomeUnknown`].
/// - A refusal, or a change that is empty, writes nothing and moves no revision.
/// - Several transactions may be made durable together; a refusal of one does not touch the others.
/// - Requests made one after the other, without waiting, take effect in that order: a read sees all writes that were
///   asked for before it through the same store. Only where such a write has to wait for somebody else, a read need not
///   wait with it: it sees all that was answered, and goes past what was not.
///
/// **History**
/// - Every change leaves its events: who, when, from what to what, and which requests it takes back. All events of one
///   request have the same request number. Numbers grow with each request and stay as they are, so that pages can be
///   read one after the other while others write. Their order is that of the requests, whatever clocks said.
/// - Whoever asks for ten events is not made to wait for a hundred thousand.
/// - History is not the truth about the board: a store may forget what is old.
///
/// **Watching**
/// - `wait_past` ends once the board has a revision greater than the one given, whoever changed it, and not before. It
///   ends, too, when the board can no longer be read, and when it can be read again: what is wrong is for the next read
///   to say. It fails only when the store is closed, and then for good. Watchers wait for a revision and read the
///   state, so there is no change that they can miss.
/// - The revision of a board never goes back as long as the store is open, not even when a list ends and begins anew.
///
/// **Sessions**
/// - A session that claims a task is alive from then on until it ends: by `end_sessions`, when the opening of the store
///   is closed that speaks for it, or when nothing proves any more that it is there. What it has in progress may
///   then be claimed by others. A person is always alive.
/// - `sessions` lists those that are alive, and those that have something on their list; people only if they have a
///   list. `wait_past_sessions` ends when that has changed, as `wait_past` does.
///
/// **Lists of sessions**
/// - They are boards like any other, with three exceptions: one opening at a time writes a list, the one that speaks for
///   its session; a list need not survive the end of the machine; and its history is known to that opening only.
///
/// **Time**
/// - No method keeps the thread that calls it waiting for the contents of a file, for a network, for a lock or for other
///   requests: that happens on threads of the store's own. (To look at the metadata of one file is allowed.) Answers need
///   no particular runtime to wait for them.
pub trait Store: Send + Sync {
    /// Reads a board.
    fn read<'a>(
        &'a self,
        board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>>;

    /// Changes a board as the work says; `moment` is for the history.
    fn transact<'a>(
        &'a self,
        board: &'a BoardKey,
        moment: &'a Moment,
        work: Work,
    ) -> Promise<'a, Result<Outcome, StoreError>>;

    /// Waits until the board has changed since `revision`.
    fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>>;

    /// Tells which board this is.
    fn identify<'a>(
        &'a self,
        board: &'a BoardKey,
    ) -> Promise<'a, Result<BoardIdentity, StoreError>>;

    /// Makes sure that there is a project board, also where one was there and is gone.
    fn create(&self) -> Promise<'_, Result<Created, StoreError>>;

    /// Lists the sessions that are alive.
    fn sessions(&self) -> Promise<'_, Result<Sessions, StoreError>>;

    /// Waits until the sessions, or their lists, have changed since `revision`.
    fn wait_past_sessions(&self, revision: Revision) -> Promise<'_, Result<Revision, StoreError>>;

    /// Ends every session whose name has this suffix: those that this opening of the store speaks for, and lists that
    /// outlive their process.
    fn end_sessions<'a>(
        &'a self,
        suffix: &'a str,
        end: SessionEnd,
    ) -> Promise<'a, Result<(), StoreError>>;

    /// Says what the store is.
    fn describe(&self) -> Promise<'_, Result<StoreDescription, StoreError>>;

    /// Looks for everything that is wrong with the store or will be, and says what to do. Changes nothing.
    fn diagnose(&self) -> Promise<'_, Vec<Finding>>;

    /// What whoever uses the store should know by now and was not told yet: each thing once, such as a promise that can't
    /// be kept where the board is. Waits for nothing.
    fn notices(&self) -> Vec<Finding> {
        Vec::new()
    }
}

/// Why a store could not do what it was asked. Carries words for people, never the contents of tasks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no board to work on: nothing here is a project, or nothing has that name.
    #[error("{reason}")]
    NoBoard {
        /// What was looked for, and where.
        reason: String,
        /// What to do about it.
        advice: String,
    },
    /// What is kept can't be understood. It is left as it is; reads and writes are refused until it is repaired.
    #[error("{what} is broken{}: {reason}", at.map(|at| format!(" at {at}")).unwrap_or_default())]
    Broken {
        /// What is broken, by the name that people know it by.
        what: String,
        /// Where in it, if it is text.
        at: Option<Position>,
        /// What is wrong there.
        reason: String,
        /// What to do about it.
        advice: String,
    },
    /// The board was there and is gone. It is not replaced by an empty one.
    #[error("{what} was there and is gone")]
    Vanished {
        /// What is gone, by the name that people know it by.
        what: String,
        /// What to do about it.
        advice: String,
    },
    /// Others kept the board locked for too long. Nothing was changed.
    #[error("the board was busy for {seconds} seconds")]
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// The store can't be reached at all. Nothing was changed.
    #[error("the store cannot be reached: {reason}")]
    Unreachable {
        /// What the system said.
        reason: String,
    },
    /// The store's own rules do not allow this. Nothing was changed, and trying again will not help.
    #[error("the store does not allow this: {reason}")]
    Denied {
        /// Which rule, and what is missing.
        reason: String,
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
    /// It is not known whether the change was made, or whether it would survive a power cut.
    #[error("outcome unknown: {reason}")]
    OutcomeUnknown {
        /// What the system said.
        reason: String,
    },
}

/// A place in a text, both counted from 1.
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
