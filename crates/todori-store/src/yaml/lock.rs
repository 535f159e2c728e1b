//! One writer at a time, across processes. The lock is a file of its own that is never renamed: a lock on the board's
//! file would stay behind on the old one at each write.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a writer waits for the others before it gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Writers that follow each other have the lock for less than this.
const MOMENT: Duration = Duration::from_millis(250);

/// Holds the lock; dropping it, or the end of the process in whatever way, gives it back.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Others held it all the time.
    Busy,
    /// Nobody wants it any more.
    Stopped,
    Io(io::Error),
}

impl Lock {
    /// Waits for the lock, for at most [`PATIENCE`], and only until somebody says stop.
    pub(crate) fn take(path: &Path, stop: &AtomicBool) -> Result<Self, LockError> {
        Self::take_and_meanwhile(path, stop, &mut || {})
    }

    /// The same; does something else now and then once it has waited for longer than a moment.
    pub(crate) fn take_and_meanwhile(
        path: &Path,
        stop: &AtomicBool,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Self, LockError> {
        let begun = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            let file = open(path).map_err(LockError::Io)?;
            match file.try_lock() {
                // The folder may have been removed and made anew meanwhile: then this is nobody's lock any more.
                Ok(()) if is_at(&file, path) => return Ok(Self { _file: file }),
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
            }
            if stop.load(Ordering::SeqCst) {
                return Err(LockError::Stopped);
            }
            let waited = begun.elapsed();
            if waited >= PATIENCE {
                return Err(LockError::Busy);
            }
            if waited >= MOMENT {
                meanwhile();
            }
            // Waiters that look at different moments do not all find it taken again.
            let jitter = Duration::from_micros(u64::from(std::process::id()) * 37 % 300);
            std::thread::sleep(pause + jitter);
            pause = (pause * 2).min(Duration::from_millis(3));
        }
    }
}

/// Whether somebody is writing right now. Creates nothing.
pub(crate) fn is_held(path: &Path) -> bool {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(super::atomic_file::NO_FOLLOW)
        .open(path);
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(super::atomic_file::NO_FOLLOW)
        .open(path)
}

/// Whether an open file is still the one that stands there.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(held), Ok(there)) => held.ino() == there.ino() && held.dev() == there.dev(),
        _ => false,
    }
}
