//! The boards of sessions: kept in memory, bounded in number and age, and shown to others in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use todori_domain::{
    BoardName, Decide, Moment, Outcome, Promise, Revision, SessionName, Snapshot, Store,
    StoreError, Want,
};

use crate::MemoryStore;
use crate::yaml::presence::Sessions;
use crate::yaml::published::{self, Lifetime};

/// The most boards that are kept at a time; the one that was used longest ago goes first.
const MAX_BOARDS: usize = 1_000;
/// How long a board that outlives its process is kept without a change.
pub const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Keeps the boards of sessions.
#[derive(Debug)]
pub struct SessionBoards {
    memory: MemoryStore,
    lifetime: Lifetime,
    state: Mutex<State>,
    /// Where boards are shown while there is no project.
    elsewhere: PathBuf,
}

#[derive(Debug)]
struct State {
    used: BTreeMap<SessionName, Instant>,
    /// The locks that show that sessions of this process are alive, and where they are.
    locks: Option<(PathBuf, Sessions)>,
}

impl SessionBoards {
    /// Keeps boards for so long; shows them in this folder where there is no project.
    pub fn new(lifetime: Lifetime, elsewhere: PathBuf) -> Self {
        let state = State {
            used: BTreeMap::new(),
            locks: None,
        };
        Self {
            memory: MemoryStore::default(),
            lifetime,
            state: Mutex::new(state),
            elsewhere,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where boards are shown: with the project, if there is one that has a folder for it already.
    fn folder(&self, project: Option<&Path>) -> PathBuf {
        let own = project
            .map(|root| root.join(".todori"))
            .filter(|folder| folder.is_dir());
        own.map_or_else(|| self.elsewhere.clone(), |folder| folder.join("sessions"))
    }

    /// Makes sure that a board is in memory if it is anywhere, and that there are not too many.
    fn bring(&self, session: &SessionName, folder: &Path) {
        let name = BoardName::Session(session.clone());
        let mut state = self.state();
        if state.used.insert(session.clone(), Instant::now()).is_none()
            && let Some(board) = published::find(folder, session, KEPT_FOR)
        {
            self.memory.restore(&name, board);
        }
        let is_expired =
            |last: &Instant| matches!(self.lifetime, Lifetime::Idle(most) if last.elapsed() > most);
        let others = state.used.iter().filter(|(other, _)| *other != session);
        let expired = others.filter(|(_, last)| is_expired(last));
        let expired: Vec<SessionName> = expired.map(|(other, _)| other.clone()).collect();
        for session in expired {
            self.drop_board(&mut state, &session, folder);
        }
        while state.used.len() > MAX_BOARDS {
            let oldest = state.used.iter().min_by_key(|(_, last)| **last);
            let Some(oldest) = oldest.map(|(session, _)| session.clone()) else {
                break;
            };
            self.drop_board(&mut state, &oldest, folder);
        }
    }

    fn drop_board(&self, state: &mut State, session: &SessionName, folder: &Path) {
        state.used.remove(session);
        self.memory.forget(&BoardName::Session(session.clone()));
        drop(published::withdraw(folder, session));
        if let Some((_, locks)) = &mut state.locks {
            locks.dismiss(session);
        }
    }

    /// Shows a board to others. That it can't be shown is no reason to fail: it is only for looking at.
    fn show(&self, session: &SessionName, folder: &Path, outcome: &Outcome) {
        if self.lifetime == Lifetime::Process {
            let mut state = self.state();
            let moved = state
                .locks
                .as_ref()
                .is_none_or(|(known, _)| known != folder);
            if moved {
                state.locks = Some((folder.to_owned(), Sessions::new(folder.to_owned())));
            }
            if let Some((_, locks)) = &mut state.locks {
                drop(locks.announce(session));
            }
        }
        drop(published::publish(
            folder,
            session,
            self.lifetime,
            &outcome.board,
        ));
    }

    /// Reads the board of a session of this process, or one that another process shows.
    pub fn read<'a>(
        &'a self,
        session: &'a SessionName,
        board: &'a BoardName,
        project: Option<&Path>,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        self.bring(session, &self.folder(project));
        self.memory.read(board, want)
    }

    /// Changes the board of a session.
    pub fn transact<'a>(
        &'a self,
        session: &'a SessionName,
        board: &'a BoardName,
        project: Option<&Path>,
        moment: &'a Moment,
        decide: Decide,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        let folder = self.folder(project);
        self.bring(session, &folder);
        let outcome = self.memory.transact(board, moment, decide);
        Box::pin(async move {
            let outcome = outcome.await?;
            if outcome
                .verdict
                .as_ref()
                .is_ok_and(|change| !change.is_empty())
            {
                self.show(session, &folder, &outcome);
            }
            Ok(outcome)
        })
    }

    /// Waits until a board of this process changes.
    pub fn wait_past<'a>(
        &'a self,
        board: &'a BoardName,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        self.memory.wait_past(board, revision)
    }

    /// All boards that are shown.
    pub fn boards(&self, project: Option<&Path>) -> Vec<BoardName> {
        let mut found = published::sessions(&self.folder(project), KEPT_FOR);
        if self.folder(project) != self.elsewhere {
            found.extend(published::sessions(&self.elsewhere, KEPT_FOR));
        }
        found.sort();
        found.dedup();
        found.into_iter().map(BoardName::Session).collect()
    }
}

impl Drop for SessionBoards {
    fn drop(&mut self) {
        if self.lifetime != Lifetime::Process {
            return;
        }
        let state = self.state();
        for session in state.used.keys() {
            drop(published::withdraw(&self.elsewhere, session));
            if let Some((folder, _)) = &state.locks {
                drop(published::withdraw(folder, session));
            }
        }
    }
}
