//! What the system says when something fails: whether it may pass, and in words.

use std::io;

use todori_domain::StoreError;

use super::lock::{LockError, PATIENCE};

/// What to do about a board that can't be used.
pub(crate) const NO_BOARD_ADVICE: &str =
    "run `todori init` in the project's folder, or use --project DIR";
pub(crate) const BROKEN_ADVICE: &str =
    "mend the file by hand; todori leaves it as it is until it can be read";
pub(crate) const VANISHED_ADVICE: &str =
    "bring it back (git checkout), or run `todori init` to begin anew";

/// Errors that may pass by themselves.
pub(crate) fn is_transient(error: &io::Error) -> bool {
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
pub(crate) fn words(error: &io::Error) -> String {
    const KNOWN: [(io::ErrorKind, &str); 4] = [
        (io::ErrorKind::StorageFull, "the disk is full"),
        (io::ErrorKind::QuotaExceeded, "the disk quota is used up"),
        (io::ErrorKind::ReadOnlyFilesystem, "the disk is read-only"),
        (io::ErrorKind::PermissionDenied, "permission was denied"),
    ];
    use rustix::io::Errno;
    if matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    ) {
        return "too many files are open; close other programs or connections, or raise `ulimit -n`"
            .to_owned();
    }
    let known = KNOWN.iter().find(|(kind, _)| *kind == error.kind());
    match (known, error.raw_os_error()) {
        (Some((_, words)), _) => (*words).to_owned(),
        (None, Some(_)) => error.kind().to_string(),
        (None, None) => error.to_string(),
    }
}

/// Why an attempt to write did not come to its end. Nothing was changed.
pub(crate) enum Failure {
    /// Somebody who ignores the lock replaced the file meanwhile.
    Overtaken,
    /// A task can't be written so that it reads back the same; requests that leave it alone may be made.
    Unwritable(StoreError),
    Io(io::Error),
    Store(StoreError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy => Self::Store(StoreError::Busy {
                seconds: PATIENCE.as_secs(),
            }),
            LockError::Stopped => Self::Store(StoreError::NotApplied {
                reason: "the store has stopped".to_owned(),
            }),
            LockError::Io(error) => Self::Io(error),
        }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Overtaken => Self::NotApplied {
                reason: "another program keeps replacing the file".to_owned(),
            },
            Failure::Io(error) => Self::NotApplied {
                reason: words(&error),
            },
            Failure::Unwritable(error) | Failure::Store(error) => error,
        }
    }
}
