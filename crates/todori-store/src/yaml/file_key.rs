//! Tells whether a file is still the one that was read, from its metadata alone.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime};

use todori_domain::Timestamp;

/// How old a change must be before its time can be trusted to tell it from the next one.
const SETTLED_AFTER_NANOS: i128 = 2_000_000_000;

/// What a file looked like from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileKey {
    device: u64,
    inode: u64,
    modified: i128,
    changed: i128,
    size: u64,
}

impl FileKey {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanos =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            size: metadata.size(),
        }
    }

    /// Whether the last change is so long ago that a later one would have another time. Until then an equal key proves
    /// nothing: clocks of file systems tick in milliseconds or even seconds.
    pub(crate) fn is_settled(&self) -> bool {
        self.nanos_old() > SETTLED_AFTER_NANOS
    }

    /// How long ago the last change was; nothing for one in the future.
    pub(crate) fn age(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.nanos_old()).unwrap_or(0))
    }

    /// Whether the last change was within this time; clocks may differ a little. One far in the future was not: it may stay
    /// there for long.
    pub(crate) fn is_younger_than(&self, age: Duration) -> bool {
        self.nanos_old().unsigned_abs() < age.as_nanos()
    }

    /// Whether this is the same file, and nobody has written to it since. A second name for it makes no difference.
    pub(crate) fn has_same_content(&self, other: &Self) -> bool {
        let Self {
            device,
            inode,
            modified,
            changed: _,
            size,
        } = *other;
        (self.device, self.inode) == (device, inode)
            && (self.modified, self.size) == (modified, size)
    }

    /// Device and inode: which file it is, whatever its name.
    pub(crate) fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    fn nanos_old(&self) -> i128 {
        #[expect(
            clippy::disallowed_methods,
            reason = "compared with the clock of the file system"
        )]
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let now = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX);
        now - self.modified
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// When the file was changed last.
    pub(crate) fn modified(&self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.modified / 1_000_000).unwrap_or(0))
    }

    /// When this file came to be what and where it is, by the clock of this machine.
    pub(crate) fn changed(&self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.changed / 1_000_000).unwrap_or(0))
    }

    /// Whether it was changed after the other file was.
    pub(crate) fn is_newer_than(&self, other: &Self) -> bool {
        self.modified > other.modified
    }

    /// Whether this is the file that a stamp names, in whatever state: not a copy of it.
    pub(crate) fn is_file_of(&self, stamp: &str) -> bool {
        stamp.starts_with(&format!("{:x}-", self.inode))
    }

    /// Names this state of the file in the history.
    pub(crate) fn stamp(&self) -> String {
        format!("{:x}-{:x}-{:x}", self.inode, self.modified, self.size)
    }
}
