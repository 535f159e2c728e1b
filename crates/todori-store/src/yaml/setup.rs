//! Making what is not there yet: the folder, the board, and what tells git to leave the rest alone.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use todori_domain::{Board, StoreError, Timestamp};

use super::atomic_file;
use super::blocks::Loaded;
use super::engine::Engine;
use super::failure::{Failure, words};
use super::lock::Lock;
use super::locked;
use super::paths::{GITIGNORE, Paths};
use super::relayout;

/// Makes sure that there is a board, even if one is gone or its file was emptied. Says whether it was made.
pub(crate) fn create_board(engine: &Mutex<Engine>, stop: &AtomicBool) -> Result<bool, StoreError> {
    let paths = {
        let mut engine = locked(engine);
        let paths = engine.find_files().map_err(Failure::Io)?.clone();
        if engine.has_board()? {
            return Ok(false);
        }
        paths
    };
    let not_applied = |error: io::Error| StoreError::from(Failure::Io(error));
    create_folder(&paths).map_err(not_applied)?;
    let lock = Lock::take(&paths.lock, stop).map_err(Failure::from)?;
    let mut engine = locked(engine);
    if engine.has_board()? {
        return Ok(false);
    }
    ignore_what_git_must_not_see(&paths);
    let new = empty_board(&paths.board);
    let mode = mode_of(&paths.board);
    atomic_file::prepare(&paths.temporary(), &[new.bytes()], mode)
        .and_then(|prepared| prepared.replace(&paths.board))
        .map_err(not_applied)?;
    drop(lock);
    engine.forget();
    let unknown = |error: io::Error| StoreError::OutcomeUnknown {
        reason: words(&error),
    };
    atomic_file::sync_folder(paths.board_folder()).map_err(unknown)?;
    Ok(true)
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
pub(crate) fn mode_of(path: &Path) -> u32 {
    path.metadata()
        .map_or(0o600, |metadata| metadata.mode() & 0o777)
}

/// Creates `.todori`.
pub(crate) fn create_folder(paths: &Paths) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(&paths.folder) {
        Ok(()) => atomic_file::sync_folder(&paths.root),
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
