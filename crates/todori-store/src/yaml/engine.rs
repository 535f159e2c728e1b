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
use std::time::Duration;

use todori_domain::{
    Board, Change, Decide, Moment, Outcome, Position, Presence as _, Revision, SessionName,
    Snapshot, Status, StoreError, TaskChange, TaskId, Want,
};
use tokio::sync::watch;

use super::atomic_file;
use super::blocks::Loaded;
use super::file_key::FileKey;
use super::history;
use super::lock::{Lock, LockError, PATIENCE};
use super::paths::{BOARD_FILE, GITIGNORE, Paths};
use super::presence::Sessions;
use super::syntax::Fault;

/// How often a write starts over after an error that may pass.
const TRIES: usize = 3;
/// How often a write starts over because somebody who ignores the lock was faster.
const OVERTAKEN_TRIES: usize = 50;
/// How long a file may be gone while git replaces it.
const GONE_FOR: Duration = Duration::from_millis(100);

/// One request to change the board.
pub(crate) struct Write {
    pub(crate) moment: Moment,
    pub(crate) decide: Decide,
}

#[derive(Debug)]
pub(crate) struct Engine {
    root: PathBuf,
    paths: Paths,
    cache: Option<Cache>,
    /// Whether the file was ever there.
    seen: bool,
    sessions: Sessions,
    /// The board as the history knows it, and the state of the file that it was read from.
    recorded: Option<(String, Arc<Board>)>,
    revision: watch::Sender<Revision>,
}

#[derive(Debug)]
struct Cache {
    loaded: Loaded,
    /// None while there is no file.
    key: Option<FileKey>,
    /// Whether an equal key proves that the file is the same.
    settled: bool,
}

/// Why an attempt to write did not come to its end. Nothing was changed.
enum Failure {
    /// Somebody who ignores the lock replaced the file meanwhile.
    Overtaken,
    Io(io::Error),
    Store(StoreError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What a batch of requests comes to.
struct Decided {
    outcomes: Vec<Outcome>,
    entries: Vec<history::Entry>,
    change: Change,
    board: Arc<Board>,
}

impl Engine {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let paths = Paths::of(root)?;
        let sessions = Sessions::new(paths.sessions.clone());
        Ok(Self {
            root: root.to_owned(),
            paths,
            cache: None,
            seen: false,
            sessions,
            recorded: None,
            revision: watch::Sender::new(Revision(1)),
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

    /// Forgets what was read. What is on the disk is the truth.
    pub(crate) fn forget(&mut self) {
        self.recorded = None;
        if self.cache.take().is_some() {
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
        let history = history::newest(&self.paths, want.history);
        Ok(Snapshot {
            board,
            revision: *self.revision.borrow(),
            history,
            live,
        })
    }

    /// Looks whether the file is still the one in memory, and reads it again if it is not.
    pub(crate) fn refresh(&mut self) -> Result<Arc<Board>, StoreError> {
        match self.paths.board.metadata() {
            Ok(metadata) => {
                let key = FileKey::of(&metadata);
                match &self.cache {
                    Some(cache) if cache.settled && cache.key == Some(key) => {}
                    _ => drop(self.load()?),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.find_missing()?,
            Err(error) => {
                return Err(StoreError::Unreadable {
                    reason: words(&error),
                });
            }
        }
        Ok(self.board())
    }

    fn board(&self) -> Arc<Board> {
        self.cache
            .as_ref()
            .map(|cache| Arc::clone(&cache.loaded.board))
            .unwrap_or_default()
    }

    /// Reads the file, whatever its metadata say, and compares it with what is in memory.
    fn load(&mut self) -> Result<FileKey, StoreError> {
        let mut tries = 1;
        loop {
            match self.load_once() {
                // An editor that writes in place shows half a file for a moment.
                Err(Unread::Broken(_, key)) if tries < TRIES && !key.is_settled() => {}
                Err(Unread::Io(error)) if tries < TRIES && is_transient(&error) => {}
                Err(Unread::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                    self.find_missing()?;
                }
                Err(Unread::Broken(Fault { at, reason }, _)) => {
                    return Err(StoreError::Broken {
                        file: BOARD_FILE.to_owned(),
                        at,
                        reason,
                    });
                }
                Err(Unread::Io(error)) => {
                    return Err(StoreError::Unreadable {
                        reason: words(&error),
                    });
                }
                Ok(key) => return Ok(key),
            }
            tries += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn load_once(&mut self) -> Result<FileKey, Unread> {
        let file = atomic_file::open(&self.paths.board)?;
        let key = FileKey::of(&file.metadata()?);
        self.seen = true;
        if let Some(cache) = &mut self.cache
            && cache.key.is_some()
            && atomic_file::holds(&file, cache.loaded.text.as_bytes())?
        {
            (cache.key, cache.settled) = (Some(key), key.is_settled());
            return Ok(key);
        }
        let bytes = atomic_file::read(&atomic_file::open(&self.paths.board)?)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| Unread::Broken(not_utf8(error.as_bytes(), error.utf8_error()), key))?;
        let written = key.modified();
        let loaded = match &self.cache {
            Some(cache) => cache.loaded.read_again(text, written),
            None => Loaded::read(text, written),
        };
        let loaded = loaded.map_err(|fault| Unread::Broken(fault, key))?;
        let changed = self
            .cache
            .as_ref()
            .is_some_and(|cache| cache.loaded.board != loaded.board);
        self.cache = Some(Cache {
            loaded,
            key: Some(key),
            settled: false,
        });
        if changed {
            self.revision.send_modify(|revision| revision.0 += 1);
        }
        Ok(key)
    }

    /// There is no file: an empty board if there never was one, else a moment's patience, and then an error. An empty
    /// board never takes the place of one that was there.
    fn find_missing(&mut self) -> Result<(), StoreError> {
        if self.seen || history::exists(&self.paths) {
            let step = GONE_FOR / 10;
            for _ in 0..10 {
                std::thread::sleep(step);
                if self.paths.board.exists() {
                    return self.load().map(drop);
                }
            }
            self.forget();
            return Err(StoreError::Vanished {
                file: BOARD_FILE.to_owned(),
            });
        }
        if self.cache.is_none() {
            self.cache = Some(Cache {
                loaded: Loaded::empty(),
                key: None,
                settled: false,
            });
        }
        Ok(())
    }

    /// Makes a batch of changes durable together; one refusal fails only its own request.
    pub(crate) fn commit(&mut self, writes: &mut [Write]) -> Vec<Result<Outcome, StoreError>> {
        let (mut tries, mut overtaken) = (1, 1);
        let error = loop {
            match self.attempt(writes) {
                Ok(outcomes) => return outcomes,
                Err(Failure::Overtaken) if overtaken < OVERTAKEN_TRIES => overtaken += 1,
                Err(Failure::Overtaken) => {
                    let reason = "another program keeps replacing the file".to_owned();
                    break StoreError::NotApplied { reason };
                }
                Err(Failure::Io(error)) if tries < TRIES && is_transient(&error) => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(Failure::Io(error)) => {
                    break StoreError::NotApplied {
                        reason: words(&error),
                    };
                }
                Err(Failure::Store(error)) => break error,
            }
        };
        writes.iter().map(|_| Err(error.clone())).collect()
    }

    fn attempt(
        &mut self,
        writes: &mut [Write],
    ) -> Result<Vec<Result<Outcome, StoreError>>, Failure> {
        self.paths = Paths::of(&self.root)?;
        if !self.paths.folder.exists() {
            // A request that is refused leaves no trace, not even an empty folder.
            let board = self.refresh().map_err(Failure::Store)?;
            let decided = self.decide(&board, writes);
            if decided.change.is_empty() {
                return Ok(decided.outcomes.into_iter().map(Ok).collect());
            }
            create_folder(&self.paths)?;
        }
        let lock = Lock::take(&self.paths.lock).map_err(|error| match error {
            LockError::Busy => Failure::Store(StoreError::Busy {
                seconds: PATIENCE.as_secs(),
            }),
            LockError::Io(error) => Failure::Io(error),
        })?;
        self.load_locked().map_err(Failure::Store)?;
        let before = self.board();
        let decided = self.decide(&before, writes);
        if decided.change.is_empty() {
            return Ok(decided.outcomes.into_iter().map(Ok).collect());
        }
        self.announce(&decided);
        self.replace_file(lock, &before, decided)
    }

    /// Under the lock, metadata are never trusted.
    fn load_locked(&mut self) -> Result<(), StoreError> {
        if self.paths.board.exists() {
            self.load().map(drop)
        } else {
            self.refresh().map(drop)
        }
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
            let started = entry
                .change
                .tasks
                .iter()
                .filter_map(|task| task.after.as_ref());
            let mut started = started.filter(|task| task.status == Status::InProgress);
            if started.any(|task| task.assignee.as_ref() == Some(&entry.by)) {
                // A session that can't be announced is taken for gone, which is no reason to lose its work.
                drop(self.sessions.announce(&entry.by));
            }
        }
    }

    fn replace_file(
        &mut self,
        lock: Lock,
        before: &Arc<Board>,
        decided: Decided,
    ) -> Result<Vec<Result<Outcome, StoreError>>, Failure> {
        let Decided {
            outcomes,
            entries,
            change,
            board,
        } = decided;
        let unexpected = || io::Error::other("the board is not loaded");
        let cache = self.cache.as_mut().ok_or_else(unexpected)?;
        let plan = cache.loaded.plan(&change, &board).map_err(|id| {
            let reason = format!("the task {id} can't be written without losing something");
            Failure::Store(StoreError::NotApplied { reason })
        })?;
        let (path, temporary) = (&self.paths.board, self.paths.temporary());
        let mode = path
            .metadata()
            .map_or(0o600, |metadata| metadata.mode() & 0o777);
        let pieces = pieces(&cache.loaded.text, &plan.edits);
        let file = atomic_file::prepare(&temporary, &pieces, mode).inspect_err(|_| {
            drop(std::fs::remove_file(&temporary));
        })?;
        let now = match path.metadata() {
            Ok(metadata) => Some(FileKey::of(&metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        if now != cache.key {
            drop(std::fs::remove_file(&temporary));
            return Err(Failure::Overtaken);
        }
        atomic_file::replace(&temporary, path).inspect_err(|_| {
            drop(std::fs::remove_file(&temporary));
        })?;
        // From here on the change is made; what is left is to remember it and to make sure of it.
        self.seen = true;
        let old_key = cache.key;
        cache.loaded.apply(plan, Arc::clone(&board));
        cache.key = file.metadata().ok().map(|metadata| FileKey::of(&metadata));
        cache.settled = false;
        let new_key = cache.key;
        self.record(old_key, new_key, before, board, entries);
        drop(lock);
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

    /// Notes what was changed, and before that what somebody changed outside since the last note.
    fn record(
        &mut self,
        old_key: Option<FileKey>,
        new_key: Option<FileKey>,
        before: &Arc<Board>,
        after: Arc<Board>,
        entries: Vec<history::Entry>,
    ) {
        let (Some(new_key), old_stamp) = (new_key, old_key.map(|key| key.stamp())) else {
            return;
        };
        let mut lines = Vec::new();
        if let (Some(last), Some(stamp)) = (history::last_stamp(&self.paths), old_stamp)
            && last != stamp
        {
            let known = self.recorded.as_ref().filter(|(known, _)| *known == last);
            let known = known.map(|(_, board)| &**board);
            let change = history::outside_change(&self.paths, known, before);
            if !change.is_empty() {
                let at = old_key.map_or(new_key.modified(), |key| key.modified());
                let by = SessionName::new(history::OUTSIDE);
                lines.push(history::Entry {
                    at,
                    by,
                    client: None,
                    change,
                });
            }
        }
        lines.extend(entries);
        // The history is never the truth: if it can't be written, the next writer notes what is missing.
        if history::append(&self.paths, &lines, &new_key.stamp()).is_ok() {
            self.recorded = Some((new_key.stamp(), after));
        }
    }

    /// Makes sure that there is a board, even if one is gone.
    pub(crate) fn create(&mut self) -> Result<bool, StoreError> {
        let not_applied = |error: io::Error| StoreError::NotApplied {
            reason: words(&error),
        };
        self.paths = Paths::of(&self.root).map_err(not_applied)?;
        if self.paths.board.exists() {
            self.load()?;
            return Ok(false);
        }
        create_folder(&self.paths).map_err(not_applied)?;
        let lock = Lock::take(&self.paths.lock).map_err(|error| match error {
            LockError::Busy => StoreError::Busy {
                seconds: PATIENCE.as_secs(),
            },
            LockError::Io(error) => not_applied(error),
        })?;
        if self.paths.board.exists() {
            return Ok(false);
        }
        let temporary = self.paths.temporary();
        let empty = Loaded::empty();
        atomic_file::prepare(&temporary, &[empty.text.as_bytes()], 0o600).map_err(not_applied)?;
        atomic_file::replace(&temporary, &self.paths.board).map_err(not_applied)?;
        drop(lock);
        let unknown = |error: io::Error| StoreError::OutcomeUnknown {
            reason: words(&error),
        };
        atomic_file::sync_folder(self.paths.board_folder()).map_err(unknown)?;
        self.forget();
        Ok(true)
    }
}

/// Why the file could not be read.
enum Unread {
    Io(io::Error),
    Broken(Fault, FileKey),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The new text in pieces: what stays is written from where it is, without copying it first.
fn pieces<'a>(text: &'a str, edits: &'a [super::blocks::Edit]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::with_capacity(edits.len() * 2 + 1);
    let mut at = 0;
    for edit in edits {
        pieces.push(
            text.as_bytes()
                .get(at..edit.range.start)
                .unwrap_or_default(),
        );
        pieces.push(edit.text.as_bytes());
        at = edit.range.end;
    }
    pieces.push(text.as_bytes().get(at..).unwrap_or_default());
    pieces
}

/// Creates `.todori` with what git must not see of it.
fn create_folder(paths: &Paths) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(&paths.folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error),
    }
    atomic_file::create_if_missing(&paths.folder.join(".gitignore"), GITIGNORE)?;
    atomic_file::sync_folder(&paths.root)
}

fn not_utf8(bytes: &[u8], error: std::str::Utf8Error) -> Fault {
    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let line_start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let in_line = String::from_utf8_lossy(before.get(line_start..).unwrap_or_default());
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let at = Position {
        line,
        column: in_line.chars().count() + 1,
    };
    Fault::new(at, "this is not text in UTF-8")
}

/// Errors that may pass by themselves.
fn is_transient(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let passing = [
        Errno::INTR,
        Errno::AGAIN,
        Errno::BUSY,
        Errno::STALE,
        Errno::TXTBSY,
        Errno::IO,
        Errno::MFILE,
        Errno::NFILE,
    ];
    Errno::from_io_error(error).is_some_and(|errno| passing.contains(&errno))
}

/// What the system said, in words that name no paths.
fn words(error: &io::Error) -> String {
    const KNOWN: [(io::ErrorKind, &str); 4] = [
        (io::ErrorKind::StorageFull, "the disk is full"),
        (io::ErrorKind::QuotaExceeded, "the disk quota is used up"),
        (io::ErrorKind::ReadOnlyFilesystem, "the disk is read-only"),
        (io::ErrorKind::PermissionDenied, "permission was denied"),
    ];
    let known = KNOWN.iter().find(|(kind, _)| *kind == error.kind());
    match (known, error.raw_os_error()) {
        (Some((_, words)), _) => (*words).to_owned(),
        (None, Some(_)) => error.kind().to_string(),
        (None, None) => error.to_string(),
    }
}
