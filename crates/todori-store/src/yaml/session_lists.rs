//! The lists of sessions: kept in memory, bounded in number and age, and shown to others in files; and who else is
//! there. One caller at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use todori_domain::{
    Board, BoardIdentity, Moment, Outcome, Revision, SessionName, SessionState, Sessions, Snapshot,
    Want, Work,
};
use tokio::sync::watch;

use super::file_key::FileKey;
use super::paths::{FOLDER, Paths};
use super::presence::{self, SessionLocks};
use super::published::{self, Shelf};
use super::session_folder::SessionFolder;
use crate::address::{KEPT_FOR, Lifetime};
use crate::locator::{Origin, find_project};
use crate::memory::BoardWithHistory;

/// The most lists that are kept at a time; the one that was used longest ago goes first.
const MAX_BOARDS: usize = 1_000;

/// Keeps the lists of sessions.
#[derive(Debug)]
pub(crate) struct SessionLists {
    origin: Origin,
    lifetime: Lifetime,
    /// Where lists are shown while there is no project.
    elsewhere: SessionFolder,
    lists: BTreeMap<SessionName, List>,
    /// The highest revision of a list that is gone. One that comes back begins there: whoever waits for it is not to
    /// wait for ever.
    highest: Revision,
    /// The locks that show that sessions of this process are alive.
    locks: Option<SessionLocks>,
    shelf: Shelf,
    swept: bool,
    /// The sessions of which nothing was heard for long.
    silent: BTreeSet<SessionName>,
    /// What was listed last.
    listed: Vec<SessionState>,
    revision: watch::Sender<Revision>,
}

/// A list that is in memory.
#[derive(Debug)]
struct List {
    kept: BoardWithHistory,
    used: Instant,
    origin: ListOrigin,
}

/// Where a list comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListOrigin {
    /// Nowhere: nobody has written it yet.
    Nobody,
    /// This process wrote it last, into this file if it could be shown.
    Here(Option<FileKey>),
    /// Another process shows it.
    Elsewhere,
}

impl SessionLists {
    /// Keeps lists for so long; shows them in this folder where there is no project.
    pub(crate) fn new(origin: Origin, lifetime: Lifetime, elsewhere: PathBuf) -> Self {
        Self {
            origin,
            lifetime,
            elsewhere: SessionFolder::Runtime(elsewhere),
            lists: BTreeMap::new(),
            highest: Revision::default(),
            locks: None,
            shelf: Shelf::default(),
            swept: false,
            silent: BTreeSet::new(),
            listed: Vec::new(),
            revision: watch::Sender::new(Revision::default()),
        }
    }

    /// The revision of all that is listed.
    pub(crate) fn changes(&self) -> watch::Receiver<Revision> {
        self.revision.subscribe()
    }

    /// Whether somebody waits for it.
    pub(crate) fn is_watched(&self) -> bool {
        self.revision.receiver_count() > 0
    }

    /// Where lists are shown: with the project, if there is one that has a folder for it already. Nowhere if that leads
    /// out of the project.
    fn folder(&self) -> Option<SessionFolder> {
        let root = find_project(&self.origin).ok();
        match root.filter(|root| root.join(FOLDER).is_dir()) {
            Some(root) => Paths::of(&root).ok().as_ref().map(SessionFolder::of),
            None => Some(self.elsewhere.clone()),
        }
    }

    /// All folders that lists may be shown in: a session that began before the project did is still shown elsewhere.
    pub(crate) fn folders(&self) -> Vec<SessionFolder> {
        let own = self.folder().filter(|own| *own != self.elsewhere);
        own.into_iter().chain([self.elsewhere.clone()]).collect()
    }

    /// Reads the list of a session, of this process or of another that shows it.
    pub(crate) fn read(&mut self, session: &SessionName, want: &Want) -> Snapshot {
        let list = self.bring(session);
        list.kept.snapshot(want, &BTreeSet::new())
    }

    /// Changes the list of a session.
    pub(crate) fn transact(
        &mut self,
        session: &SessionName,
        moment: &Moment,
        work: Work,
    ) -> Outcome {
        let list = self.bring(session);
        let outcome = list.kept.transact(moment, work, &BTreeSet::new());
        let verdict = outcome.verdict.as_ref();
        if verdict.is_ok_and(|change| !change.is_empty()) {
            let shown = self.show(session, &outcome.board);
            if let Some(list) = self.lists.get_mut(session) {
                list.origin = ListOrigin::Here(shown);
            }
            self.list_again(session, &outcome.board);
        }
        outcome
    }

    /// Lists one session as it is now, without looking at all the others.
    fn list_again(&mut self, session: &SessionName, board: &Arc<Board>) {
        if board.is_empty() {
            // Whether it is still there is for its lock to say.
            return self.refresh();
        }
        self.silent.remove(session);
        let now = SessionState {
            name: session.clone(),
            is_live: true,
            list: Some(Arc::clone(board)),
        };
        let place = self
            .listed
            .binary_search_by(|other| other.name.cmp(session));
        match place {
            Ok(place) => drop(self.listed.splice(place..=place, [now])),
            Err(place) => self.listed.insert(place, now),
        }
        self.revision.send_modify(|revision| revision.0 += 1);
    }

    /// The revision of one list.
    pub(crate) fn list_changes(&mut self, session: &SessionName) -> watch::Receiver<Revision> {
        self.bring(session).kept.changes()
    }

    /// Tells which list this is: the same in every process that shows lists in the same place.
    pub(crate) fn identify(&self, session: &SessionName) -> BoardIdentity {
        // The same before and after there is a project here.
        let (Origin::Given(origin) | Origin::From(origin)) = &self.origin;
        let root = find_project(&self.origin).unwrap_or_else(|_| origin.clone());
        let root = root.canonicalize().unwrap_or(root);
        let name = session.as_str().to_owned();
        let id = format!("{}#{name}", root.display());
        BoardIdentity { id, name }
    }

    /// Makes sure that a list is in memory as it is anywhere, and that there are not too many.
    fn bring(&mut self, session: &SessionName) -> &mut List {
        let folders = self.folders();
        self.make_room(session);
        self.look(session, &folders);
        let list = self.entry(session);
        list.used = Instant::now();
        list
    }

    fn entry(&mut self, session: &SessionName) -> &mut List {
        let highest = self.highest;
        let begin = || List::beginning_at(highest);
        self.lists.entry(session.clone()).or_insert_with(begin)
    }

    fn make_room(&mut self, session: &SessionName) {
        let lifetime = self.lifetime;
        let is_expired =
            |list: &List| matches!(lifetime, Lifetime::Idle(most) if list.used.elapsed() > most);
        let others = self.lists.iter().filter(|(other, _)| *other != session);
        let expired = others.filter(|(_, list)| is_expired(list));
        let expired: Vec<SessionName> = expired.map(|(other, _)| other.clone()).collect();
        for session in expired {
            self.drop_list(&session);
        }
        let is_new = !self.lists.contains_key(session);
        while self.lists.len() + usize::from(is_new) > MAX_BOARDS {
            let oldest = self.lists.iter().min_by_key(|(_, list)| list.used);
            let Some(oldest) = oldest.map(|(session, _)| session.clone()) else {
                break;
            };
            self.drop_list(&oldest);
        }
    }

    /// Reads a list that another process has shown since.
    fn look(&mut self, session: &SessionName, folders: &[SessionFolder]) {
        let mut shown = folders.iter();
        let there = shown.find_map(|folder| Some((folder, published::shown_as(folder, session)?)));
        let origin = self.lists.get(session).map(|list| list.origin);
        let board = match (there, origin) {
            (Some((_, key)), Some(ListOrigin::Here(own))) if own == Some(key) => return,
            (Some((folder, _)), _) => self.shelf.find(folder, session, KEPT_FOR),
            // The session ended in the process that had it.
            (None, Some(ListOrigin::Elsewhere)) => Some(Arc::default()),
            (None, _) => return,
        };
        if let Some(board) = board {
            let list = self.entry(session);
            list.kept.put(board);
            list.origin = match there {
                Some(_) => ListOrigin::Elsewhere,
                None => ListOrigin::Nobody,
            };
        }
    }

    /// Shows a list to others. That it can't be shown is no reason to fail: it is only for looking at.
    fn show(&mut self, session: &SessionName, board: &Board) -> Option<FileKey> {
        let folder = self.folder()?;
        // What processes left that are gone is swept by the first one that has something to show.
        if !std::mem::replace(&mut self.swept, true) {
            drop(self.shelf.list(&folder, KEPT_FOR));
        }
        if self.lifetime == Lifetime::Process {
            if self
                .locks
                .as_ref()
                .is_none_or(|locks| *locks.folder() != folder)
            {
                self.withdraw_all();
                self.locks = Some(SessionLocks::new(folder.clone()));
            }
            if let Some(locks) = &mut self.locks {
                // A list with nothing on it proves nothing.
                if board.is_empty() {
                    locks.dismiss(session);
                } else {
                    drop(locks.announce(session));
                }
            }
        }
        let shown = published::publish(&folder, session, self.lifetime, board);
        // A session that began before the project did was shown elsewhere until now.
        for other in self.folders().iter().filter(|other| **other != folder) {
            drop(published::withdraw(other, session));
        }
        shown.ok().flatten()
    }

    /// Lists the sessions that are alive, of all processes.
    pub(crate) fn list(&mut self) -> Sessions {
        self.refresh();
        Sessions {
            revision: *self.revision.borrow(),
            sessions: self.listed.clone(),
        }
    }

    /// Looks who is there; wakes those who wait to know.
    pub(crate) fn refresh(&mut self) {
        let mut lists: BTreeMap<SessionName, Option<Arc<Board>>> = BTreeMap::new();
        let folders = self.folders();
        let live = folders.iter().flat_map(presence::live);
        let live: BTreeSet<SessionName> = live.collect();
        // What this process has is known without looking, and also where it can't be shown.
        let own = self.lists.iter();
        let own = own.filter(|(_, list)| matches!(list.origin, ListOrigin::Here(_)));
        for (name, list) in own.filter(|(_, list)| !list.kept.board().is_empty()) {
            lists.insert(name.clone(), Some(Arc::clone(list.kept.board())));
        }
        for folder in &folders {
            for (name, board) in self.shelf.list(folder, KEPT_FOR) {
                if !board.is_empty() {
                    lists.entry(name).or_insert(Some(board));
                }
            }
        }
        for name in &live {
            lists.entry(name.clone()).or_default();
        }
        self.shelf.tidy();
        // Others may have changed a list that somebody here waits for.
        let awaited = self.lists.iter().filter(|(_, list)| list.kept.is_watched());
        for name in awaited.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            self.look(&name, &folders);
        }
        let now = lists.into_iter().map(|(name, list)| SessionState {
            is_live: live.contains(&name) || !self.silent.contains(&name),
            name,
            list,
        });
        let now: Vec<SessionState> = now.collect();
        if now != self.listed {
            self.listed = now;
            self.revision.send_modify(|revision| revision.0 += 1);
        }
    }

    /// Ends every session whose name has this suffix: their lists go, here and where they were shown.
    pub(crate) fn end(&mut self, suffix: &str) {
        let folders = self.folders();
        let shown = folders.iter();
        let shown: Vec<_> = shown
            .flat_map(|folder| self.shelf.list(folder, KEPT_FOR))
            .collect();
        let shown = shown.into_iter().map(|(session, _)| session);
        let mut ended: BTreeSet<SessionName> = self.lists.keys().cloned().chain(shown).collect();
        ended.retain(|session| session.as_str().ends_with(suffix));
        for session in ended {
            self.drop_list(&session);
        }
        self.refresh();
    }

    /// Gives up the locks of every session whose name has this suffix. Their lists stay, now for a while instead of as
    /// long as the lock is held.
    pub(crate) fn silence(&mut self, suffix: &str) {
        if let Some(locks) = &mut self.locks {
            let own = self.lists.iter_mut();
            for (session, list) in own.filter(|(name, _)| name.as_str().ends_with(suffix)) {
                if let ListOrigin::Here(Some(_)) = list.origin {
                    let kept = Lifetime::Idle(KEPT_FOR);
                    let shown =
                        published::publish(locks.folder(), session, kept, list.kept.board());
                    list.origin = ListOrigin::Here(shown.ok().flatten());
                }
            }
            locks.dismiss_all(suffix);
        }
        let silent = self.lists.keys();
        let silent = silent.filter(|session| session.as_str().ends_with(suffix));
        self.silent.extend(silent.cloned());
        self.refresh();
    }

    fn drop_list(&mut self, session: &SessionName) {
        self.silent.remove(session);
        let list = self.lists.remove(session);
        match self.lifetime {
            Lifetime::Process => {
                if let Some(list) = &list {
                    self.withdraw(session, list.origin);
                }
            }
            Lifetime::Idle(_) => {
                for folder in self.folders() {
                    drop(published::withdraw(&folder, session));
                }
            }
        }
        if let Some(mut list) = list {
            // Whoever waits for it is told that there is nothing on it any more.
            list.kept.put(Arc::default());
            self.highest = self.highest.max(list.kept.revision());
        }
    }

    /// Takes away what lives only as long as this process.
    pub(crate) fn close(&mut self) {
        if self.lifetime == Lifetime::Process {
            self.withdraw_all();
        }
    }

    /// Takes away what this process shows of a session, but not what another process of the same session does.
    fn withdraw(&mut self, session: &SessionName, origin: ListOrigin) {
        if let Some(locks) = &mut self.locks {
            if let ListOrigin::Here(Some(key)) = origin {
                published::withdraw_own(locks.folder(), session, key);
            }
            locks.dismiss(session);
        }
    }

    fn withdraw_all(&mut self) {
        let lists = self.lists.iter();
        let shown: Vec<_> = lists
            .map(|(session, list)| (session.clone(), list.origin))
            .collect();
        for (session, origin) in shown {
            self.withdraw(&session, origin);
        }
    }
}

impl List {
    fn beginning_at(revision: Revision) -> Self {
        Self {
            kept: BoardWithHistory::beginning_at(revision),
            used: Instant::now(),
            origin: ListOrigin::Nobody,
        }
    }
}
