//! The embedded store: `.todori/tasks.yaml`, shared by any number of processes and people with editors.

pub(crate) mod atomic_file;
mod batch;
mod blocks;
mod current;
mod denied;
mod diagnosis;
mod document;
mod emit;
mod engine;
mod exclusive_file;
mod failure;
mod file_key;
mod forced;
#[cfg(test)]
mod format_tests;
mod git_head;
mod half_written;
mod history;
mod history_files;
#[cfg(test)]
mod layout_tests;
mod line_ends;
mod lines;
mod lock;
mod merge;
mod open_elsewhere;
mod other_layouts;
mod own_texts;
mod ownership;
mod past;
mod paths;
mod plan;
mod presence;
mod promises;
mod published;
mod queue;
mod quick;
mod record;
mod relayout;
#[cfg(test)]
mod relayout_tests;
mod remembered;
mod replaced;
mod replacing;
mod retain;
mod session_folder;
mod session_lists;
mod setup;
mod shared;
mod split;
mod syntax;
pub(crate) mod value;
mod watch;
mod way_back;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use todori_domain::{
    BoardIdentity, BoardKey, Created, Finding, HistoryQuery, Moment, Outcome, Promise, Revision,
    SessionEnd, SessionName, Sessions, Snapshot, Store, StoreDescription, StoreError, Want, Work,
};
use tokio::sync::{oneshot, watch as revision};

use self::batch::Write;
pub use self::merge::{MergeError, MergedFile, Version, merge_files};
use self::paths::BOARD_FILE;
use self::queue::Queue;
use self::session_lists::SessionLists;
use self::shared::Shared;
use crate::address::Host;
use crate::locator::Origin;
use crate::revisions::past;
use crate::worker::{NotDone, Worker};

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
            notices: Mutex::default(),
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

    /// Reads the project's board in its turn: it sees the changes that were asked for before it, and none after it;
    /// but it does not wait for a change that waits for another process.
    fn read_project(&self, want: Want) -> Promise<'static, Result<Snapshot, StoreError>> {
        let (answer, answered) = oneshot::channel();
        let reader = if is_short(&want.history) {
            &self.reader
        } else {
            &self.searches
        };
        let (shared, reader) = (Arc::clone(&self.shared), Arc::clone(reader));
        let handed_over = self.queue.read(move || {
            let read = match shared.follow_project().and_then(|()| shared.look(&want)) {
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
        now: _,
        since_switch: _,
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

    fn notices(&self) -> Vec<Finding> {
        std::mem::take(&mut locked(&self.shared.notices))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
