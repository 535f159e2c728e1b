//! The embedded store: `.todori/tasks.yaml`, shared by any number of processes and people with editors.

pub(crate) mod atomic_file;
mod blocks;
mod current;
mod diagnosis;
mod document;
mod emit;
mod engine;
mod failure;
mod file_key;
#[cfg(test)]
mod format_tests;
mod history;
#[cfg(test)]
mod layout_tests;
mod line_ends;
mod lines;
mod lock;
mod merge;
mod other_layouts;
mod past;
mod paths;
mod plan;
mod presence;
mod published;
mod queue;
mod quick;
mod record;
mod relayout;
#[cfg(test)]
mod relayout_tests;
mod retain;
mod session_folder;
mod session_lists;
mod setup;
mod split;
mod syntax;
pub(crate) mod value;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::Duration;

use todori_domain::{
    BoardIdentity, BoardKey, CommittedFile, Created, Finding, HistoryQuery, Moment, Outcome,
    Promise, Revision, SessionEnd, SessionName, Sessions, Snapshot, Store, StoreDescription,
    StoreError, Want, Work,
};
use tokio::sync::{oneshot, watch as revision};

use self::engine::{BoardRead, Engine, Write};
use self::failure::NO_BOARD_ADVICE;
use self::history::Entry;
pub use self::merge::{MergeError, MergedFile, Version, merge_files};
use self::past::Past;
use self::paths::BOARD_FILE;
use self::queue::Queue;
use self::record::{Gap, Outside};
use self::session_lists::SessionLists;
use crate::address::Host;
use crate::locator::{LocateError, Origin, find_project, how_found};
use crate::revisions::past;
use crate::worker::{NotDone, Worker};

/// How many times to poll for a writer that has renamed the file but not yet appended its history entry, and how often.
const POLLS_FOR_WRITER: usize = 25;
const POLL_EVERY: Duration = Duration::from_millis(2);

/// So many of the newest events are read in no time.
const SHORT: usize = 1_000;

/// Keeps a project's board in `.todori/tasks.yaml`, and the lists of sessions in files beside it.
///
/// A few threads, each started when it is first needed: one makes changes and reads the board, in the order of the
/// requests (`queue`), two read the history, one looks after the lists of sessions. Whoever asks never waits for a disk.
/// What is in memory, and is proved by the metadata of the file to be current, is answered at once.
#[derive(Debug)]
pub(crate) struct YamlStore {
    queue: Queue,
    /// For what takes a while: all of the history, or a search in it.
    searches: Arc<Worker>,
    /// For what is short: the newest events, names, descriptions.
    reader: Arc<Worker>,
    lists: Arc<Worker>,
    watching: Once,
    shared: Arc<Shared>,
}

/// What the threads of a store share.
#[derive(Debug)]
pub(crate) struct Shared {
    origin: Origin,
    /// There once the project is found.
    engine: OnceLock<Mutex<Engine>>,
    revision: revision::Sender<Revision>,
    sessions: Arc<Mutex<SessionLists>>,
    /// Tells the queue to wait for nothing any more.
    stop: AtomicBool,
}

impl Shared {
    /// The board's engine: looked for when first needed, and again as long as there is no project, so that a server
    /// that was started too early finds the project that is made later.
    fn engine(&self) -> Result<&Mutex<Engine>, StoreError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        self.open(&self.root()?)
    }

    fn open(&self, root: &Path) -> Result<&Mutex<Engine>, StoreError> {
        let engine = Engine::open(root, self.revision.clone());
        let engine = engine.map_err(|error| StoreError::Unreadable {
            reason: error.to_string(),
        })?;
        Ok(self.engine.get_or_init(|| {
            // Whoever waits for a project to come is told that it is there.
            self.revision.send_modify(|revision| revision.0 += 1);
            Mutex::new(engine)
        }))
    }

    /// The project's folder.
    fn root(&self) -> Result<PathBuf, StoreError> {
        find_project(&self.origin).map_err(|error| StoreError::NoBoard {
            advice: match &error {
                LocateError::NoSuchFolder(_) => "make the folder first".to_owned(),
                LocateError::NotFound(_) => NO_BOARD_ADVICE.to_owned(),
            },
            reason: error.to_string(),
        })
    }

    /// Where a project would begin that is not there yet.
    fn beginning(&self) -> Result<PathBuf, StoreError> {
        match (self.root(), &self.origin) {
            (Ok(root), _) => Ok(root),
            (Err(_), Origin::From(here)) => Ok(here.clone()),
            (Err(error), Origin::Given(_)) => Err(error),
        }
    }

    /// Looks who is there, if somebody waits to know.
    fn refresh_sessions_if_watched(&self) {
        let mut sessions = locked(&self.sessions);
        if sessions.is_watched() {
            sessions.refresh();
        }
    }

    /// Reads the board; the history is for `add_history` to read.
    fn look(&self, want: &Want) -> Result<BoardRead, StoreError> {
        locked(self.engine()?).look(want)
    }

    /// Reads what is wanted of the history of a board that was read.
    ///
    /// A writer that has replaced the file notes its change right after that, before it gives the lock back. So what the
    /// history does not know was changed outside only if it is still unknown after a moment at which nobody had the lock.
    fn add_history(&self, mut read: BoardRead, want: &Want) -> Result<Snapshot, StoreError> {
        let engine = self.engine()?;
        let mut was_outside = false;
        for _ in 0..POLLS_FOR_WRITER {
            if read.reach.gap.is_none() || was_outside {
                break;
            }
            let is_settled = !locked(engine).is_unsettled();
            if !is_settled {
                std::thread::sleep(POLL_EVERY);
            }
            let again = locked(engine).look(want)?;
            was_outside = is_settled && again.reach.gap == read.reach.gap;
            read = again;
        }
        let outside = match &read.reach.gap {
            Some(gap) if was_outside => find_outside(engine, gap, &read),
            Some(_) | None => None,
        };
        let past = Past {
            paths: &read.paths,
            up_to: read.reach.request,
            outside: outside.as_deref(),
        };
        let history = past.page(&want.history);
        Ok(Snapshot {
            history,
            ..read.snapshot
        })
    }

    fn describe(&self) -> Result<StoreDescription, StoreError> {
        let root = self.root()?;
        let engine = self.engine()?;
        Ok(StoreDescription {
            kind: format!("a file in the project's folder, {BOARD_FILE}"),
            location: how_found(&root, &self.origin),
            committed_file: Some(CommittedFile {
                folder: root.display().to_string(),
                name: BOARD_FILE.to_owned(),
            }),
            warnings: diagnosis::warnings(locked(engine).paths()),
        })
    }

    fn diagnose(&self) -> Vec<Finding> {
        let unread = |error: &StoreError| vec![Finding::problem("board", error.to_string())];
        let engine = match self.engine() {
            Ok(engine) => engine,
            Err(StoreError::NoBoard { .. }) => return Vec::new(),
            Err(error) => return unread(&error),
        };
        let (read, paths) = {
            let mut engine = locked(engine);
            (engine.refresh(), engine.paths().clone())
        };
        diagnosis::examine(&paths, read.as_ref().map(|_| ()))
    }
}

/// What was changed outside. Nobody has to wait for the comparison but whoever asks for the history.
fn find_outside(engine: &Mutex<Engine>, gap: &Gap, read: &BoardRead) -> Option<Arc<Entry>> {
    let outside = locked(engine).record().outside(gap);
    match outside {
        Outside::Known(entry) => entry,
        Outside::Compare(comparison) => {
            let entry = comparison.run(&read.paths, &read.snapshot.board);
            let mut engine = locked(engine);
            engine.record().remember_outside(gap.clone(), entry.clone());
            entry
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl YamlStore {
    /// Looks nowhere yet.
    pub(crate) fn new(origin: Origin, host: Host) -> Self {
        let Host {
            session_lifetime,
            runtime_folder,
        } = host;
        let sessions = SessionLists::new(origin.clone(), session_lifetime, runtime_folder);
        let shared = Arc::new(Shared {
            origin,
            engine: OnceLock::new(),
            revision: revision::Sender::new(Revision(1)),
            sessions: Arc::new(Mutex::new(sessions)),
            stop: AtomicBool::new(false),
        });
        Self {
            queue: Queue::new(Arc::clone(&shared)),
            searches: Arc::new(Worker::new("todori-search")),
            reader: Arc::new(Worker::new("todori-read")),
            lists: Arc::new(Worker::new("todori-lists")),
            watching: Once::new(),
            shared,
        }
    }

    /// What can be answered without reading anything.
    fn at_hand(&self, want: &Want) -> Option<Snapshot> {
        if !self.queue.is_empty() {
            return None;
        }
        // Whoever holds the engine is reading or writing.
        let engine = self.shared.engine.get()?.try_lock().ok()?;
        engine.at_hand(want)
    }

    /// Reads the project's board in its turn: it sees the changes that were asked for before it, and none after it.
    fn read_project(&self, want: Want) -> Promise<'static, Result<Snapshot, StoreError>> {
        let (answer, answered) = oneshot::channel();
        let reader = if is_short(&want.history) {
            &self.reader
        } else {
            &self.searches
        };
        let (shared, reader) = (Arc::clone(&self.shared), Arc::clone(reader));
        let handed_over = self.queue.turn(move || {
            let read = match shared.look(&want) {
                Ok(look) if want.history.limit > 0 => {
                    // Changes do not wait for what may take longer.
                    Ok(Read::Begun(
                        reader.run(move || shared.add_history(look, &want)),
                    ))
                }
                Ok(look) => Ok(Read::Done(look.snapshot)),
                Err(error) => Err(error),
            };
            drop(answer.send(read));
        });
        Box::pin(async move {
            handed_over?;
            let stopped = |_| unreadable(NotDone("the store has stopped".to_owned()));
            match answered.await.map_err(stopped)?? {
                Read::Done(snapshot) => Ok(snapshot),
                Read::Begun(rest) => rest.await.map_err(unreadable)?,
            }
        })
    }

    /// Does something on the thread that reads.
    fn on_reader<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Shared) -> Result<T, StoreError> + Send + 'static,
    ) -> Promise<'static, Result<T, StoreError>> {
        let shared = Arc::clone(&self.shared);
        let done = self.reader.run(move || act(&shared));
        Box::pin(async move { done.await.map_err(unreadable)? })
    }

    /// Does something in the queue of changes, when its turn comes.
    fn in_queue<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Shared) -> Result<T, StoreError> + Send + 'static,
    ) -> Promise<'static, Result<T, StoreError>> {
        let shared = Arc::clone(&self.shared);
        let (answer, answered) = oneshot::channel();
        let handed_over = self.queue.turn(move || drop(answer.send(act(&shared))));
        Box::pin(async move {
            handed_over?;
            let gone = |_| StoreError::OutcomeUnknown {
                reason: "the store has stopped".to_owned(),
            };
            answered.await.map_err(gone)?
        })
    }

    /// Does something with the lists of sessions.
    fn with_lists<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut SessionLists) -> T + Send + 'static,
    ) -> Promise<'static, Result<T, StoreError>> {
        let shared = Arc::clone(&self.shared);
        let done = self.lists.run(move || act(&mut locked(&shared.sessions)));
        Box::pin(async move { done.await.map_err(unreadable) })
    }

    /// Begins to look for what others change. Without a thread there is no news; those who read still see what is new.
    fn watch(&self) {
        self.watching.call_once(|| {
            let store = Arc::downgrade(&self.shared);
            let watcher = std::thread::Builder::new().name("todori-watch".to_owned());
            drop(watcher.spawn(move || watch::run(&store)));
        });
    }
}

/// Whether a question is answered by the end of the history.
fn is_short(query: &HistoryQuery) -> bool {
    let HistoryQuery {
        task,
        by,
        since,
        before,
        limit,
    } = query;
    task.is_none() && by.is_none() && since.is_none() && before.is_none() && *limit <= SHORT
}

/// How far a read has come.
enum Read<F> {
    Done(Snapshot),
    /// The history is still to come.
    Begun(F),
}

impl Drop for YamlStore {
    fn drop(&mut self) {
        self.queue.close();
        self.lists.close();
        // Not left to whoever drops what is shared last: that may be the thread that watches, which the end of the
        // process cuts short.
        if let Some(engine) = self.shared.engine.get() {
            locked(engine).end_sessions("");
        }
        locked(&self.shared.sessions).close();
    }
}

fn unreadable(NotDone(reason): NotDone) -> StoreError {
    StoreError::Unreadable { reason }
}

impl Store for YamlStore {
    fn read<'a>(
        &'a self,
        board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        match board {
            BoardKey::Session(session) => {
                let session = session.clone();
                self.with_lists(move |lists| lists.read(&session, &want))
            }
            BoardKey::Project => match self.at_hand(&want) {
                Some(snapshot) => Box::pin(std::future::ready(Ok(snapshot))),
                None => self.read_project(want),
            },
        }
    }

    fn transact<'a>(
        &'a self,
        board: &'a BoardKey,
        moment: &'a Moment,
        work: Work,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        let moment = moment.clone();
        match board {
            BoardKey::Session(session) => {
                let session = session.clone();
                self.with_lists(move |lists| lists.transact(&session, &moment, work))
            }
            BoardKey::Project => Box::pin(self.queue.write(Write { moment, work })),
        }
    }

    fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        self.watch();
        match board {
            BoardKey::Session(session) => {
                let session = session.clone();
                let changes = self.with_lists(move |lists| lists.list_changes(&session));
                Box::pin(async move { past(changes.await?, revision).await })
            }
            BoardKey::Project => past(self.shared.revision.subscribe(), revision),
        }
    }

    fn identify<'a>(
        &'a self,
        board: &'a BoardKey,
    ) -> Promise<'a, Result<BoardIdentity, StoreError>> {
        match board {
            BoardKey::Session(session) => {
                let session: SessionName = session.clone();
                self.with_lists(move |lists| lists.identify(&session))
            }
            BoardKey::Project => self.on_reader(|shared| {
                let root = shared.root()?;
                let root = root.canonicalize().unwrap_or(root);
                let name = root.file_name().unwrap_or(root.as_os_str());
                Ok(BoardIdentity {
                    id: root.display().to_string(),
                    name: name.to_string_lossy().into_owned(),
                })
            }),
        }
    }

    fn create(&self) -> Promise<'_, Result<Created, StoreError>> {
        self.in_queue(|shared| {
            let root = shared.beginning()?;
            let engine = shared.open(&root)?;
            let is_new = setup::create_board(engine, &shared.stop)?;
            let location = root.join(BOARD_FILE).display().to_string();
            Ok(Created { location, is_new })
        })
    }

    fn sessions(&self) -> Promise<'_, Result<Sessions, StoreError>> {
        self.with_lists(SessionLists::list)
    }

    fn wait_past_sessions(&self, revision: Revision) -> Promise<'_, Result<Revision, StoreError>> {
        self.watch();
        let changes = self.with_lists(|lists| lists.changes());
        Box::pin(async move { past(changes.await?, revision).await })
    }

    fn end_sessions<'a>(
        &'a self,
        suffix: &'a str,
        end: SessionEnd,
    ) -> Promise<'a, Result<(), StoreError>> {
        let suffix = suffix.to_owned();
        let lists = Arc::clone(&self.lists);
        let ended = self.in_queue(move |shared| {
            if let Some(engine) = shared.engine.get() {
                locked(engine).end_sessions(&suffix);
            }
            // Behind the changes of lists that were asked for before.
            let sessions = Arc::clone(&shared.sessions);
            Ok(lists.run(move || match end {
                SessionEnd::Over => locked(&sessions).end(&suffix),
                SessionEnd::Silent => locked(&sessions).silence(&suffix),
            }))
        });
        Box::pin(async move { ended.await?.await.map_err(unreadable) })
    }

    fn describe(&self) -> Promise<'_, Result<StoreDescription, StoreError>> {
        self.on_reader(Shared::describe)
    }

    fn diagnose(&self) -> Promise<'_, Vec<Finding>> {
        let found = self.on_reader(|shared| Ok(shared.diagnose()));
        Box::pin(async move {
            let unread = |error: StoreError| vec![Finding::problem("store", error.to_string())];
            found.await.unwrap_or_else(unread)
        })
    }
}

#[cfg(test)]
mod tests {
    use todori_domain::testing::block_on;
    use todori_domain::testing::conformance::{add, read, write};
    use todori_domain::testing::moment;

    use super::*;
    use crate::address::Lifetime;

    fn store(folder: &Path) -> Arc<dyn Store> {
        let host = Host {
            session_lifetime: Lifetime::Process,
            runtime_folder: folder.join("elsewhere"),
        };
        Arc::new(YamlStore::new(Origin::Given(folder.to_owned()), host))
    }

    #[test]
    fn a_panic_is_an_error_and_what_was_read_is_forgotten() {
        let project = tempfile::TempDir::new().unwrap();
        let store = store(project.path());
        write(&store, &moment(1), vec![add("a")]);
        let before = read(&store);
        let panics = Work::on_board(|_| panic!("a bug"));
        let now = moment(2);
        let panicked = block_on(store.transact(&BoardKey::Project, &now, panics));
        let reason = "an internal error; read the board to see".to_owned();
        assert_eq!(
            panicked.map(|_| ()),
            Err(StoreError::OutcomeUnknown { reason })
        );
        let after = read(&store);
        assert!(after.revision > before.revision, "it was read again");
        assert_eq!(after.board, before.board);
    }
}
