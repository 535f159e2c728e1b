//! One writer at a time, across processes.
//!
//! Two things are locked: the folder `.todori`, which nobody can take away under its holder without that being noticed,
//! and a file in it, because older versions know only that one and some network drives lock no folders. `git clean`
//! removes the file at any moment, so the holder proves just before it replaces the board that what it holds still
//! stands there. Neither is ever renamed: a lock on the board's file would stay behind on the old one at each write.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::atomic_file::NO_FOLLOW;
use super::exclusive_file::{self, ExclusiveFile};
use super::failure::is_unsupported;
use super::ownership::{self, open_folder};
use super::paths::Paths;

/// How long a writer waits for the others before it gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Writers that follow each other have the lock for less than this.
const MOMENT: Duration = Duration::from_millis(250);

/// Holds the lock; dropping it, or the end of the process in whatever way, gives it back.
#[derive(Debug)]
pub(crate) struct Lock {
    /// Each open file that is locked, and where it was found.
    held: Vec<(File, PathBuf)>,
    /// What stands in for them where the file system knows no locks.
    exclusive: Option<ExclusiveFile>,
    folder: PathBuf,
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

/// What trying to lock one file came to.
enum Try {
    Locked(File),
    Busy(File),
    /// This can't be locked here.
    Unsupported,
}

impl Lock {
    /// Waits for the lock, at most until the deadline, and only until somebody says stop.
    pub(crate) fn take(
        paths: &Paths,
        stop: &AtomicBool,
        deadline: Instant,
    ) -> Result<Self, LockError> {
        Self::take_and_meanwhile(paths, stop, deadline, &mut || {})
    }

    /// The same; does something else now and then once it has waited for longer than a moment.
    pub(crate) fn take_and_meanwhile(
        paths: &Paths,
        stop: &AtomicBool,
        deadline: Instant,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Self, LockError> {
        let begun = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            // What is busy stays open until the next look.
            let _busy = match Self::try_take(paths).map_err(LockError::Io)? {
                Ok(lock) if lock.is_still_there() => return Ok(lock),
                // The folder or the file was removed and made anew meanwhile: then this is nobody's lock any more.
                Ok(_) => None,
                Err(busy) => busy,
            };
            if stop.load(Ordering::SeqCst) {
                return Err(LockError::Stopped);
            }
            if Instant::now() >= deadline {
                return Err(LockError::Busy);
            }
            if begun.elapsed() >= MOMENT {
                meanwhile();
            }
            // Waiters that look at different moments do not all find it taken again.
            let jitter = Duration::from_micros(u64::from(std::process::id()) * 37 % 300);
            std::thread::sleep(pause + jitter);
            pause = (pause * 2).min(Duration::from_millis(3));
        }
    }

    /// Takes the lock unless somebody has it; then gives the file that is locked, if that is how they have it.
    fn try_take(paths: &Paths) -> io::Result<Result<Self, Option<File>>> {
        let mut lock = Self {
            held: Vec::new(),
            exclusive: None,
            folder: paths.folder.clone(),
        };
        // The folder first: whoever waits for it holds nothing that older versions could wait for.
        let folder: Opener = open_folder;
        let file: Opener = open_or_create;
        for (path, open) in [(&paths.folder, folder), (&paths.lock, file)] {
            match try_lock(open(path)?)? {
                Try::Locked(file) => lock.held.push((file, path.clone())),
                Try::Busy(file) => return Ok(Err(Some(file))),
                Try::Unsupported => {}
            }
        }
        if lock.held.is_empty() {
            lock.exclusive = ExclusiveFile::try_create(&paths.folder)?;
            if lock.exclusive.is_none() {
                return Ok(Err(None));
            }
        }
        Ok(Ok(lock))
    }

    /// Whether this is the lock of the board there, and still the one that others find, so that nobody else can have it.
    pub(crate) fn guards(&self, paths: &Paths) -> bool {
        self.folder == paths.folder && self.is_still_there()
    }

    fn is_still_there(&self) -> bool {
        self.held.iter().all(|(file, path)| is_at(file, path))
            && match &self.exclusive {
                Some(exclusive) => exclusive.is_still_there(),
                // Whoever can't lock (from another machine, or because the system has no lock left) makes that file,
                // and sees nothing of our locks. So we see to it.
                None => !exclusive_file::is_taken(&self.folder),
            }
    }

    /// Whether the file system knew no locks.
    pub(crate) fn is_makeshift(&self) -> bool {
        self.exclusive.is_some()
    }
}

type Opener = fn(&Path) -> io::Result<File>;

fn try_lock(file: File) -> io::Result<Try> {
    match file.try_lock() {
        Ok(()) => Ok(Try::Locked(file)),
        Err(TryLockError::WouldBlock) => Ok(Try::Busy(file)),
        Err(TryLockError::Error(error)) if is_unsupported(&error) => Ok(Try::Unsupported),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether files can be locked here. Creates nothing; `None` where there is nothing to try it on.
pub(crate) fn works(paths: &Paths) -> Option<bool> {
    let folder = open_folder(&paths.folder).ok();
    let file = open_to_look(&paths.lock).ok();
    let tried: Vec<bool> = [folder, file]
        .into_iter()
        .flatten()
        .map(|file| match file.try_lock_shared() {
            Err(TryLockError::Error(error)) => !is_unsupported(&error),
            Ok(()) | Err(TryLockError::WouldBlock) => true,
        })
        .collect();
    (!tried.is_empty()).then(|| tried.contains(&true))
}

/// Whether somebody is writing right now. Creates nothing.
pub(crate) fn is_held(paths: &Paths) -> bool {
    let is_locked = |file: io::Result<File>| {
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    };
    is_locked(open_folder(&paths.folder)) || is_locked(open_to_look(&paths.lock))
}

fn open_to_look(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(NO_FOLLOW).open(path)
}

fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(NO_FOLLOW);
    ownership::open_or_create(&mut options, path)
}

/// Whether an open file is still the one that stands there.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(held), Ok(there)) => held.ino() == there.ino() && held.dev() == there.dev(),
        _ => false,
    }
}
