//! Which sessions are alive: each has a file under `.todori/sessions/` that its process keeps locked. The lock goes
//! with the process, however that ends.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use todori_domain::{Presence, SessionName};

use super::atomic_file::NO_FOLLOW;

/// The sessions that this process speaks for, and a look at those of others.
#[derive(Debug)]
pub(crate) struct Sessions {
    folder: PathBuf,
    own: BTreeMap<SessionName, File>,
}

impl Sessions {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            own: BTreeMap::new(),
        }
    }

    /// Shows that a session is alive, from now until this process ends.
    pub(crate) fn announce(&mut self, session: &SessionName) -> io::Result<()> {
        if session.is_person() || self.own.contains_key(session) {
            return Ok(());
        }
        DirBuilder::new()
            .mode(0o700)
            .recursive(true)
            .create(&self.folder)?;
        self.sweep();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(NO_FOLLOW)
            .open(self.path(session))?;
        file.try_lock()
            .map_err(|_| io::Error::other("a session of this name is there already"))?;
        self.own.insert(session.clone(), file);
        Ok(())
    }

    /// Lets go of a session.
    pub(crate) fn dismiss(&mut self, session: &SessionName) {
        if self.own.remove(session).is_some() {
            drop(std::fs::remove_file(self.path(session)));
        }
    }

    /// Removes what sessions left behind whose process is gone.
    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.extension().is_some_and(|end| end == "lock") && !is_locked(&path) {
                drop(std::fs::remove_file(&path));
            }
        }
    }

    fn path(&self, session: &SessionName) -> PathBuf {
        self.folder.join(format!("{}.lock", file_name(session)))
    }
}

impl Presence for Sessions {
    fn is_live(&self, session: &SessionName) -> bool {
        session.is_person() || self.own.contains_key(session) || is_locked(&self.path(session))
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        for session in self.own.keys() {
            drop(std::fs::remove_file(self.path(session)));
        }
    }
}

pub(crate) fn is_locked(path: &Path) -> bool {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(NO_FOLLOW)
        .open(path);
    opened.is_ok_and(|file| {
        matches!(
            file.try_lock_shared(),
            Err(std::fs::TryLockError::WouldBlock)
        )
    })
}

/// A name that is safe in any folder: what is not a letter, digit, dash or underscore is spelt out.
pub(crate) fn file_name(session: &SessionName) -> String {
    let mut name = String::new();
    for byte in session.as_str().bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    name.truncate(200);
    name
}
