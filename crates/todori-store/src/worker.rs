//! A thread that does one thing after the other, so that whoever asks need not stand still. Started with the first
//! thing to do; ended, and waited for, when it is dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// A thread for jobs.
#[derive(Debug)]
pub(crate) struct Worker {
    name: &'static str,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

/// The job was not done: the thread could not be started, has stopped, or the job panicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotDone(pub(crate) String);

impl Worker {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            running: Mutex::new(None),
        }
    }

    /// Does a job after all that were given before it. It takes its place in the queue now, whenever it is waited for.
    pub(crate) fn run<T, J>(
        &self,
        job: J,
    ) -> impl Future<Output = Result<T, NotDone>> + Send + use<T, J>
    where
        T: Send + 'static,
        J: FnOnce() -> T + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let given = self.give(Box::new(move || {
            let done = catch_unwind(AssertUnwindSafe(job));
            drop(answer.send(done));
        }));
        async move {
            given?;
            let done = answered.await.map_err(|_| stopped())?;
            // A panic is a bug; it must not end the thread, nor tell of the inside.
            done.map_err(|_| NotDone("an internal error; read the board to see".to_owned()))
        }
    }

    fn give(&self, job: Job) -> Result<(), NotDone> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_none() {
            let (jobs, queue) = mpsc::channel::<Job>();
            let thread = std::thread::Builder::new()
                .name(self.name.to_owned())
                .spawn(move || queue.iter().for_each(|job| job()))
                .map_err(|error| NotDone(error.kind().to_string()))?;
            *running = Some(Running { jobs, thread });
        }
        let running = running.as_ref().ok_or_else(stopped)?;
        running.jobs.send(job).map_err(|_| stopped())
    }
}

impl Worker {
    /// Does what is waiting, and ends the thread.
    pub(crate) fn close(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Running { jobs, thread }) = running.take() {
            drop(jobs);
            drop(thread.join());
        }
    }
}

fn stopped() -> NotDone {
    NotDone("the store has stopped".to_owned())
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.close();
    }
}
