//! Stands in for a lock where the file system knows none: a file that only one process can create. It does not go with a
//! process that ends badly, so that it is taken over when it is old; its maker proves that it is still there before it
//! relies on it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::atomic_file::{self, NO_FOLLOW};
use super::file_key::FileKey;
use super::lock::is_at;
use super::ownership;

/// What the file is called, in the folder that it locks.
const NAME: &str = ".lock.exclusive";
/// A write takes a few milliseconds: whoever made a file that is older than this has ended or stands still.
const ABANDONED_AFTER: Duration = Duration::from_secs(5);
/// How long a new file is left for others to see before its maker relies on it.
const GRACE: Duration = Duration::from_millis(10);

/// A file that this process made, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct ExclusiveFile {
    file: File,
    path: PathBuf,
}

impl ExclusiveFile {
    /// Creates the file; `None` if somebody else has it.
    pub(crate) fn try_create(folder: &Path) -> io::Result<Option<Self>> {
        let path = folder.join(NAME);
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(NO_FOLLOW);
        match ownership::create_new(&mut options, &path) {
            Ok(file) => {
                // Whoever can lock, and has looked for this file just before it was made, is done in a moment.
                std::thread::sleep(GRACE);
                Ok(Some(Self { file, path }))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                remove_abandoned(&path);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn is_still_there(&self) -> bool {
        is_at(&self.file, &self.path)
    }
}

impl Drop for ExclusiveFile {
    fn drop(&mut self) {
        if self.is_still_there() {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Whether somebody has such a file in this folder.
pub(crate) fn is_taken(folder: &Path) -> bool {
    let path = folder.join(NAME);
    match age(&path) {
        None => false,
        Some(age) if age > ABANDONED_AFTER => {
            remove_abandoned(&path);
            false
        }
        Some(_) => true,
    }
}

fn age(path: &Path) -> Option<Duration> {
    let found = path.symlink_metadata().ok()?;
    Some(FileKey::of(&found).age())
}

/// Takes away a file that was left behind. Of two who find the same old file only one can move it: the other could only
/// move one that was made since, which its maker notices before it relies on it.
fn remove_abandoned(path: &Path) {
    if age(path).is_some_and(|age| age > ABANDONED_AFTER) {
        let aside = path.with_extension(format!("abandoned-{}", std::process::id()));
        if atomic_file::replace(path, &aside).is_ok() {
            drop(std::fs::remove_file(&aside));
        }
    }
}
