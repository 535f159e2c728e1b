//! The boards of sessions: kept in memory, bounded in number and age, and shown to others in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use todori_domain::{
    Board, BoardKey, Decide, Moment, Outcome, Promise, Revision, SessionName, Snapshot, Store as _,
    StoreError, Want,
};

use crate::MemoryStore;
use crate::yaml::file_key::FileKey;
use crate::yaml::paths::{FOLDER, Paths};
use crate::yaml::presence::Sessions;
use crate::yaml::published::{self, Lifetime};
use crate::yaml::session_folder::SessionFolder;

/// The most boards that are kept at a time; the one that was used longest ago goes first.
const MAX_BOARDS: usize = 1_000;
/// How long a board that outlives its process is kept without a change.
pub const KEPT_FOR: Duration = Duration::from_hours(7 * 24);

/// Keeps the boards of sessions.
#[derive(Debug)]
pub struct SessionBoards {
    memory: MemoryStore,
    lifetime: Lifetime,
    state: Mutex<State>,
    swept: Once,
    /// Where boards are shown while there is no project.
    elsewhere: SessionFolder,
}

#[derive(Debug)]
struct State {
    used: BTreeMap<SessionName, Instant>,
    /// The locks that show that sessions of this process are alive.
    locks: Option<Sessions>,
    /// The files that this process wrote last.
    shown: BTreeMap<SessionName, FileKey>,
    /// The files of other processes, as they were when they were read last.
    seen: BTreeMap<SessionName, FileKey>,
}

impl SessionBoards {
    /// Keeps boards for so long; shows them in this folder where there is no project.
    pub fn new(lifetime: Lifetime, elsewhere: PathBuf) -> Self {
        let state = State {
            used: BTreeMap::new(),
            locks: None,
            shown: BTreeMap::new(),
            seen: BTreeMap::new(),
        };
        Self {
            memory: MemoryStore::default(),
            lifetime,
            state: Mutex::new(state),
            swept: Once::new(),
            elsewhere: SessionFolder::Runtime(elsewhere),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where boards are shown: with the project, if there is one that has a folder for it already. Nowhere if that
    /// leads out of the project.
    fn folder(&self, project: Option<&Path>) -> Option<SessionFolder> {
        let own = project.filter(|root| root.join(FOLDER).is_dir());
        match own {
            Some(root) => Paths::of(root).ok().as_ref().map(SessionFolder::of),
            None => Some(self.elsewhere.clone()),
        }
    }

    /// Makes sure that a board is in memory as it is anywhere, and that there are not too many.
    fn bring(&self, session: &SessionName, folder: Option<&SessionFolder>) {
        let mut state = self.state();
        state.used.insert(session.clone(), Instant::now());
        self.look(&mut state, session, folder);
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

    /// Reads a board that another process has shown since.
    fn look(&self, state: &mut State, session: &SessionName, folder: Option<&SessionFolder>) {
        let name = BoardKey::Session(session.clone());
        let own = state.shown.get(session);
        let seen = state.seen.get(session);
        // A session that began before the project did is still shown elsewhere.
        let mut folders = folder.into_iter().chain([&self.elsewhere]);
        let there =
            folders.find_map(|folder| Some((folder, published::shown_as(folder, session)?)));
        match there {
            Some((folder, key)) if own != Some(&key) && seen != Some(&key) => {
                if let Some(board) = published::find(folder, session, KEPT_FOR) {
                    self.memory.put(&name, board);
                    state.seen.insert(session.clone(), key);
                }
            }
            // The session ended in the process that had it.
            None if own.is_none() && seen.is_some() => {
                self.memory.put(&name, Board::default());
                state.seen.remove(session);
            }
            Some(_) | None => {}
        }
    }

    /// Ends the sessions whose names end with this mark: their boards go, here and where they were shown.
    pub fn end(&self, mark: &str, project: Option<&Path>) {
        let folder = self.folder(project);
        let mut state = self.state();
        let shown = folder
            .as_ref()
            .map(|folder| published::sessions(folder, KEPT_FOR));
        let mut ended: Vec<SessionName> = state.used.keys().cloned().collect();
        ended.extend(shown.unwrap_or_default());
        ended.retain(|session| session.as_str().ends_with(mark));
        for session in ended {
            self.drop_board(&mut state, &session, folder.as_ref());
        }
    }

    fn drop_board(&self, state: &mut State, session: &SessionName, folder: Option<&SessionFolder>) {
        state.used.remove(session);
        state.seen.remove(session);
        self.memory.forget(&BoardKey::Session(session.clone()));
        match self.lifetime {
            Lifetime::Process => withdraw(state, session),
            Lifetime::Idle(_) => {
                state.shown.remove(session);
                drop(folder.map(|folder| published::withdraw(folder, session)));
            }
        }
    }

    /// Shows a board to others. That it can't be shown is no reason to fail: it is only for looking at.
    fn show(&self, session: &SessionName, folder: &SessionFolder, outcome: &Outcome) {
        // What processes left that are gone is swept by the first one that has something to show.
        self.swept
            .call_once(|| drop(published::sessions(folder, KEPT_FOR)));
        let mut state = self.state();
        if self.lifetime == Lifetime::Process {
            let here = |locks: &Sessions| locks.folder() == folder;
            if !state.locks.as_ref().is_some_and(here) {
                withdraw_all(&mut state);
                state.locks = Some(Sessions::new(folder.clone()));
            }
            if let Some(locks) = &mut state.locks {
                drop(locks.announce(session));
            }
        }
        let shown = published::publish(folder, session, self.lifetime, &outcome.board);
        match shown {
            Ok(Some(key)) => drop(state.shown.insert(session.clone(), key)),
            Ok(None) => drop(state.shown.remove(session)),
            Err(_) => {}
        }
    }

    /// Reads the board of a session of this process, or one that another process shows.
    pub fn read<'a>(
        &'a self,
        session: &'a SessionName,
        board: &'a BoardKey,
        project: Option<&Path>,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        self.bring(session, self.folder(project).as_ref());
        self.memory.read(board, want)
    }

    /// Changes the board of a session.
    pub fn transact<'a>(
        &'a self,
        session: &'a SessionName,
        board: &'a BoardKey,
        project: Option<&Path>,
        moment: &'a Moment,
        decide: Decide,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        let folder = self.folder(project);
        self.bring(session, folder.as_ref());
        let outcome = self.memory.transact(board, moment, decide);
        Box::pin(async move {
            let outcome = outcome.await?;
            let verdict = outcome.verdict.as_ref();
            if verdict.is_ok_and(|change| !change.is_empty())
                && let Some(folder) = &folder
            {
                self.show(session, folder, &outcome);
            }
            Ok(outcome)
        })
    }

    /// Waits until a board of this process changes.
    pub fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        self.memory.wait_past(board, revision)
    }

    /// All boards that are shown.
    pub fn boards(&self, project: Option<&Path>) -> Vec<BoardKey> {
        let own = self.folder(project).filter(|own| *own != self.elsewhere);
        let folders = own.iter().chain(std::iter::once(&self.elsewhere));
        let mut found: Vec<SessionName> = folders
            .flat_map(|folder| published::sessions(folder, KEPT_FOR))
            .collect();
        found.sort();
        found.dedup();
        found.into_iter().map(BoardKey::Session).collect()
    }
}

/// Takes away what this process shows of a session, but not what another process of the same session does.
fn withdraw(state: &mut State, session: &SessionName) {
    let shown = state.shown.remove(session);
    if let Some(locks) = &mut state.locks {
        if let Some(key) = shown {
            published::withdraw_own(locks.folder(), session, key);
        }
        locks.dismiss(session);
    }
}

fn withdraw_all(state: &mut State) {
    let shown: Vec<SessionName> = state.shown.keys().cloned().collect();
    for session in &shown {
        withdraw(state, session);
    }
}

impl Drop for SessionBoards {
    fn drop(&mut self) {
        if self.lifetime == Lifetime::Process {
            withdraw_all(&mut self.state());
        }
    }
}
