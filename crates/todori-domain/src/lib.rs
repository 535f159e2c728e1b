//! Tasks, boards and the rules about them.
//!
//! Everything here is a pure function of its arguments: no files, no network, no clock, no formats. Start with
//! [`rules::decide`], which says what a list of [`Command`]s would change on a [`Board`], and with the [`Store`]
//! contract, which says how such a change is kept.

mod board;
mod burn_down;
mod by_id;
mod change;
mod command;
mod finding;
mod graph;
mod history;
mod id;
mod merge;
mod moment;
mod next;
mod outlook;
mod progress;
mod query;
mod rank;
mod refusal;
pub mod rules;
mod selection;
mod stage;
mod store;
mod task;
#[cfg(feature = "testing")]
pub mod testing;
mod text;
mod tracker;

pub use board::Board;
pub use burn_down::{Day, burn_down, burn_down_start};
pub use change::{Change, TaskChange};
pub use command::{Command, Item, NewTask, OnDuplicate, Past, Place, SubtaskEdit, TaskEdit, Which};
pub use finding::{Finding, Level};
pub use graph::{Graph, blocked_by_cycles, find_cycle};
pub use history::{
    AuthorMatch, Event, EventNumber, Happening, HistoryFilter, HistoryPage, HistoryQuery, TaskMatch,
};
pub use id::{IdPrefix, IdSource, MIN_PREFIX, RandomIds, SubtaskId, SubtaskRef, TaskId, TaskRef};
pub use merge::{Disagreement, MergeNote, Merged, merge};
pub use moment::{Actor, Moment, SessionName, Timestamp};
pub use next::{NextFilter, Recommendation, recommend};
pub use progress::{Progress, Stats};
pub use query::{Direction, Filter, Page, Sort, SortField, query};
pub use rank::Rank;
pub use refusal::Refusal;
pub use rules::{Decision, decide, decide_undo, find_task};
pub use selection::{Selection, Selector};
pub use stage::Stage;
pub use store::{
    BoardIdentity, BoardKey, CommittedFile, Created, Decide, NobodyElse, Outcome, Position,
    Presence, Promise, Revision, SessionEnd, SessionState, Sessions, Situation, Snapshot, Store,
    StoreDescription, StoreError, Want, Work,
};
pub use task::{Priority, Status, Subtask, Task};
pub use text::{Description, MAX_DESCRIPTION_BYTES, MAX_TITLE_CHARS, TextError, Title};
pub use tracker::{Answer, Request, Tracker, Verdict};
