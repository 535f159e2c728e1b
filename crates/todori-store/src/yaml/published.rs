//! The boards of sessions, for others to look at: one file each, gone with the session.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use todori_domain::{Board, SessionName, Timestamp};

use super::blocks::Loaded;
use super::file_key::FileKey;
use super::presence::{self, file_name, has_ending, is_held};
use super::session_folder::SessionFolder;
use super::{atomic_file, document, emit, syntax};

/// How long a session's board is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as this process lives: it keeps the session's lock.
    Process,
    /// Until nobody has changed it for so long, whatever becomes of this process.
    Idle(Duration),
}

/// What ends the names of these files. Whatever is called otherwise is not ours.
const ENDING: &str = ".session.yaml";

fn path(folder: &Path, session: &SessionName) -> PathBuf {
    folder.join(format!("{}{ENDING}", file_name(session)))
}

/// Shows a board; an empty one is taken away. Gives what tells the file from one that another process put there.
pub(crate) fn publish(
    folder: &SessionFolder,
    session: &SessionName,
    lifetime: Lifetime,
    board: &Board,
) -> io::Result<Option<FileKey>> {
    if board.is_empty() {
        return withdraw(folder, session).map(|()| None);
    }
    let folder = folder.make()?;
    let kept = match lifetime {
        Lifetime::Process => "process",
        Lifetime::Idle(_) => "idle",
    };
    let mut text = String::from("version: 1\n");
    emit::line(&mut text, 0, "session", session.as_str()).map_err(io::Error::other)?;
    text.push_str(&format!("kept: {kept}\ntasks:\n"));
    board.by_id().for_each(|task| emit::task(&mut text, task));
    let temporary = folder.join(format!(".{}.session.tmp", file_name(session)));
    let path = path(folder, session);
    atomic_file::replace_lightly(&path, &temporary, &text)?;
    Ok(key(&path))
}

fn key(path: &Path) -> Option<FileKey> {
    let found = path.symlink_metadata().ok()?;
    Some(FileKey::of(&found))
}

/// What tells the file that a board is shown in from an older or newer one; `None` if it is not shown.
pub(crate) fn shown_as(folder: &SessionFolder, session: &SessionName) -> Option<FileKey> {
    key(&path(folder.find()?, session))
}

/// Takes a board away unless another process has put its own there since.
pub(crate) fn withdraw_own(folder: &SessionFolder, session: &SessionName, own: FileKey) {
    if shown_as(folder, session) == Some(own) {
        drop(withdraw(folder, session));
    }
}

/// Takes a board away.
pub(crate) fn withdraw(folder: &SessionFolder, session: &SessionName) -> io::Result<()> {
    let Some(folder) = folder.find() else {
        return Ok(());
    };
    match std::fs::remove_file(path(folder, session)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Reads the board of one session, if it is shown and not stale.
pub(crate) fn find(
    folder: &SessionFolder,
    session: &SessionName,
    oldest: Duration,
) -> Option<Board> {
    match read(&path(folder.find()?, session), oldest) {
        Shown::Live(found, board) if found == *session => Some(Arc::unwrap_or_clone(board)),
        Shown::Live(..) | Shown::Stale | Shown::NotOurs => None,
    }
}

/// Lists the sessions whose boards are shown, and removes what is stale.
pub(crate) fn sessions(folder: &SessionFolder, oldest: Duration) -> Vec<SessionName> {
    let entries = folder.find().map(std::fs::read_dir);
    let entries = entries.into_iter().flatten().flatten();
    let mut found = Vec::new();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if !has_ending(&path, ENDING) {
            continue;
        }
        match read(&path, oldest) {
            Shown::Live(session, _) => found.push(session),
            Shown::Stale => drop(std::fs::remove_file(&path)),
            Shown::NotOurs => {}
        }
    }
    found.sort();
    found
}

/// What a file turns out to be.
enum Shown {
    Live(SessionName, Arc<Board>),
    /// Left behind by a session that is gone.
    Stale,
    /// Nothing that we wrote.
    NotOurs,
}

fn read(path: &Path, oldest: Duration) -> Shown {
    let Some((session, stale, text)) = read_head(path, oldest) else {
        return Shown::NotOurs;
    };
    if stale {
        return Shown::Stale;
    }
    match Loaded::read(text, Timestamp::UNIX_EPOCH) {
        Ok(loaded) => Shown::Live(session, loaded.board),
        Err(_) => Shown::NotOurs,
    }
}

/// The session that a file is about, whether that is gone, and the text.
fn read_head(path: &Path, oldest: Duration) -> Option<(SessionName, bool, String)> {
    let file = atomic_file::open(path).ok()?;
    let age = file
        .metadata()
        .ok()?
        .modified()
        .ok()?
        .elapsed()
        .unwrap_or_default();
    let text = String::from_utf8(atomic_file::read(&file).ok()?).ok()?;
    let root = syntax::parse(&text).ok()??;
    let field = |key: &str| {
        let entry = root.entries().iter().find(|entry| entry.key == key)?;
        document::scalar(&entry.value).ok()
    };
    let session = SessionName::new(field("session")?);
    let stale = match field("kept")? {
        "process" => {
            let lock = format!("{}{}", file_name(&session), presence::ENDING);
            !is_held(&path.with_file_name(lock))
        }
        _ => age > oldest,
    };
    Some((session, stale, text))
}
