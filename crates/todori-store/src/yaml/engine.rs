//! Reads and writes one project's board. One caller at a time; what happens across processes is settled by the lock
//! and by looking at the file again.
//!
//! A write: take the lock, read the file again and compare it with memory (a half is not decided on), merge what somebody
//! wrote to a file that was replaced, decide, work out which bytes change, put them in place of the file (`replacing`),
//! note the history, give the lock back, force the folder to the disk. Only then is it acknowledged. The history is
//! forced to the disk meanwhile; nobody waits for that. What is taken away in between by others makes it start over
//! (`queue`).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use todori_domain::{
    Board, Change, Event, Finding, Outcome, Presence as _, Revision, SessionName, Snapshot,
    StoreError, TaskChange, TaskId, Want, Work,
};
use tokio::sync::watch;

use super::batch::{self, Decided, Write};
use super::current::{Current, News};
use super::failure::{Failure, words};
use super::file_key::FileKey;
use super::forced::Forcer;
use super::lock::{self, Lock};
use super::own_texts::TextChange;
use super::past::Past;
use super::paths::{BOARD_FILE, FOLDER, Paths};
use super::presence::SessionLocks;
use super::promises::{Promise, Promises};
use super::record::{Noted, Reach, Record, Step};
use super::replaced::LastLook;
use super::session_folder::SessionFolder;
use super::{atomic_file, history, replaced, replacing, setup};

pub(crate) type Answers = Vec<Result<Outcome, StoreError>>;

#[derive(Debug)]
pub(crate) struct Engine {
    root: PathBuf,
    /// Folders whose board would be the project's, if they had one.
    nearer: Vec<PathBuf>,
    /// Whether those who watch know that one has.
    was_overtaken: bool,
    paths: Paths,
    current: Current,
    sessions: SessionLocks,
    record: Record,
    promises: Promises,
    /// What else was not told yet.
    notices: Vec<Finding>,
    forcer: Forcer,
    /// When what was replaced was looked after last, and whether it should be cleared up now.
    looked_after: LastLook,
    is_untidy: bool,
    revision: watch::Sender<Revision>,
    /// Why the board could not be read when it was tried last.
    trouble: Option<StoreError>,
    /// Whether a session was announced that was not known to be there.
    newcomers: bool,
    /// Boards that were replaced. Freeing a large one takes longer than anything else here that is not the disk, so it
    /// waits until the answers are out.
    retired: Vec<Arc<Board>>,
}

/// A board as it was read, and how far its history goes.
pub(crate) struct BoardRead {
    pub(crate) snapshot: Snapshot,
    pub(crate) paths: Paths,
    pub(crate) reach: Reach,
}

/// What must be done before a batch can be decided on.
pub(crate) enum Begun {
    /// Nothing: it is answered already, since nothing changes.
    Answered(Answers),
    /// Take the lock of this board.
    Lock(Box<Paths>),
}

impl Engine {
    pub(crate) fn open(
        root: &Path,
        nearer: Vec<PathBuf>,
        revision: watch::Sender<Revision>,
    ) -> io::Result<Self> {
        let paths = Paths::of(root)?;
        let sessions = SessionLocks::new(SessionFolder::of(&paths));
        Ok(Self {
            root: root.to_owned(),
            nearer,
            was_overtaken: false,
            paths,
            current: Current::default(),
            sessions,
            record: Record::default(),
            promises: Promises::default(),
            notices: Vec::new(),
            forcer: Forcer::default(),
            looked_after: LastLook::default(),
            is_untidy: false,
            revision,
            trouble: None,
            newcomers: false,
            retired: Vec::new(),
        })
    }

    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the project's board is another one by now.
    pub(crate) fn is_overtaken(&self) -> bool {
        let has_board = |folder: &PathBuf| folder.join(FOLDER).is_dir();
        self.nearer.iter().any(has_board)
    }

    /// Wakes those who watch, once, when the project's board is another one: whoever reads next goes over to it.
    pub(crate) fn tell_if_overtaken(&mut self) {
        let is_overtaken = self.is_overtaken();
        if is_overtaken && !self.was_overtaken {
            self.move_revision();
        }
        self.was_overtaken = is_overtaken;
    }

    fn revision(&self) -> Revision {
        *self.revision.borrow()
    }

    fn move_revision(&self) {
        self.revision.send_modify(|revision| revision.0 += 1);
    }

    /// Takes the replaced boards, so that the caller can drop them after it has answered.
    pub(crate) fn retire(&mut self) -> Vec<Arc<Board>> {
        std::mem::take(&mut self.retired)
    }

    /// Whether what was replaced should be cleared up, since this was asked last.
    pub(crate) fn is_untidy(&mut self) -> bool {
        std::mem::take(&mut self.is_untidy)
    }

    /// Whether a session has come since this was asked last.
    pub(crate) fn has_newcomers(&mut self) -> bool {
        std::mem::take(&mut self.newcomers)
    }

    /// What whoever uses the store should know and was not told yet.
    pub(crate) fn tell(&mut self) -> Vec<Finding> {
        let mut news = self.promises.tell();
        news.append(&mut self.notices);
        news
    }

    /// Ends every session of this process whose name has this suffix.
    pub(crate) fn end_sessions(&mut self, suffix: &str) {
        self.sessions.dismiss_all(suffix);
    }

    /// Forgets what was read. What is on the disk is the truth.
    pub(crate) fn forget(&mut self) {
        self.record.forget();
        if self.current.forget() {
            // Whether it changed can't be told any more, so that watchers had better look.
            self.move_revision();
        }
    }

    /// The board, if nothing must be read to know that it is as it was.
    pub(crate) fn at_hand(&self, want: &Want) -> Option<Snapshot> {
        let is_current = !self.is_overtaken() && self.is_current();
        if want.history.limit > 0 || !is_current {
            return None;
        }
        let board = self.current.board();
        let mut live = BTreeSet::new();
        if want.presence {
            // Only of others must be found out whether they are there.
            let is_known = |name: &SessionName| name.is_person() || self.sessions.speaks_for(name);
            if !board.holders().iter().all(is_known) {
                return None;
            }
            live.clone_from(board.holders());
        }
        Some(Snapshot {
            board,
            revision: self.revision(),
            history: todori_domain::HistoryPage::default(),
            live,
        })
    }

    /// Reads the board without a lock. The history is for the caller to read: that may take a while.
    pub(crate) fn look(&mut self, want: &Want) -> Result<BoardRead, StoreError> {
        let board = self.refresh()?;
        let holders = board.holders().iter();
        let live = holders.filter(|session| want.presence && self.sessions.is_live(session));
        let live = live.cloned().collect();
        let reach = if want.history.limit > 0 {
            let key = self.current.cache().and_then(|cache| cache.key);
            self.record.reach(&self.paths, key)
        } else {
            Reach::NOWHERE
        };
        Ok(BoardRead {
            snapshot: Snapshot {
                board,
                revision: self.revision(),
                history: todori_domain::HistoryPage::default(),
                live,
            },
            paths: self.paths.clone(),
            reach,
        })
    }

    /// What is known of changes from outside.
    pub(crate) fn record(&mut self) -> &mut Record {
        &mut self.record
    }

    /// Whether what a look took for a change from outside may be that of a writer that has replaced the file and not
    /// noted it yet, or whether the file has changed meanwhile.
    pub(crate) fn is_unsettled(&self) -> bool {
        let key = self.current.cache().and_then(|cache| cache.key);
        let now = self.paths.board.metadata().ok();
        lock::is_held(&self.paths) || now.as_ref().map(FileKey::of) != key
    }

    /// Whether the metadata of the folder and of the file prove that the board is the one in memory.
    fn is_current(&self) -> bool {
        self.paths.are_current() && self.current.is_current(&self.paths)
    }

    /// Reads the file again unless it is the one in memory. Where it is, and that no link leads out of the project, is
    /// found out anew, too.
    pub(crate) fn refresh(&mut self) -> Result<Arc<Board>, StoreError> {
        let news = if self.is_current() {
            Ok(News::Same)
        } else {
            let found = self.find_files().cloned();
            let found = found.map_err(|error| StoreError::Unreadable {
                reason: words(&error),
            });
            found.and_then(|paths| self.current.look(&paths))
        };
        self.heard(news)
    }

    /// Reads the file, whatever its metadata say. Under the lock those are never trusted.
    fn load(&mut self) -> Result<Arc<Board>, Failure> {
        match self.current.load(&self.paths) {
            Err(Failure::Store(error)) => Ok(self.heard(Err(error))?),
            Ok(news) => Ok(self.heard(Ok(news))?),
            Err(failure) => Err(failure),
        }
    }

    /// Whether the last look left the file alone because somebody was in the middle of writing it.
    pub(crate) fn is_held_back(&self) -> bool {
        self.current.is_held_back()
    }

    fn heard(&mut self, news: Result<News, StoreError>) -> Result<Arc<Board>, StoreError> {
        match news {
            Ok(news) => {
                self.record.keep_vanished(self.current.take_vanished());
                // Watchers are woken, too, when a board can be read again.
                if self.trouble.take().is_some() || news == News::Changed {
                    self.move_revision();
                }
                Ok(self.current.board())
            }
            Err(error) => {
                if matches!(error, StoreError::Vanished { .. }) {
                    self.forget();
                }
                if self.trouble.as_ref() != Some(&error) {
                    self.trouble = Some(error.clone());
                    self.move_revision();
                }
                Err(error)
            }
        }
    }

    /// Makes ready for a batch of changes.
    pub(crate) fn begin(&mut self, writes: &mut [Write]) -> Result<Begun, Failure> {
        self.paths = Paths::of(&self.root)?;
        if !self.paths.folder.exists() {
            // A request that is refused leaves no trace, not even an empty folder.
            let board = self.refresh()?;
            let decided = self.decide(&board, writes);
            if decided.entries.is_empty() {
                let outcomes = decided.outcomes.into_iter();
                return Ok(Begun::Answered(outcomes.map(Ok).collect()));
            }
            setup::create_folder(&self.paths)?;
        }
        Ok(Begun::Lock(Box::new(self.paths.clone())))
    }

    /// Makes a batch of changes durable together, under the lock; one refusal fails only its own request.
    pub(crate) fn attempt(&mut self, lock: Lock, writes: &mut [Write]) -> Result<Answers, Failure> {
        let mut before = self.load()?;
        if self.looked_after.is_due() {
            before = self.merge_replaced(&lock)?;
            self.is_untidy = true;
        }
        let decided = self.decide(&before, writes);
        // What cancels out within a batch has happened all the same.
        if decided.entries.is_empty() {
            return Ok(decided.outcomes.into_iter().map(Ok).collect());
        }
        setup::ignore_what_git_must_not_see(&self.paths);
        self.announce(&decided);
        self.replace_file(lock, before, decided)
    }

    /// Brings into the board what somebody wrote to a file after it was replaced. The history tells of it as of any change
    /// that was made outside.
    fn merge_replaced(&mut self, lock: &Lock) -> Result<Arc<Board>, Failure> {
        while let Some(cache) = self.current.cache()
            && let Some(forced) = replacing::merge_replaced(&self.paths, lock, cache)?
        {
            self.promises.heard(Promise::SurvivesPowerCut, forced);
            self.load()?;
        }
        Ok(self.current.board())
    }

    /// The same where nobody asked for a change, and clearing up.
    pub(crate) fn look_after_replaced(&mut self, lock: &Lock) -> Result<(), Failure> {
        self.load()?;
        self.merge_replaced(lock)?;
        replaced::tidy(&self.paths);
        Ok(())
    }

    fn decide(&mut self, board: &Arc<Board>, writes: &mut [Write]) -> Decided {
        // An undo is a batch of its own: whatever it may select is in the history, or was changed outside.
        let pasts: Vec<Vec<Event>> = writes
            .iter()
            .map(|write| self.select(board, &write.work))
            .collect();
        batch::decide(board, self.revision(), &self.sessions, writes, pasts)
    }

    /// The events that a decision needs.
    fn select(&mut self, board: &Board, work: &Work) -> Vec<Event> {
        let Some(selection) = &work.past else {
            return Vec::new();
        };
        let key = self.current.cache().and_then(|cache| cache.key);
        let reach = self.record.reach(&self.paths, key);
        let outside = self.record.find_outside(&self.paths, &reach, board);
        let past = Past {
            paths: &self.paths,
            up_to: reach.request,
            outside: &outside,
        };
        past.select(selection)
    }

    /// Shows that the sessions are alive that now have tasks in progress. Others only believe what they see locked.
    fn announce(&mut self, decided: &Decided) {
        for entry in &decided.entries {
            // One that was announced already is looked after: somebody may have removed its file.
            let is_known = self.sessions.speaks_for(&entry.by);
            if is_known || entry.change.is_claimed_by(&entry.by) {
                // A session that can't be announced is taken for gone, which is no reason to lose its work.
                drop(self.sessions.announce(&entry.by));
                self.newcomers |= !is_known;
            }
        }
    }

    /// The text that tasks had which come back now: with fields and comments that are not ours.
    fn restored(&self, change: &Change, entries: &[history::Entry]) -> BTreeMap<TaskId, String> {
        // Nothing comes back but what an undo brings back.
        let undone = entries.iter().flat_map(|entry| entry.undoes.iter());
        let undone: BTreeSet<u64> = undone.copied().collect();
        let added = change.tasks.iter().filter(|task| task.before.is_none());
        let added: BTreeSet<TaskId> = added.filter_map(TaskChange::id).collect();
        if undone.is_empty() || added.is_empty() {
            return BTreeMap::new();
        }
        self.record.deleted_texts(&self.paths, &undone, &added)
    }

    fn replace_file(
        &mut self,
        lock: Lock,
        before: Arc<Board>,
        decided: Decided,
    ) -> Result<Answers, Failure> {
        let Decided {
            outcomes,
            mut entries,
            change,
            board,
        } = decided;
        let unexpected = || io::Error::other("the board is not loaded");
        let cache = self.current.cache().ok_or_else(unexpected)?;
        let restored = self.restored(&change, &entries);
        batch::keep_blocks(&mut entries, &cache.loaded);
        let changed: BTreeSet<TaskId> = change.tasks.iter().filter_map(TaskChange::id).collect();
        let mut texts = TextChange {
            all: self
                .record
                .wants_texts(&self.paths, cache.key)
                .then(|| cache.loaded.own_texts_of(|_| true)),
            replaced: cache.loaded.own_texts_of(|id| changed.contains(&id)),
            ..TextChange::default()
        };
        let plan = cache
            .loaded
            .plan(&change, &board, &restored)
            .map_err(|id| {
                let reason = format!("the task {id} can't be written without losing something");
                Failure::Unwritable(StoreError::NotApplied { reason })
            })?;
        let pieces = cache.loaded.pieces(&plan);
        let pieces: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
        let (old_key, was_ours) = (cache.key, cache.loaded.is_ours());
        let made = replacing::replace_board(&self.paths, &lock, Some(cache), &pieces)?;
        let new_key = made.key;
        self.promises.heard(Promise::SurvivesPowerCut, made.forced);
        self.promises.lock(&lock);
        if !was_ours {
            self.notices.push(laid_out_anew());
        }
        // From here on the change is made; what is left is to remember it and to make sure of it.
        let replaced = self
            .current
            .replaced(new_key, |loaded| loaded.apply(plan, Arc::clone(&board)));
        if let Some(cache) = self.current.cache() {
            texts.written = cache.loaded.own_texts_of(|id| changed.contains(&id));
        }
        let mut noted = Noted::default();
        if let Some(new) = new_key {
            let step = Step {
                old: old_key,
                new,
                before: &before,
                after: board,
                entries,
                texts,
            };
            noted = self.record.note(&self.paths, step);
        }
        drop(lock);
        let Noted { retired, file } = noted;
        self.retired.extend(retired);
        self.retired.extend(replaced);
        self.retired.push(before);
        let count = outcomes.iter().map(|outcome| outcome.revision).max();
        self.revision.send_if_modified(|revision| {
            let newer = count.is_some_and(|count| count > *revision);
            *revision = count.unwrap_or(*revision);
            newer
        });
        // Both at once. Nobody waits for the history, which is never the truth.
        if let Some(file) = file {
            self.forcer.begin(file);
        }
        let error = match atomic_file::sync_folder(self.paths.board_folder()) {
            Ok(forced) => {
                self.promises.heard(Promise::SurvivesPowerCut, forced);
                return Ok(outcomes.into_iter().map(Ok).collect());
            }
            Err(error) => error,
        };
        self.forget();
        let unknown = StoreError::OutcomeUnknown {
            reason: words(&error),
        };
        let answer = |outcome: Outcome| match &outcome.verdict {
            Ok(change) if !change.is_empty() => Err(unknown.clone()),
            Ok(_) | Err(_) => Ok(outcome),
        };
        Ok(outcomes.into_iter().map(answer).collect())
    }

    /// Finds the files of the project anew.
    pub(crate) fn find_files(&mut self) -> io::Result<&Paths> {
        self.paths = Paths::of(&self.root)?;
        Ok(&self.paths)
    }

    /// Whether there is a file with a board in it.
    pub(crate) fn has_board(&mut self) -> Result<bool, Failure> {
        match self.load() {
            Ok(_) => Ok(self.paths.board.exists()),
            Err(Failure::Store(StoreError::Vanished { .. })) => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}

/// People who look at the difference that a small change made must not have to wonder.
fn laid_out_anew() -> Finding {
    let says = format!("{BOARD_FILE} was in another layout and is laid out anew");
    Finding::note("board", says).advise(
        "each task has lines of its own now, so that later changes touch no others; no field and no comment is lost",
    )
}
