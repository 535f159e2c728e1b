//! Every store keeps the same contract.

use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use todori_domain::testing::conformance::{Subject, check_store};
use todori_domain::{
    BoardIdentity, BoardKey, Created, Finding, Moment, Outcome, Promise, Revision, SessionEnd,
    Sessions, Snapshot, Store, StoreDescription, StoreError, Want, Work,
};
use todori_store::{Lifetime, MemoryStore, Origin};
use tokio::runtime::Runtime;

use crate::opening::{open, open_at};

struct Memory;

impl Subject for Memory {
    fn fresh(&self) -> Arc<dyn Store> {
        Arc::new(MemoryStore::default())
    }
}

#[test]
fn memory_keeps_the_contract() {
    check_store(&Memory);
}

/// Files in a folder; the folder is there already, or is made with the first task.
struct Files {
    begun: bool,
    projects: Mutex<Vec<TempDir>>,
}

impl Subject for Files {
    fn fresh(&self) -> Arc<dyn Store> {
        let project = TempDir::new().unwrap();
        if self.begun {
            std::fs::create_dir(project.path().join(".todori")).unwrap();
        }
        let store = open(&project);
        self.projects.lock().unwrap().push(project);
        store
    }

    fn again(&self) -> Option<Arc<dyn Store>> {
        Some(open(self.projects.lock().unwrap().last()?))
    }
}

#[test]
fn files_keep_the_contract() {
    for begun in [true, false] {
        let projects = Mutex::default();
        check_store(&Files { begun, projects });
    }
}

/// Lists of sessions that outlive their process, as over HTTP.
struct Lasting(Mutex<Vec<TempDir>>);

impl Lasting {
    fn open(project: &TempDir) -> Arc<dyn Store> {
        let lifetime = Lifetime::Idle(std::time::Duration::from_mins(10));
        let origin = Origin::From(project.path().to_owned());
        open_at(origin, lifetime, &project.path().join("elsewhere"))
    }
}

impl Subject for Lasting {
    fn fresh(&self) -> Arc<dyn Store> {
        let project = TempDir::new().unwrap();
        std::fs::create_dir(project.path().join(".todori")).unwrap();
        let store = Self::open(&project);
        self.0.lock().unwrap().push(project);
        store
    }

    fn again(&self) -> Option<Arc<dyn Store>> {
        Some(Self::open(self.0.lock().unwrap().last()?))
    }
}

#[test]
fn files_with_lists_that_outlive_their_process_keep_the_contract() {
    check_store(&Lasting(Mutex::default()));
}

/// A store whose every answer needs the timers of a runtime, as one that waits for sockets would need its own driver.
struct NeedsDriver(Arc<dyn Store>);

impl NeedsDriver {
    fn later<'a, T: 'a>(answer: Promise<'a, T>) -> Promise<'a, T> {
        Box::pin(async move {
            tokio::time::sleep(std::time::Duration::from_micros(1)).await;
            answer.await
        })
    }
}

impl Store for NeedsDriver {
    fn read<'a>(
        &'a self,
        board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        Self::later(self.0.read(board, want))
    }

    fn transact<'a>(
        &'a self,
        board: &'a BoardKey,
        moment: &'a Moment,
        work: Work,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        Self::later(self.0.transact(board, moment, work))
    }

    fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        Self::later(self.0.wait_past(board, revision))
    }

    fn identify<'a>(
        &'a self,
        board: &'a BoardKey,
    ) -> Promise<'a, Result<BoardIdentity, StoreError>> {
        Self::later(self.0.identify(board))
    }

    fn create(&self) -> Promise<'_, Result<Created, StoreError>> {
        Self::later(self.0.create())
    }

    fn sessions(&self) -> Promise<'_, Result<Sessions, StoreError>> {
        Self::later(self.0.sessions())
    }

    fn wait_past_sessions(&self, revision: Revision) -> Promise<'_, Result<Revision, StoreError>> {
        Self::later(self.0.wait_past_sessions(revision))
    }

    fn end_sessions<'a>(
        &'a self,
        suffix: &'a str,
        end: SessionEnd,
    ) -> Promise<'a, Result<(), StoreError>> {
        Self::later(self.0.end_sessions(suffix, end))
    }

    fn describe(&self) -> Promise<'_, Result<StoreDescription, StoreError>> {
        Self::later(self.0.describe())
    }

    fn diagnose(&self) -> Promise<'_, Vec<Finding>> {
        Self::later(self.0.diagnose())
    }
}

struct WithDriver(Runtime);

impl Subject for WithDriver {
    fn fresh(&self) -> Arc<dyn Store> {
        Arc::new(NeedsDriver(Memory.fresh()))
    }

    fn wait<'a, T: 'a>(&self, answer: Promise<'a, T>) -> T {
        self.0.block_on(answer)
    }
}

#[test]
fn the_suite_runs_on_a_store_that_needs_an_io_driver() {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(1).enable_all().build().unwrap();
    check_store(&WithDriver(runtime));
}
