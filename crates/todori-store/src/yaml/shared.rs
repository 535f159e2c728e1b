//! What the threads of the file store share: the project, once it is found, and the lists of sessions. Everything in here
//! may wait for a disk, and is called by those threads only.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use todori_domain::{
    CommittedFile, Finding, Revision, Snapshot, StoreDescription, StoreError, Want,
};
use tokio::sync::watch as revision;

use super::engine::{BoardRead, Engine};
use super::failure::{Failure, NO_BOARD_ADVICE, words};
use super::history::Entry;
use super::lock::Lock;
use super::past::Past;
use super::paths::BOARD_FILE;
use super::record::{Gap, Outside};
use super::session_lists::SessionLists;
use super::{diagnosis, locked, replaced};
use crate::locator::{LocateError, Origin, find_project, how_found, nearer};

/// How many times to poll for a writer that has renamed the file but not yet appended its history entry, and how often.
const POLLS_FOR_WRITER: usize = 25;
const POLL_EVERY: Duration = Duration::from_millis(2);

/// What the threads of a store share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) origin: Origin,
    /// There once the project is found.
    pub(crate) engine: OnceLock<Mutex<Engine>>,
    pub(crate) revision: revision::Sender<Revision>,
    pub(crate) sessions: Arc<Mutex<SessionLists>>,
    /// What those who use the store should know, and were not told yet.
    pub(crate) notices: Mutex<Vec<Finding>>,
    /// Tells the queue to wait for nothing any more.
    pub(crate) stop: AtomicBool,
}

impl Shared {
    /// The board's engine: looked for when first needed, and again as long as there is no project, so that a server
    /// that was started too early finds the project that is made later.
    pub(crate) fn engine(&self) -> Result<&Mutex<Engine>, StoreError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        self.open(&self.root()?)
    }

    pub(crate) fn open(&self, root: &Path) -> Result<&Mutex<Engine>, StoreError> {
        let engine = self.make_engine(root)?;
        Ok(self.engine.get_or_init(|| {
            // Whoever waits for a project to come is told that it is there.
            self.revision.send_modify(|revision| revision.0 += 1);
            Mutex::new(engine)
        }))
    }

    fn make_engine(&self, root: &Path) -> Result<Engine, StoreError> {
        let nearer = nearer(&self.origin, root);
        let engine = Engine::open(root, nearer, self.revision.clone());
        engine.map_err(|error| StoreError::Unreadable {
            reason: words(&error),
        })
    }

    /// Goes over to a board that has come nearer to where the search began. Only on the thread of the queue: a change that
    /// waits for the lock of the other board meanwhile finds that it has the wrong lock, and starts over.
    pub(crate) fn follow_project(&self) -> Result<(), StoreError> {
        let Some(engine) = self.engine.get() else {
            return Ok(());
        };
        let mut engine = locked(engine);
        if !engine.is_overtaken() {
            return Ok(());
        }
        let root = self.root()?;
        if root != engine.root() {
            *engine = self.make_engine(&root)?;
            self.revision.send_modify(|revision| revision.0 += 1);
        }
        Ok(())
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> Result<PathBuf, StoreError> {
        find_project(&self.origin).map_err(|error| StoreError::NoBoard {
            advice: match &error {
                LocateError::NoSuchFolder(_) => "make the folder first".to_owned(),
                LocateError::NotFound(_) => NO_BOARD_ADVICE.to_owned(),
            },
            reason: error.to_string(),
        })
    }

    /// Where a project would begin that is not there yet.
    pub(crate) fn beginning(&self) -> Result<PathBuf, StoreError> {
        match (self.root(), &self.origin) {
            (Ok(root), _) => Ok(root),
            (Err(_), Origin::From(here)) => Ok(here.clone()),
            (Err(error), Origin::Given(_)) => Err(error),
        }
    }

    /// Merges what somebody wrote to a file that was replaced, and clears up, if there is anything of that kind and nobody
    /// is writing.
    pub(crate) fn look_after_replaced(&self) -> Result<(), Failure> {
        let engine = self.engine()?;
        let paths = locked(engine).paths().clone();
        if replaced::needs_care(&paths) {
            let lock = Lock::take(&paths, &self.stop, Instant::now())?;
            locked(engine).look_after_replaced(&lock)?;
        }
        Ok(())
    }

    /// Looks who is there, if somebody waits to know.
    pub(crate) fn refresh_sessions_if_watched(&self) {
        let mut sessions = locked(&self.sessions);
        if sessions.is_watched() {
            sessions.refresh();
        }
    }

    /// Reads the board; the history is for `add_history` to read.
    pub(crate) fn look(&self, want: &Want) -> Result<BoardRead, StoreError> {
        locked(self.engine()?).look(want)
    }

    /// Reads what is wanted of the history of a board that was read.
    ///
    /// A writer that has replaced the file notes its change right after that, before it gives the lock back. So what the
    /// history does not know was changed outside only if it is still unknown after a moment at which nobody had the lock.
    pub(crate) fn add_history(
        &self,
        mut read: BoardRead,
        want: &Want,
    ) -> Result<Snapshot, StoreError> {
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
            Some(_) | None => Arc::default(),
        };
        let past = Past {
            paths: &read.paths,
            up_to: read.reach.request,
            outside: &outside,
        };
        let history = past.page(&want.history);
        Ok(Snapshot {
            history,
            ..read.snapshot
        })
    }

    pub(crate) fn describe(&self) -> Result<StoreDescription, StoreError> {
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

    pub(crate) fn diagnose(&self) -> Vec<Finding> {
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
fn find_outside(engine: &Mutex<Engine>, gap: &Gap, read: &BoardRead) -> Arc<[Entry]> {
    let outside = locked(engine).record().outside(gap);
    match outside {
        Outside::Known(entries) => entries,
        Outside::Compare(comparison) => {
            let entries = comparison.run(&read.paths, &read.snapshot.board);
            let mut engine = locked(engine);
            let known = Arc::clone(&entries);
            engine.record().remember_outside(gap.clone(), known);
            entries
        }
    }
}
