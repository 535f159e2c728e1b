//! What the system says when something fails: whether it may pass, and in words.

use std::io;

use todori_domain::StoreError;

use super::atomic_file::NotReplaced;
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

/// Errors that say that this file system does not offer something, not that it failed.
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let unsupported = [
        Errno::INVAL,
        Errno::NOSYS,
        Errno::NOTSUP,
        Errno::OPNOTSUPP,
        Errno::NOLCK,
        // Asked of a folder that was opened for reading, as folders always are.
        Errno::BADF,
    ];
    Errno::from_io_error(error).is_some_and(|errno| unsupported.contains(&errno))
}

/// Errors after which something may have been done all the same, or may still be.
pub(crate) fn is_ambiguous(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let ambiguous = [
        Errno::TIMEDOUT,
        Errno::IO,
        Errno::STALE,
        Errno::INTR,
        Errno::NOENT,
        Errno::HOSTDOWN,
        Errno::HOSTUNREACH,
        Errno::NOTCONN,
    ];
    Errno::from_io_error(error).is_some_and(|errno| ambiguous.contains(&errno))
}

const TOO_MANY_FILES: &str =
    "too many files are open; close other programs or connections, or raise `ulimit -n`";

/// What the system said, in words that name no paths.
pub(crate) fn words(error: &io::Error) -> String {
    use rustix::io::Errno;
    const KNOWN: [(Errno, &str); 17] = [
        (Errno::NOSPC, "the disk is full"),
        (Errno::DQUOT, "the disk quota is used up"),
        (Errno::ROFS, "the disk is read-only"),
        (Errno::ACCESS, "permission was denied"),
        (Errno::PERM, "the system does not allow this user to do it"),
        (Errno::IO, "the disk reported an error"),
        (Errno::MFILE, TOO_MANY_FILES),
        (Errno::NFILE, TOO_MANY_FILES),
        (Errno::NOLCK, "this file system offers no locks"),
        (
            Errno::NOSYS,
            "this file system does not offer what is needed",
        ),
        (
            Errno::OPNOTSUPP,
            "this file system does not offer what is needed",
        ),
        (Errno::TIMEDOUT, "the file system did not answer in time"),
        (Errno::STALE, "the file system lost track of the file"),
        (Errno::NOENT, "a file or folder that is needed is not there"),
        (Errno::NAMETOOLONG, "the path is too long"),
        (Errno::LOOP, "it is a link, or links lead in a circle"),
        (Errno::NOTDIR, "a part of the path is no folder"),
    ];
    let errno = Errno::from_io_error(error);
    let known = KNOWN.iter().find(|(known, _)| Some(*known) == errno);
    match (known, errno) {
        (Some((_, words)), _) => (*words).to_owned(),
        // The system's own words are better than none.
        (None, Some(_)) => format!("the system says: {error}"),
        (None, None) => error.to_string(),
    }
}

/// Why an attempt to write did not come to its end. Nothing was changed.
pub(crate) enum Failure {
    /// Somebody who ignores the lock replaced the file meanwhile.
    Overtaken,
    /// Somebody took away the lock, the temporary file or the folder meanwhile.
    TakenAway,
    /// Another program is in the middle of writing the board's file.
    HalfWritten,
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

impl From<NotReplaced> for Failure {
    fn from(error: NotReplaced) -> Self {
        match error {
            NotReplaced::TakenAway => Self::TakenAway,
            NotReplaced::Io(error) => Self::Io(error),
            NotReplaced::Unknown(error) => Self::Store(StoreError::OutcomeUnknown {
                reason: words(&error),
            }),
        }
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
            // The folder was there a moment ago.
            LockError::Io(error) if error.kind() == io::ErrorKind::NotFound => Self::TakenAway,
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
            Failure::TakenAway => Self::NotApplied {
                reason: "another program keeps removing files of todori from .todori".to_owned(),
            },
            Failure::HalfWritten => Self::NotApplied {
                reason: "another program is still writing .todori/tasks.yaml, so that only a part of it may be there"
                    .to_owned(),
            },
            Failure::Io(error) => Self::NotApplied {
                reason: words(&error),
            },
            Failure::Unwritable(error) | Failure::Store(error) => error,
        }
    }
}
