//! The suite that every store must pass: the contract of [`Store`], clause by clause, for the project's board and for
//! the lists of sessions.
//!
//! It waits for answers by [`Subject::wait`], so that it also runs on a store whose answers need a runtime with
//! timers or sockets.

mod boards;
mod history;
mod sessions;
mod undo;
mod upkeep;

use std::sync::Arc;

use super::{block_on, letter, moment};
use crate::{
    Board, BoardKey, Command, Decision, HistoryQuery, Moment, NewTask, Outcome, Promise, Refusal,
    SessionName, Situation, Snapshot, Status, Store, TaskEdit, TaskRef, Title, Tracker, Want, Work,
    decide,
};

/// A kind of store that is to be checked.
pub trait Subject: Sync {
    /// A store that nobody has written to.
    fn fresh(&self) -> Arc<dyn Store>;

    /// Opens the last fresh store a second time, as another process would; `None` for a store that lives in one process
    /// only.
    fn again(&self) -> Option<Arc<dyn Store>> {
        None
    }

    /// Waits for an answer on this thread.
    fn wait<'a, T: 'a>(&self, answer: Promise<'a, T>) -> T {
        block_on(answer)
    }
}

/// Runs the whole suite.
pub fn check_store(subject: &impl Subject) {
    for key in [
        BoardKey::Project,
        BoardKey::Session(SessionName::new("own")),
    ] {
        boards::check(subject, &key);
    }
    boards::check_apart(subject);
    history::check(subject);
    undo::check(subject);
    sessions::check(subject);
    upkeep::check(subject);
}

/// Adds a task called like its letter.
pub fn add(name: &str) -> Command {
    Command::Add(NewTask::titled(letter(name), Title::parse(name).unwrap()))
}

/// Sets the status of such a task.
pub fn set(name: &str, status: Status) -> Command {
    let edit = TaskEdit {
        status: Some(status),
        ..TaskEdit::default()
    };
    Command::Edit {
        task: TaskRef::from(letter(name)),
        edit,
    }
}

/// Deletes such a task.
pub fn delete(name: &str) -> Command {
    Command::Delete {
        task: TaskRef::from(letter(name)),
    }
}

/// The work of doing these commands.
pub fn work(moment: &Moment, commands: Vec<Command>) -> Work {
    let at = moment.clone();
    Work::on_board(
        move |situation: &Situation<'_>| -> Result<Decision, Refusal> {
            decide(situation.board, &commands, &at, situation.presence)
        },
    )
}

/// Writes to the project's board and gives the outcome.
pub fn write(store: &Arc<dyn Store>, moment: &Moment, commands: Vec<Command>) -> Outcome {
    write_to(store, &BoardKey::Project, moment, commands)
}

/// Writes to a board and gives the outcome.
pub fn write_to(
    store: &Arc<dyn Store>,
    key: &BoardKey,
    moment: &Moment,
    commands: Vec<Command>,
) -> Outcome {
    block_on(store.transact(key, moment, work(moment, commands))).expect("the store works")
}

/// Reads the project's board, ten events and who is alive.
pub fn read(store: &Arc<dyn Store>) -> Snapshot {
    read_from(store, &BoardKey::Project)
}

/// Reads a board, ten events and who is alive.
pub fn read_from(store: &Arc<dyn Store>, key: &BoardKey) -> Snapshot {
    let want = Want {
        history: HistoryQuery::newest(10),
        presence: true,
    };
    block_on(store.read(key, want)).expect("the store works")
}

/// The titles in list order.
pub fn titles(board: &Board) -> String {
    board
        .in_order()
        .map(|task| task.title.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A store under test, and how to wait for it.
struct Probe<'a, S> {
    subject: &'a S,
    store: Arc<dyn Store>,
}

impl<'a, S: Subject> Probe<'a, S> {
    fn fresh(subject: &'a S) -> Self {
        let store = subject.fresh();
        Self { subject, store }
    }

    /// The same store as another process sees it.
    fn again(&self) -> Option<Self> {
        let store = self.subject.again()?;
        Some(Self {
            subject: self.subject,
            store,
        })
    }

    fn wait<'p, T: 'p>(&self, answer: Promise<'p, T>) -> T {
        self.subject.wait(answer)
    }

    fn write(&self, key: &BoardKey, moment: &Moment, commands: Vec<Command>) -> Outcome {
        let work = work(moment, commands);
        let outcome = self.wait(self.store.transact(key, moment, work));
        outcome.expect("the store works")
    }

    fn want(&self, key: &BoardKey, want: Want) -> Snapshot {
        self.wait(self.store.read(key, want))
            .expect("the store works")
    }

    /// Reads a board, ten events and who is alive.
    fn read(&self, key: &BoardKey) -> Snapshot {
        let history = HistoryQuery::newest(10);
        let presence = true;
        self.want(key, Want { history, presence })
    }

    fn tracker(&self) -> Tracker {
        Tracker::new(Arc::clone(&self.store))
    }
}

/// A moment of another session.
fn by(session: &str, seconds: i64) -> Moment {
    Moment {
        actor: crate::Actor::session(session),
        ..moment(seconds)
    }
}
