//! Making what is not there yet: the folder, the board, and what tells git to leave the rest alone.

use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use todori_domain::{Board, StoreError, Timestamp};

use super::blocks::Loaded;
use super::engine::Engine;
use super::failure::{Failure, words};
use super::lock::{Lock, PATIENCE};
use super::locked;
use super::paths::{GITIGNORE, Paths};
use super::{atomic_file, denied, ownership, relayout};

/// Makes sure that there is a board, even if one is gone or its file was emptied. Says whether it was made.
pub(crate) fn create_board(engine: &Mutex<Engine>, stop: &AtomicBool) -> Result<bool, StoreError> {
    let (paths, has_board) = {
        let mut engine = locked(engine);
        (
            engine.find_files().map_err(Failure::Io)?.clone(),
            engine.has_board()?,
        )
    };
    if has_board {
        return Ok(false);
    }
    create_folder(&paths).map_err(|error| StoreError::NotApplied {
        reason: denied::explain(&paths, &error),
    })?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let lock = Lock::take(&paths, stop, deadline).map_err(Failure::from)?;
        let mut engine = locked(engine);
        if engine.has_board()? {
            return Ok(false);
        }
        match put_board(&paths, &lock) {
            // Somebody took away what it relied on.
            Err(Failure::TakenAway) if Instant::now() < deadline => {}
            made => {
                made?;
                drop(lock);
                engine.forget();
                break;
            }
        }
    }
    let unknown = |error: io::Error| StoreError::OutcomeUnknown {
        reason: words(&error),
    };
    atomic_file::sync_folder(paths.board_folder()).map_err(unknown)?;
    Ok(true)
}

fn put_board(paths: &Paths, lock: &Lock) -> Result<(), Failure> {
    ignore_what_git_must_not_see(paths);
    let new = empty_board(&paths.board);
    let mode = ownership::mode_of(&paths.board);
    let prepared = atomic_file::prepare(&paths.temporary(), &[new.bytes()], mode)?;
    if !lock.guards(paths) {
        return Err(Failure::TakenAway);
    }
    prepared.replace(&paths.board)?;
    Ok(())
}

/// A board without tasks, in the place of a file that has no board in it: what somebody left there stays.
fn empty_board(path: &Path) -> Loaded {
    let left = atomic_file::open(path).and_then(|file| atomic_file::read(&file));
    let left = left.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let written = Timestamp::UNIX_EPOCH;
    left.and_then(|left| relayout::relayout(&left, &Board::default(), written))
        .unwrap_or_else(Loaded::empty)
}

/// Creates `.todori`.
pub(crate) fn create_folder(paths: &Paths) -> io::Result<()> {
    match ownership::create_folder(&paths.folder) {
        Ok(()) => atomic_file::sync_folder(&paths.root).map(|_| ()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Tells git what must not be committed, wherever nobody has told it yet. Only under the lock: the temporary file is
/// the board's own, which git does not see either if a crash leaves it.
pub(crate) fn ignore_what_git_must_not_see(paths: &Paths) {
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
