//! The queue of changes to a project's board: one thread makes them, in the order in which they were asked for. Those
//! that wait while one is being written are written together. Reads have their turn among them; but where a change must
//! wait for another process, they go past it, since nobody has been told of that change yet.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use todori_domain::{Outcome, StoreError};
use tokio::sync::oneshot;

use super::batch::Write;
use super::engine::{Answers, Begun, Engine};
use super::failure::{Failure, is_transient};
use super::lock::{Lock, PATIENCE};
use super::shared::Shared;
use super::{denied, locked, replaced};

/// How often a write starts over after an error that may pass.
const TRIES: usize = 3;
/// How often a write starts over because a writer that ignores the lock replaced the file first.
const OVERTAKEN_TRIES: usize = 50;
/// How long a write waits for somebody who is in the middle of writing the file.
const WHOLE_WITHIN: Duration = Duration::from_millis(2500);

/// The queue, and the thread that works on it. Started with the first change.
#[derive(Debug)]
pub(crate) struct Queue {
    shared: Arc<Shared>,
    running: Mutex<Option<Running>>,
    /// Jobs that were handed over and are not done yet.
    waiting: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Running {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

enum Job {
    Write {
        write: Write,
        answer: oneshot::Sender<Result<Outcome, StoreError>>,
    },
    /// A look at the board after the changes before it, unless those have to wait.
    Read(Act),
    /// Anything else that must come after the changes before it.
    Turn(Act),
}

type Act = Box<dyn FnOnce() + Send>;

impl Queue {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            running: Mutex::new(None),
            waiting: Arc::default(),
        }
    }

    /// Whether nothing waits: what is read now has seen all that was asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0
    }

    /// Makes a change when its turn comes.
    pub(crate) fn write(
        &self,
        write: Write,
    ) -> impl Future<Output = Result<Outcome, StoreError>> + Send + use<> {
        let (answer, answered) = oneshot::channel();
        let handed_over = self.hand_over(Job::Write { write, answer });
        async move {
            handed_over?;
            let gone = |_| StoreError::OutcomeUnknown {
                reason: "the store has stopped".to_owned(),
            };
            answered.await.map_err(gone)?
        }
    }

    /// Reads when its turn comes, or earlier if a change before it has to wait: quickly, since changes wait for it.
    pub(crate) fn read(&self, act: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
        self.hand_over(Job::Read(Box::new(act)))
    }

    /// Does something else when its turn comes: quickly, since changes wait for it.
    pub(crate) fn turn(&self, act: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
        self.hand_over(Job::Turn(Box::new(act)))
    }

    fn hand_over(&self, job: Job) -> Result<(), StoreError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_none() {
            let (jobs, queue) = mpsc::channel();
            let (shared, waiting) = (Arc::clone(&self.shared), Arc::clone(&self.waiting));
            let thread = std::thread::Builder::new()
                .name("todori-store".to_owned())
                .spawn(move || work(&shared, &queue, &waiting))
                .map_err(|error| StoreError::NotApplied {
                    reason: error.kind().to_string(),
                })?;
            *running = Some(Running { jobs, thread });
        }
        let gone = || StoreError::NotApplied {
            reason: "the store has stopped".to_owned(),
        };
        let running = running.as_ref().ok_or_else(gone)?;
        // Before it is sent: whoever reads right after this must not take the queue for empty.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        running.jobs.send(job).map_err(|_| {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            gone()
        })
    }
}

impl Queue {
    /// Does what is waiting, and ends the thread.
    pub(crate) fn close(&mut self) {
        let running = self
            .running
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(Running { jobs, thread }) = running.take() {
            // Nobody waits for answers any more.
            self.shared.stop.store(true, Ordering::SeqCst);
            drop(jobs);
            drop(thread.join());
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.close();
    }
}

/// The jobs that are still to be done.
struct Jobs<'a> {
    new: &'a Receiver<Job>,
    /// Those that reads have gone past.
    held_up: VecDeque<Job>,
    waiting: &'a AtomicUsize,
}

impl Jobs<'_> {
    /// The next job, as soon as there is one; none once nobody can ask for anything any more.
    fn next(&mut self) -> Option<Job> {
        self.held_up.pop_front().or_else(|| self.new.recv().ok())
    }

    /// The next job, if there is one.
    fn next_at_hand(&mut self) -> Option<Job> {
        let held_up = self.held_up.pop_front();
        held_up.or_else(|| self.new.try_recv().ok())
    }

    /// Gives a job back that is not to be done yet.
    fn give_back(&mut self, job: Job) {
        self.held_up.push_front(job);
    }

    /// Does the reads that wait behind something that has to wait itself.
    fn read_meanwhile(&mut self) {
        self.held_up.extend(self.new.try_iter());
        for job in std::mem::take(&mut self.held_up) {
            match job {
                Job::Read(act) => self.act(act),
                Job::Write { .. } | Job::Turn(_) => self.held_up.push_back(job),
            }
        }
    }

    fn act(&self, act: Act) {
        // What it does is guarded where it is made; a panic must not end the queue.
        drop(catch_unwind(AssertUnwindSafe(act)));
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Does jobs in order. Neighbouring changes are made durable together.
fn work(shared: &Shared, queue: &Receiver<Job>, waiting: &AtomicUsize) {
    let mut jobs = Jobs {
        new: queue,
        held_up: VecDeque::new(),
        waiting,
    };
    while let Some(job) = jobs.next() {
        match job {
            Job::Read(act) | Job::Turn(act) => jobs.act(act),
            Job::Write { write, answer } => {
                // An undo is decided on the history, which knows nothing of changes that are not made yet.
                let mut is_alone = write.work.past.is_some();
                let (mut writes, mut answers) = (vec![write], vec![answer]);
                while !is_alone {
                    match jobs.next_at_hand() {
                        Some(Job::Write { write, answer }) if write.work.past.is_none() => {
                            writes.push(write);
                            answers.push(answer);
                        }
                        other => {
                            if let Some(job) = other {
                                jobs.give_back(job);
                            }
                            is_alone = true;
                        }
                    }
                }
                let outcomes = commit(shared, &mut writes, &mut || jobs.read_meanwhile());
                waiting.fetch_sub(answers.len(), Ordering::SeqCst);
                for (answer, outcome) in answers.into_iter().zip(outcomes) {
                    drop(answer.send(outcome));
                }
                // Nobody waits for this; a panic must not end the queue.
                drop(catch_unwind(AssertUnwindSafe(|| after_answers(shared))));
            }
        }
    }
}

/// What can wait until the answers are out.
fn after_answers(shared: &Shared) {
    let Some(engine) = shared.engine.get() else {
        return;
    };
    let (retired, untidy) = {
        let mut engine = locked(engine);
        let untidy = engine.is_untidy().then(|| engine.paths().clone());
        (engine.retire(), untidy)
    };
    drop(retired);
    if let Some(paths) = untidy {
        replaced::tidy(&paths);
    }
    if locked(engine).has_newcomers() {
        shared.refresh_sessions_if_watched();
    }
}

/// Makes a batch of changes durable together; does something else while it has to wait for others.
fn commit(shared: &Shared, writes: &mut [Write], meanwhile: &mut dyn FnMut()) -> Answers {
    let engine = match shared.follow_project().and_then(|()| shared.engine()) {
        Ok(engine) => engine,
        Err(error) => return writes.iter().map(|_| Err(error.clone())).collect(),
    };
    let count = writes.len();
    let done = catch_unwind(AssertUnwindSafe(|| {
        try_hard(shared, engine, writes, meanwhile)
    }));
    done.unwrap_or_else(|_| {
        // A panic in here is a bug; it must not leave a half-changed board in memory.
        locked(engine).forget();
        let reason = "an internal error; read the board to see".to_owned();
        vec![Err(StoreError::OutcomeUnknown { reason }); count]
    })
}

/// Starts over after what may pass; one refusal, or one task that can't be written, fails only its own request.
fn try_hard(
    shared: &Shared,
    engine: &Mutex<Engine>,
    writes: &mut [Write],
    meanwhile: &mut dyn FnMut(),
) -> Answers {
    let (mut tries, mut overtaken) = (1, 1);
    let begun = Instant::now();
    let mut half_since = None;
    let error = loop {
        match attempt(shared, engine, writes, begun + PATIENCE, meanwhile) {
            Ok(outcomes) => {
                let news = locked(engine).tell();
                locked(&shared.notices).extend(news);
                return outcomes;
            }
            Err(Failure::Overtaken) if overtaken < OVERTAKEN_TRIES => overtaken += 1,
            Err(Failure::TakenAway) if begun.elapsed() < PATIENCE => {
                meanwhile();
                std::thread::sleep(Duration::from_millis(1));
            }
            // The lock is free meanwhile, and so is the board for those who read it.
            Err(Failure::HalfWritten)
                if half_since.get_or_insert_with(Instant::now).elapsed() < WHOLE_WITHIN =>
            {
                meanwhile();
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(Failure::Io(error)) if tries < TRIES && is_transient(&error) => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            // One by one, so that only those fail that touch the task that can't be written.
            Err(Failure::Unwritable(_)) if writes.len() > 1 => {
                let alone = writes.iter_mut().map(std::slice::from_mut);
                return alone
                    .flat_map(|write| try_hard(shared, engine, write, meanwhile))
                    .collect();
            }
            Err(Failure::Io(error)) => {
                let reason = denied::explain(locked(engine).paths(), &error);
                break StoreError::NotApplied { reason };
            }
            Err(failure) => break StoreError::from(failure),
        }
    };
    writes.iter().map(|_| Err(error.clone())).collect()
}

/// Reads go on while this waits for the lock: the engine is held only before and after that.
fn attempt(
    shared: &Shared,
    engine: &Mutex<Engine>,
    writes: &mut [Write],
    deadline: Instant,
    meanwhile: &mut dyn FnMut(),
) -> Result<Answers, Failure> {
    let begun = locked(engine).begin(writes)?;
    match begun {
        Begun::Answered(answers) => Ok(answers),
        Begun::Lock(paths) => {
            let lock = Lock::take_and_meanwhile(&paths, &shared.stop, deadline, meanwhile)?;
            locked(engine).attempt(lock, writes)
        }
    }
}
