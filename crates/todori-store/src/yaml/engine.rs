//! Reads and writes one project's board. One caller at a time; what happens across processes is settled by the lock
//! and by looking at the file again.
//!
//! A write: take the lock, read the file again and compare it with memory (a half is not decided on), merge what somebody
//! wrote to a file that was replaced, decide, work out which bytes change, put them in place of the file (`replacing`),
//! note the history, give the lock back, force the folder to the disk. Only then is it acknowledged. What is taken away
//! in between by others makes it start over (`queue`).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use todori_domain::{
    Board, Change, Event, Moment, Outcome, Presence as _, Revision, SessionName, Situation,
    Snapshot, StoreError, TaskChange, TaskId, Want, Work,
};
use tokio::sync::watch;

use super::blocks::Loaded;
use super::current::{Current, News};
use super::failure::{Failure, words};
use super::file_key::FileKey;
use super::lock::{self, Lock};
use super::past::{self, Past};
use super::paths::Paths;
use super::presence::{InBatch, SessionLocks};
use super::promises::{Promise, Promises};
use super::record::{Reach, Record, Step};
use super::replaced::LastLook;
use super::session_folder::SessionFolder;
use super::{atomic_file, history, replaced, replacing, setup};

/// One request to change the board.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) moment: Moment,
    pub(crate) work: Work,
}

pub(crate) type Answers = Vec<Result<Outcome, StoreError>>;

#[derive(Debug)]
pub(crate) struct Engine {
    root: PathBuf,
    paths: Paths,
    current: Current,
    sessions: SessionLocks,
    record: Record,
    promises: Promises,
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

/// What a batch of requests comes to.
struct Decided {
    outcomes: Vec<Outcome>,
    entries: Vec<history::Entry>,
    change: Change,
    board: Arc<Board>,
}

/// What must be done before a batch can be decided on.
pub(crate) enum Begun {
    /// Nothing: it is answered already, since nothing changes.
    Answered(Answers),
    /// Take the lock of this board.
    Lock(Box<Paths>),
}

impl Engine {
    pub(crate) fn open(root: &Path, revision: watch::Sender<Revision>) -> io::Result<Self> {
        let paths = Paths::of(root)?;
        let sessions = SessionLocks::new(SessionFolder::of(&paths));
        Ok(Self {
            root: root.to_owned(),
            paths,
            current: Current::default(),
            sessions,
            record: Record::default(),
            promises: Promises::default(),
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

    /// What the file system does not offer, and was not told yet.
    pub(crate) fn promises(&mut self) -> &mut Promises {
        &mut self.promises
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
        if want.history.limit > 0 || !self.current.is_current(&self.paths) {
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
            Reach {
                gap: None,
                request: 0,
            }
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

    /// Reads the file again unless it is the one in memory.
    pub(crate) fn refresh(&mut self) -> Result<Arc<Board>, StoreError> {
        let news = self.current.refresh(&self.paths);
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
        let mut board = Arc::clone(board);
        let mut revision = self.revision();
        let mut net: BTreeMap<TaskId, TaskChange> = BTreeMap::new();
        let (mut outcomes, mut entries) = (Vec::new(), Vec::new());
        // An undo is a batch of its own: whatever it may select is in the history, or was changed outside.
        let pasts: Vec<Vec<Event>> = writes
            .iter()
            .map(|write| self.select(&board, &write.work))
            .collect();
        let mut presence = InBatch::new(&self.sessions);
        for (write, past) in writes.iter_mut().zip(pasts) {
            let situation = Situation {
                board: &board,
                presence: &presence,
                past: &past,
            };
            let verdict = (write.work.decide)(&situation).map(|decision| {
                if !decision.change.is_empty() {
                    board = decision.board;
                    revision.0 += 1;
                    let author = &write.moment.actor.session;
                    if decision.change.is_claimed_by(author) {
                        presence.newcomers.insert(author.clone());
                    }
                    let change = decision.change.clone();
                    entries.push(history::Entry::new(&write.moment, change, decision.undoes));
                    for task in &decision.change.tasks {
                        let Some(id) = task.id() else { continue };
                        net.entry(id)
                            .and_modify(|known| known.after.clone_from(&task.after))
                            .or_insert_with(|| task.clone());
                    }
                }
                decision.change
            });
            outcomes.push(Outcome {
                verdict,
                board: Arc::clone(&board),
                revision,
                past,
            });
        }
        let tasks = net
            .into_values()
            .filter(|task| task.before != task.after)
            .collect();
        Decided {
            outcomes,
            entries,
            change: Change { tasks },
            board,
        }
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
            outside: outside.as_deref(),
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
        let now = entries.iter().map(|entry| entry.at).min();
        let added = change.tasks.iter().filter(|task| task.before.is_none());
        let added = added.filter_map(|task| task.after.as_ref());
        // What is really new is made in this moment.
        let older: BTreeSet<TaskId> = added
            .filter(|task| now.is_some_and(|now| task.created < now))
            .map(|task| task.id)
            .collect();
        if older.is_empty() {
            return BTreeMap::new();
        }
        past::deleted_blocks(&self.paths, &older)
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
        keep_blocks(&mut entries, &cache.loaded);
        let plan = cache
            .loaded
            .plan(&change, &board, &restored)
            .map_err(|id| {
                let reason = format!("the task {id} can't be written without losing something");
                Failure::Unwritable(StoreError::NotApplied { reason })
            })?;
        let pieces = cache.loaded.pieces(&plan);
        let pieces: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
        let old_key = cache.key;
        let made = replacing::replace_board(&self.paths, &lock, Some(cache), &pieces)?;
        let new_key = made.key;
        self.promises.heard(Promise::SurvivesPowerCut, made.forced);
        self.promises.lock(&lock);
        // From here on the change is made; what is left is to remember it and to make sure of it.
        let replaced = self
            .current
            .replaced(new_key, |loaded| loaded.apply(plan, Arc::clone(&board)));
        if let Some(new) = new_key {
            let step = Step {
                old: old_key,
                new,
                before: &before,
                after: board,
                entries,
            };
            self.retired.extend(self.record.note(&self.paths, step));
        }
        drop(lock);
        self.retired.extend(replaced);
        self.retired.push(before);
        let count = outcomes.iter().map(|outcome| outcome.revision).max();
        self.revision.send_if_modified(|revision| {
            let newer = count.is_some_and(|count| count > *revision);
            *revision = count.unwrap_or(*revision);
            newer
        });
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

    /// Finds the files of the project anew, for making a board.
    pub(crate) fn find_files(&mut self) -> Result<&Paths, Failure> {
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

/// Keeps the text of tasks that are deleted, where it holds more than we would write.
fn keep_blocks(entries: &mut [history::Entry], loaded: &Loaded) {
    for entry in entries {
        let gone = entry
            .change
            .tasks
            .iter()
            .filter(|task| task.after.is_none());
        let gone: Vec<TaskId> = gone.filter_map(TaskChange::id).collect();
        for id in gone {
            if let Some(text) = loaded.own_text(id) {
                entry.blocks.insert(id, text.to_owned());
            }
        }
    }
}
