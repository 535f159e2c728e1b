//! The embedded store: `.todori/tasks.yaml`, shared by any number of processes and people with editors.

pub(crate) mod atomic_file;
mod blocks;
mod current;
mod document;
mod emit;
mod engine;
mod failure;
pub(crate) mod file_key;
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
pub(crate) mod paths;
mod plan;
pub(crate) mod presence;
pub(crate) mod published;
mod quick;
mod record;
mod relayout;
#[cfg(test)]
mod relayout_tests;
mod retain;
pub(crate) mod session_folder;
mod split;
mod syntax;
mod task_json;
pub(crate) mod value;
mod watch;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::JoinHandle;

use todori_domain::{
    BoardKey, Decide, Moment, Outcome, Promise, Revision, Snapshot, Store, StoreError, Want,
};
use tokio::sync::{oneshot, watch as revisions};

use engine::{Engine, Write};
pub use merge::{MergeError, MergedFile, Version, merge_files};

/// Whether `create` found a board or made one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// There was one already.
    Found,
    /// There is a new, empty one.
    New,
}

/// Keeps a project's board in `.todori/tasks.yaml`.
///
/// Writes go through one thread, in the order in which they were asked for; those that wait while one is being written
/// are written together. Reads are answered at once, unless writes wait: then they take their turn behind them.
#[derive(Debug)]
pub struct YamlStore {
    engine: Arc<Mutex<Engine>>,
    revisions: revisions::Receiver<Revision>,
    worker: Mutex<Option<Worker>>,
    /// Requests that were handed to the worker and not answered yet.
    waiting: Arc<AtomicUsize>,
    watching: Once,
    /// Tells the worker to wait for nothing any more.
    stop: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Worker {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

enum Job {
    Read {
        want: Want,
        answer: oneshot::Sender<Result<Snapshot, StoreError>>,
    },
    Write {
        write: Write,
        answer: oneshot::Sender<Result<Outcome, StoreError>>,
    },
}

impl YamlStore {
    /// Opens the board of a project. Touches nothing: what is not there is made at the first write.
    pub fn open(root: &Path) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let engine = Engine::open(root, Arc::clone(&stop))?;
        let revisions = engine.revisions();
        Ok(Self {
            engine: Arc::new(Mutex::new(engine)),
            revisions,
            worker: Mutex::new(None),
            waiting: Arc::default(),
            watching: Once::new(),
            stop,
        })
    }

    /// Makes sure that there is a board.
    pub fn create(&self) -> Result<Created, StoreError> {
        let made = self.engine().create()?;
        Ok(if made { Created::New } else { Created::Found })
    }

    /// Lets go of the sessions whose names end with this mark.
    pub(crate) fn end_sessions(&self, mark: &str) {
        self.engine().end_sessions(mark);
    }

    /// What people should know about the files, in one sentence each: that others can write to them.
    pub fn warnings(&self) -> Vec<String> {
        self.engine().warnings()
    }

    fn engine(&self) -> MutexGuard<'_, Engine> {
        locked(&self.engine)
    }

    /// Hands a job to the worker, which is started with the first one.
    fn hand_over(&self, job: Job) -> Result<(), StoreError> {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.is_none() {
            let (jobs, queue) = mpsc::channel();
            let (engine, waiting) = (Arc::clone(&self.engine), Arc::clone(&self.waiting));
            let thread = std::thread::Builder::new()
                .name("todori-store".to_owned())
                .spawn(move || work(&engine, &queue, &waiting))
                .map_err(|error| StoreError::NotApplied {
                    reason: error.kind().to_string(),
                })?;
            *worker = Some(Worker { jobs, thread });
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let gone = || StoreError::NotApplied {
            reason: "the store has stopped".to_owned(),
        };
        worker
            .as_ref()
            .ok_or_else(gone)?
            .jobs
            .send(job)
            .map_err(|_| gone())
    }
}

impl Drop for YamlStore {
    fn drop(&mut self) {
        let worker = self
            .worker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(Worker { jobs, thread }) = worker {
            self.stop.store(true, Ordering::SeqCst);
            drop(jobs);
            drop(thread.join());
        }
    }
}

/// Answers jobs in order. Neighbouring writes are made durable together.
fn work(engine: &Mutex<Engine>, queue: &Receiver<Job>, waiting: &AtomicUsize) {
    let mut next = queue.recv().ok();
    while let Some(job) = next.take() {
        match job {
            Job::Read { want, answer } => {
                let read = read(engine, want);
                waiting.fetch_sub(1, Ordering::SeqCst);
                drop(answer.send(read));
            }
            Job::Write { write, answer } => {
                let (mut writes, mut answers) = (vec![write], vec![answer]);
                while next.is_none() {
                    match queue.try_recv() {
                        Ok(Job::Write { write, answer }) => {
                            writes.push(write);
                            answers.push(answer);
                        }
                        Ok(other @ Job::Read { .. }) => next = Some(other),
                        Err(_) => break,
                    }
                }
                let outcomes = commit(engine, &mut writes);
                waiting.fetch_sub(answers.len(), Ordering::SeqCst);
                for (answer, outcome) in answers.into_iter().zip(outcomes) {
                    drop(answer.send(outcome));
                }
                let retired = locked(engine).retire();
                drop(retired);
            }
        }
        if next.is_none() {
            next = queue.recv().ok();
        }
    }
}

fn locked(engine: &Mutex<Engine>) -> MutexGuard<'_, Engine> {
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}

fn commit(engine: &Mutex<Engine>, writes: &mut [Write]) -> Vec<Result<Outcome, StoreError>> {
    let count = writes.len();
    guarded(engine, |engine| engine.commit(writes)).unwrap_or_else(|reason| {
        let error = StoreError::OutcomeUnknown { reason };
        vec![Err(error); count]
    })
}

fn read(engine: &Mutex<Engine>, want: Want) -> Result<Snapshot, StoreError> {
    guarded(engine, |engine| engine.snapshot(want))
        .unwrap_or_else(|reason| Err(StoreError::Unreadable { reason }))
}

/// A panic in here is a bug; it must not end the store, nor leave a half-changed board in memory.
fn guarded<T>(engine: &Mutex<Engine>, act: impl FnOnce(&mut Engine) -> T) -> Result<T, String> {
    let mut engine = locked(engine);
    let done = catch_unwind(AssertUnwindSafe(|| act(&mut engine)));
    done.map_err(|_| {
        engine.forget();
        "an internal error; read the board to see".to_owned()
    })
}

impl Store for YamlStore {
    fn read<'a>(
        &'a self,
        _board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        if self.waiting.load(Ordering::SeqCst) == 0 {
            let read = read(&self.engine, want);
            return Box::pin(std::future::ready(read));
        }
        let (answer, answered) = oneshot::channel();
        let handed_over = self.hand_over(Job::Read { want, answer });
        Box::pin(async move {
            handed_over?;
            let gone = |_| StoreError::Unreadable {
                reason: "the store has stopped".to_owned(),
            };
            answered.await.map_err(gone)?
        })
    }

    fn transact<'a>(
        &'a self,
        _board: &'a BoardKey,
        moment: &'a Moment,
        decide: Decide,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        let (answer, answered) = oneshot::channel();
        let write = Write {
            moment: moment.clone(),
            decide,
        };
        let handed_over = self.hand_over(Job::Write { write, answer });
        Box::pin(async move {
            handed_over?;
            let gone = |_| StoreError::OutcomeUnknown {
                reason: "the store has stopped".to_owned(),
            };
            answered.await.map_err(gone)?
        })
    }

    fn wait_past<'a>(
        &'a self,
        _board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        self.watching.call_once(|| {
            let engine = Arc::downgrade(&self.engine);
            // Without a thread there is no news; those who read still see what is new.
            let watcher = std::thread::Builder::new().name("todori-watch".to_owned());
            drop(watcher.spawn(move || watch::run(&engine)));
        });
        let mut revisions = self.revisions.clone();
        Box::pin(async move {
            let newer = revisions
                .wait_for(|now| *now > revision)
                .await
                .map(|now| *now);
            newer.map_err(|_| StoreError::Unreadable {
                reason: "the store was closed".to_owned(),
            })
        })
    }

    fn boards(&self) -> Promise<'_, Result<Vec<BoardKey>, StoreError>> {
        let boards = self.engine().has_board().then_some(BoardKey::Project);
        Box::pin(std::future::ready(Ok(boards.into_iter().collect())))
    }
}

#[cfg(test)]
mod tests {
    use todori_domain::testing::block_on;

    use super::*;

    #[test]
    fn a_panic_is_an_error_and_what_was_read_is_forgotten() {
        let project = tempfile::TempDir::new().unwrap();
        let store = YamlStore::open(project.path()).unwrap();
        store.create().unwrap();
        let before = read(&store.engine, Want::default()).unwrap();
        let panicked = guarded(&store.engine, |_| panic!("a bug"));
        assert_eq!(
            panicked,
            Err::<(), _>("an internal error; read the board to see".to_owned())
        );
        let after = block_on(store.read(&BoardKey::Project, Want::default())).unwrap();
        assert!(after.revision > before.revision, "it was read again");
    }
}
