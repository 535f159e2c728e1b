//! Which sessions are alive: each has a file under `.todori/sessions/` that its processes keep locked, all of them
//! together. The lock goes with the process, however that ends. The file holds the name of the session.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use todori_domain::{Presence, SessionName};

use super::atomic_file::NO_FOLLOW;
use super::lock::is_at;
use super::ownership;
use super::session_folder::SessionFolder;

/// What ends the names of these files. Whatever is called otherwise is not ours.
pub(crate) const ENDING: &str = ".session.lock";
/// How often a lock is tried for that somebody else may have for a moment, only to look.
const TRIES: usize = 20;
/// More bytes than any name of a session has.
const LONGEST_NAME: u64 = 1024;
/// How often a look is repeated that somebody else's look may have disturbed.
const LOOKS: usize = 3;

/// The sessions that this process speaks for, and a look at those of others.
#[derive(Debug)]
pub(crate) struct SessionLocks {
    folder: SessionFolder,
    own: BTreeMap<SessionName, File>,
}

impl SessionLocks {
    pub(crate) fn new(folder: SessionFolder) -> Self {
        Self {
            folder,
            own: BTreeMap::new(),
        }
    }

    pub(crate) fn folder(&self) -> &SessionFolder {
        &self.folder
    }

    /// Whether this process speaks for a session.
    pub(crate) fn speaks_for(&self, session: &SessionName) -> bool {
        self.own.contains_key(session)
    }

    /// Shows that a session is alive, from now until this process ends; once more if somebody took that away.
    pub(crate) fn announce(&mut self, session: &SessionName) -> io::Result<()> {
        if session.is_person() {
            return Ok(());
        }
        let known = self.own.get(session);
        if let (Some(file), Some(folder)) = (known, self.folder.find())
            && is_at(file, &path(folder, session))
        {
            return Ok(());
        }
        let folder = self.folder.make()?;
        if known.is_none() {
            sweep(folder);
        }
        let path = path(folder, session);
        let file = hold(&path)?;
        write_name(&file, session)?;
        self.own.insert(session.clone(), file);
        Ok(())
    }

    /// Gives up the locks of every session whose name has this suffix.
    pub(crate) fn dismiss_all(&mut self, suffix: &str) {
        let own = self.own.keys();
        let ended = own.filter(|session| session.as_str().ends_with(suffix));
        for session in ended.cloned().collect::<Vec<_>>() {
            self.dismiss(&session);
        }
    }

    /// Gives up the lock of a session. Its file goes with the last process that holds it.
    pub(crate) fn dismiss(&mut self, session: &SessionName) {
        if let Some(file) = self.own.remove(session)
            && let Some(folder) = self.folder.find()
        {
            remove_if_free(&file, &path(folder, session));
        }
    }
}

impl Presence for SessionLocks {
    fn is_live(&self, session: &SessionName) -> bool {
        session.is_person()
            || self.speaks_for(session)
            || self
                .folder
                .find()
                .is_some_and(|folder| is_held(&path(folder, session)))
    }
}

impl Drop for SessionLocks {
    fn drop(&mut self) {
        let own: Vec<SessionName> = self.own.keys().cloned().collect();
        for session in &own {
            self.dismiss(session);
        }
    }
}

/// Who is alive while a batch is decided on: also whoever has claimed a task earlier in the same batch.
pub(crate) struct InBatch<'a> {
    sessions: &'a SessionLocks,
    pub(crate) newcomers: BTreeSet<SessionName>,
}

impl<'a> InBatch<'a> {
    pub(crate) fn new(sessions: &'a SessionLocks) -> Self {
        Self {
            sessions,
            newcomers: BTreeSet::new(),
        }
    }
}

impl Presence for InBatch<'_> {
    fn is_live(&self, session: &SessionName) -> bool {
        self.newcomers.contains(session) || self.sessions.is_live(session)
    }
}

fn path(folder: &Path, session: &SessionName) -> PathBuf {
    folder.join(format!("{}{ENDING}", file_name(session)))
}

/// Takes a share of the lock.
fn hold(path: &Path) -> io::Result<File> {
    for _ in 0..TRIES {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(NO_FOLLOW);
        let file = ownership::open_or_create(&mut options, path)?;
        match file.try_lock_shared() {
            // Somebody may have swept the file away before it was locked.
            Ok(()) if is_at(&file, path) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other("the lock of the session can't be had"))
}

/// Removes what sessions left behind whose processes are gone.
fn sweep(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if has_ending(&path, ENDING)
            && let Some(file) = open(&path, Access::Write)
        {
            remove_if_free(&file, &path);
        }
    }
}

/// Whether a file is called like one of ours.
pub(crate) fn has_ending(path: &Path, ending: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.len() > ending.len() && name.ends_with(ending))
}

/// Removes a lock file that nobody holds, other than through this handle. Nobody can take it meanwhile: whoever tries
/// finds it locked, and whoever gets it afterwards finds that it is no longer there.
fn remove_if_free(file: &File, path: &Path) {
    let locked = (0..LOOKS).any(|_| {
        let locked = file.try_lock().is_ok();
        if !locked {
            std::thread::yield_now();
        }
        locked
    });
    if locked && is_at(file, path) {
        drop(std::fs::remove_file(path));
    }
}

/// For whom a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Those who only look: closing such a file wakes nobody who watches the folder.
    Read,
    /// Network drives lock only what is open for writing.
    Write,
}

fn open(path: &Path, access: Access) -> Option<File> {
    let opened = OpenOptions::new()
        .read(true)
        .write(access == Access::Write)
        .custom_flags(NO_FOLLOW)
        .open(path);
    let file = opened.ok()?;
    file.metadata()
        .is_ok_and(|found| found.is_file())
        .then_some(file)
}

/// Whether some process holds the lock.
pub(crate) fn is_held(path: &Path) -> bool {
    let look = |access: Access| open(path, access).map(|file| is_shared(&file));
    match look(Access::Read) {
        None => false,
        Some(Ok(held)) => held,
        Some(Err(_)) => look(Access::Write).is_some_and(|held| held.unwrap_or(false)),
    }
}

/// Whether some process has a share of the lock; an error where locks do not work this way.
fn is_shared(file: &File) -> io::Result<bool> {
    for _ in 0..LOOKS {
        match (file.try_lock(), file.try_lock_shared()) {
            (Err(TryLockError::Error(error)), _) => return Err(error),
            // Nobody has it, or somebody has it alone: only those who look do that, and only if nobody has it.
            (Ok(()), _) | (Err(_), Err(_)) => return Ok(false),
            // Somebody has a share. Or they only looked, at the same moment: looking again tells.
            (Err(_), Ok(())) => std::thread::yield_now(),
        }
    }
    Ok(true)
}

/// The sessions whose locks in this folder are held, by anybody.
pub(crate) fn live(folder: &SessionFolder) -> Vec<SessionName> {
    let entries = folder.find().map(std::fs::read_dir);
    let entries = entries.into_iter().flatten().flatten();
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let held = paths.filter(|path| has_ending(path, ENDING) && is_held(path));
    held.filter_map(|path| read_name(&path)).collect()
}

/// Writes the name of the session into its file, unless somebody has.
fn write_name(mut file: &File, session: &SessionName) -> io::Result<()> {
    if file.metadata()?.len() == 0 {
        file.write_all(session.as_str().as_bytes())?;
    }
    Ok(())
}

/// The name of the session that a file is about.
fn read_name(path: &Path) -> Option<SessionName> {
    let mut name = String::new();
    let file = open(path, Access::Read)?;
    file.take(LONGEST_NAME).read_to_string(&mut name).ok()?;
    (!name.is_empty()).then(|| SessionName::new(&name))
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
