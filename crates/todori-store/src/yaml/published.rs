//! The boards of sessions, for others to look at: one file each, gone with the session.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use todori_domain::{Board, SessionName, Timestamp};

use super::blocks::Loaded;
use super::presence::{file_name, is_locked};
use super::{atomic_file, document, emit, syntax};

/// How long a session's board is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as this process lives: it keeps the session's lock.
    Process,
    /// Until nobody has changed it for so long, whatever becomes of this process.
    Idle(Duration),
}

/// What ends the names of these files.
const ENDING: &str = "yaml";

fn path(folder: &Path, session: &SessionName) -> PathBuf {
    folder.join(format!("{}.{ENDING}", file_name(session)))
}

/// Shows a board; an empty one is taken away.
pub(crate) fn publish(
    folder: &Path,
    session: &SessionName,
    lifetime: Lifetime,
    board: &Board,
) -> io::Result<()> {
    if board.is_empty() {
        return withdraw(folder, session);
    }
    DirBuilder::new()
        .mode(0o700)
        .recursive(true)
        .create(folder)?;
    let kept = match lifetime {
        Lifetime::Process => "process",
        Lifetime::Idle(_) => "idle",
    };
    let mut text = String::from("version: 1\n");
    emit::line(&mut text, 0, "session", session.as_str()).map_err(io::Error::other)?;
    text.push_str(&format!("kept: {kept}\ntasks:\n"));
    board.by_id().for_each(|task| emit::task(&mut text, task));
    let temporary = folder.join(format!(".{}.tmp", file_name(session)));
    atomic_file::replace_lightly(&path(folder, session), &temporary, &text)
}

/// Takes a board away.
pub(crate) fn withdraw(folder: &Path, session: &SessionName) -> io::Result<()> {
    match std::fs::remove_file(path(folder, session)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Reads the board of one session, if it is shown and not stale.
pub(crate) fn find(folder: &Path, session: &SessionName, oldest: Duration) -> Option<Board> {
    let found = read(&path(folder, session), oldest)?;
    (found.0 == *session).then_some(found.1)
}

/// Lists the sessions whose boards are shown, and removes what is stale.
pub(crate) fn sessions(folder: &Path, oldest: Duration) -> Vec<SessionName> {
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_none_or(|end| end != ENDING) {
            continue;
        }
        match read(&path, oldest) {
            Some((session, _)) => found.push(session),
            None => drop(std::fs::remove_file(&path)),
        }
    }
    found.sort();
    found
}

/// Reads one file; nothing if it is stale or not ours.
fn read(path: &Path, oldest: Duration) -> Option<(SessionName, Board)> {
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
    let syntax::Kind::Map { entries, .. } = &root.kind else {
        return None;
    };
    let field = |key: &str| {
        let entry = entries.iter().find(|entry| entry.key == key)?;
        document::scalar(&entry.value).ok()
    };
    let session = SessionName::new(field("session")?);
    let stale = match field("kept")? {
        "process" => !is_locked(&path.with_extension("lock")),
        _ => age > oldest,
    };
    if stale {
        return None;
    }
    let loaded = Loaded::read(text.clone(), Timestamp::UNIX_EPOCH).ok()?;
    Some((session, Board::clone(&loaded.board)))
}
