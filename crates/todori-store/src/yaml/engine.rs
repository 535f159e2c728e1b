//! Reads and writes one project's board. One caller at a time; what happens across processes is settled by the lock
//! and by looking at the file again.
//!
//! A write: take the lock, read the file again and compare it with memory, decide, work out which bytes change, write
//! a temporary file, force it to the disk, look whether somebody who ignores the lock was faster, rename, note the
//! history, give the lock back, force the folder to the disk. Only then is it acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use todori_domain::{
    Board, Change, Decide, Event, Moment, Outcome, Presence as _, Revision, Snapshot, Status,
    StoreError, TaskChange, TaskId, Timestamp, Want,
};
use tokio::sync::watch;

use super::blocks::Loaded;
use super::current::{Current, News};
use super::failure::{Failure, is_transient, words};
use super::file_key::FileKey;
use super::lock::{self, Lock};
use super::paths::{BOARD_FILE, FOLDER, GITIGNORE, Paths};
use super::presence::Sessions;
use super::record::{Record, Step};
use super::session_folder::SessionFolder;
use super::{atomic_file, history, relayout};

/// How often a write starts over after an error that may pass.
const TRIES: usize = 3;
/// How often is looked whether a writer is done that has not noted its change yet.
const LOOKS_AT_WRITER: usize = 25;
/// How often a write starts over because somebody who ignores the lock was faster.
const OVERTAKEN_TRIES: usize = 50;

/// One request to change the board.
pub(crate) struct Write {
    pub(crate) moment: Moment,
    pub(crate) decide: Decide,
}

type Answers = Vec<Result<Outcome, StoreError>>;

#[derive(Debug)]
pub(crate) struct Engine {
    root: PathBuf,
    paths: Paths,
    current: Current,
    sessions: Sessions,
    record: Record,
    revision: watch::Sender<Revision>,
    /// Boards that were replaced. Letting go of a large one takes longer than anything else here that is not the
    /// disk, so it waits until the answers are out.
    retired: Vec<Arc<Board>>,
    /// Set when nobody waits for answers any more.
    stop: Arc<AtomicBool>,
}

/// What a batch of requests comes to.
struct Decided {
    outcomes: Vec<Outcome>,
    entries: Vec<history::Entry>,
    change: Change,
    board: Arc<Board>,
}

impl Engine {
    pub(crate) fn open(root: &Path, stop: Arc<AtomicBool>) -> io::Result<Self> {
        let paths = Paths::of(root)?;
        let sessions = Sessions::new(SessionFolder::of(&paths));
        Ok(Self {
            root: root.to_owned(),
            paths,
            current: Current::default(),
            sessions,
            record: Record::default(),
            revision: watch::Sender::new(Revision(1)),
            retired: Vec::new(),
            stop,
        })
    }

    pub(crate) fn revisions(&self) -> watch::Receiver<Revision> {
        self.revision.subscribe()
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.paths.folder
    }

    pub(crate) fn has_board(&self) -> bool {
        self.paths.board.exists()
    }

    /// What people should know about the files, in one sentence each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let files = [
            (FOLDER, &self.paths.folder),
            (BOARD_FILE, &self.paths.board),
        ];
        let open = files
            .into_iter()
            .filter(|(_, path)| is_open_to_others(path));
        open.map(|(name, _)| format!("{name} is writable by others: chmod go-w {name}"))
            .collect()
    }

    /// Gives away the boards that were replaced, for the caller to drop.
    pub(crate) fn retire(&mut self) -> Vec<Arc<Board>> {
        std::mem::take(&mut self.retired)
    }

    /// Lets go of the sessions whose names end with this mark.
    pub(crate) fn end_sessions(&mut self, mark: &str) {
        self.sessions.dismiss_marked(mark);
    }

    /// Forgets what was read. What is on the disk is the truth.
    pub(crate) fn forget(&mut self) {
        self.record.forget();
        if self.current.forget() {
            // Whether it changed can't be told any more, so that watchers had better look.
            self.revision.send_modify(|revision| revision.0 += 1);
        }
    }

    /// Reads the board without a lock.
    pub(crate) fn snapshot(&mut self, want: Want) -> Result<Snapshot, StoreError> {
        let board = self.refresh()?;
        let live = if want.presence {
            let holders = board.holders().iter();
            holders
                .filter(|session| self.sessions.is_live(session))
                .cloned()
                .collect()
        } else {
            BTreeSet::new()
        };
        let history = self.history(want.history, &board);
        Ok(Snapshot {
            board,
            revision: *self.revision.borrow(),
            history,
            live,
        })
    }

    /// The newest events. What was changed outside is told before the next writer notes it.
    fn history(&self, count: usize, board: &Board) -> Vec<Event> {
        if count == 0 {
            return Vec::new();
        }
        let outside = self.outside(board);
        let mut events: Vec<Event> = outside.iter().flat_map(|entry| entry.events(0)).collect();
        events.extend(history::newest(&self.paths, count));
        events.truncate(count);
        events
    }

    /// What was changed outside and is not noted yet. A writer that has replaced the file notes it right after that: what
    /// is still its own to tell is nobody else's.
    fn outside(&self, board: &Board) -> Option<history::Entry> {
        let key = self.current.cache()?.key;
        self.record.outside(&self.paths, key, board)?;
        let free = (0..LOOKS_AT_WRITER).any(|_| {
            let free = !lock::is_held(&self.paths.lock);
            if !free {
                std::thread::sleep(Duration::from_millis(2));
            }
            free
        });
        let entry = self.record.outside(&self.paths, key, board)?;
        let now = self.paths.board.metadata().ok();
        let same = now.as_ref().map(FileKey::of) == key;
        (free && same).then_some(entry)
    }

    /// Looks whether the file is still the one in memory, and reads it again if it is not.
    pub(crate) fn refresh(&mut self) -> Result<Arc<Board>, StoreError> {
        let news = self.current.refresh(&self.paths);
        self.heard(news)
    }

    /// Reads the file, whatever its metadata say. Under the lock those are never trusted.
    fn load(&mut self) -> Result<Arc<Board>, StoreError> {
        let news = self.current.load(&self.paths);
        self.heard(news)
    }

    fn heard(&mut self, news: Result<News, StoreError>) -> Result<Arc<Board>, StoreError> {
        match news {
            Ok(News::Same) => {}
            Ok(News::Changed) => self.revision.send_modify(|revision| revision.0 += 1),
            Err(error) => {
                if matches!(error, StoreError::Vanished { .. }) {
                    self.forget();
                }
                return Err(error);
            }
        }
        Ok(self.current.board())
    }

    /// Makes a batch of changes durable together; one refusal fails only its own request.
    pub(crate) fn commit(&mut self, writes: &mut [Write]) -> Answers {
        let (mut tries, mut overtaken) = (1, 1);
        let error = loop {
            match self.attempt(writes) {
                Ok(outcomes) => return outcomes,
                Err(Failure::Overtaken) if overtaken < OVERTAKEN_TRIES => overtaken += 1,
                Err(Failure::Io(error)) if tries < TRIES && is_transient(&error) => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(10));
                }
                // One by one, so that only those fail that touch the task that can't be written.
                Err(Failure::Unwritable(_)) if writes.len() > 1 => {
                    let alone = writes.iter_mut().map(std::slice::from_mut);
                    return alone.flat_map(|write| self.commit(write)).collect();
                }
                Err(failure) => break StoreError::from(failure),
            }
        };
        writes.iter().map(|_| Err(error.clone())).collect()
    }

    fn attempt(&mut self, writes: &mut [Write]) -> Result<Answers, Failure> {
        self.paths = Paths::of(&self.root)?;
        if !self.paths.folder.exists() {
            // A request that is refused leaves no trace, not even an empty folder.
            let board = self.refresh()?;
            let decided = self.decide(&board, writes);
            if decided.change.is_empty() {
                return Ok(decided.outcomes.into_iter().map(Ok).collect());
            }
            create_folder(&self.paths)?;
        }
        let lock = Lock::take(&self.paths.lock, &self.stop)?;
        let before = self.load()?;
        let decided = self.decide(&before, writes);
        if decided.change.is_empty() {
            return Ok(decided.outcomes.into_iter().map(Ok).collect());
        }
        ignore_what_git_must_not_see(&self.paths);
        self.announce(&decided);
        self.replace_file(lock, before, decided)
    }

    fn decide(&self, board: &Arc<Board>, writes: &mut [Write]) -> Decided {
        let mut board = Arc::clone(board);
        let mut revision = *self.revision.borrow();
        let mut net: BTreeMap<TaskId, TaskChange> = BTreeMap::new();
        let (mut outcomes, mut entries) = (Vec::new(), Vec::new());
        for write in writes {
            let verdict = (write.decide)(&board, &self.sessions).map(|decision| {
                if !decision.change.is_empty() {
                    board = decision.board;
                    revision.0 += 1;
                    entries.push(history::Entry::new(&write.moment, decision.change.clone()));
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

    /// Shows that the sessions are alive that now have tasks in progress. Others only believe what they see locked.
    fn announce(&mut self, decided: &Decided) {
        for entry in &decided.entries {
            let tasks = entry.change.tasks.iter();
            let mut started = tasks
                .filter_map(|task| task.after.as_ref())
                .filter(|task| task.status == Status::InProgress);
            // One that was announced already is looked after: somebody may have removed its file.
            if self.sessions.speaks_for(&entry.by)
                || started.any(|task| task.assignee.as_ref() == Some(&entry.by))
            {
                // A session that can't be announced is taken for gone, which is no reason to lose its work.
                drop(self.sessions.announce(&entry.by));
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
        history::deleted_blocks(&self.paths, &older)
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
        let path = &self.paths.board;
        let pieces = cache.loaded.pieces(&plan);
        let pieces: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
        let size: usize = pieces.iter().map(|piece| piece.len()).sum();
        if size as u64 > atomic_file::MAX_BYTES {
            // What is too large could be written, but never be read again.
            let reason = "the board would be larger than 64 MB; delete what is done".to_owned();
            return Err(Failure::Store(StoreError::NotApplied { reason }));
        }
        let temporary = self.paths.temporary();
        let prepared = atomic_file::prepare(&temporary, &pieces, mode_of(path))?;
        let now = match path.metadata() {
            Ok(metadata) => Some(FileKey::of(&metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        if now != cache.key {
            return Err(Failure::Overtaken);
        }
        let old_key = cache.key;
        let new_key = prepared.replace(path)?.as_ref().map(FileKey::of);
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
        let Err(error) = atomic_file::sync_folder(self.paths.board_folder()) else {
            return Ok(outcomes.into_iter().map(Ok).collect());
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

    /// Makes sure that there is a board, even if one is gone or its file was emptied.
    pub(crate) fn create(&mut self) -> Result<bool, StoreError> {
        let not_applied = |error: io::Error| StoreError::from(Failure::Io(error));
        self.paths = Paths::of(&self.root).map_err(not_applied)?;
        if self.is_there()? {
            return Ok(false);
        }
        create_folder(&self.paths).map_err(not_applied)?;
        let lock = Lock::take(&self.paths.lock, &self.stop).map_err(Failure::from)?;
        if self.is_there()? {
            return Ok(false);
        }
        ignore_what_git_must_not_see(&self.paths);
        let new = empty_board(&self.paths.board);
        let mode = mode_of(&self.paths.board);
        atomic_file::prepare(&self.paths.temporary(), &[new.bytes()], mode)
            .and_then(|prepared| prepared.replace(&self.paths.board))
            .map_err(not_applied)?;
        drop(lock);
        let unknown = |error: io::Error| StoreError::OutcomeUnknown {
            reason: words(&error),
        };
        atomic_file::sync_folder(self.paths.board_folder()).map_err(unknown)?;
        self.forget();
        Ok(true)
    }

    /// Whether there is a file with a board in it.
    fn is_there(&mut self) -> Result<bool, StoreError> {
        match self.load() {
            Ok(_) => Ok(self.paths.board.exists()),
            Err(StoreError::Vanished { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// A board without tasks, in the place of a file that has no board in it: what somebody left there stays.
fn empty_board(path: &Path) -> Loaded {
    let left = atomic_file::open(path).and_then(|file| atomic_file::read(&file));
    let left = left.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let written = Timestamp::UNIX_EPOCH;
    left.and_then(|left| relayout::relayout(&left, &Board::default(), written))
        .unwrap_or_else(Loaded::empty)
}

/// Who may read and write the file: as it was, or nobody else.
fn mode_of(path: &Path) -> u32 {
    path.metadata()
        .map_or(0o600, |metadata| metadata.mode() & 0o777)
}

/// Creates `.todori`.
fn create_folder(paths: &Paths) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(&paths.folder) {
        Ok(()) => atomic_file::sync_folder(&paths.root),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Tells git what must not be committed, wherever nobody has told it yet. Only under the lock: the temporary file is
/// the board's own, which git does not see either if a crash leaves it.
fn ignore_what_git_must_not_see(paths: &Paths) {
    if paths.gitignore.symlink_metadata().is_err() {
        let temporary = paths.folder.join(".tasks.yaml.tmp");
        // That it can't be written is no reason to refuse what was asked for.
        drop(atomic_file::replace_lightly(
            &paths.gitignore,
            &temporary,
            GITIGNORE,
        ));
    }
}

/// Whether somebody else than the owner may write here. A group of the same number as its user has nobody else in it.
fn is_open_to_others(path: &Path) -> bool {
    const GROUP: u32 = 0o020;
    const EVERYBODY: u32 = 0o002;
    path.metadata().is_ok_and(|found| {
        let shared = if found.gid() == found.uid() {
            EVERYBODY
        } else {
            EVERYBODY | GROUP
        };
        found.mode() & shared != 0
    })
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
