//! The boards of sessions, for others to look at: one file each, gone with the session.

use std::collections::BTreeMap;
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
use crate::address::Lifetime;

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

/// What the files of a folder were found to be, so that only those are read again that changed.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    files: BTreeMap<PathBuf, (FileKey, Shown)>,
}

/// What a file turned out to be.
#[derive(Debug, Clone)]
enum Shown {
    List {
        session: SessionName,
        kept: KeptWhile,
        board: Arc<Board>,
    },
    /// Nothing that we wrote.
    NotOurs,
}

/// How long a file is meant to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptWhile {
    /// As long as somebody holds the session's lock.
    Process,
    /// Until it was not changed for a while.
    Idle,
}

impl Shelf {
    /// Reads the list of one session, if it is shown and not stale.
    pub(crate) fn find(
        &mut self,
        folder: &SessionFolder,
        session: &SessionName,
        oldest: Duration,
    ) -> Option<Arc<Board>> {
        let path = path(folder.find()?, session);
        let (found, board) = self.look(&path, oldest)?.ok()?;
        (found == *session).then_some(board)
    }

    /// Lists the sessions whose lists are shown, and removes what is stale.
    pub(crate) fn list(
        &mut self,
        folder: &SessionFolder,
        oldest: Duration,
    ) -> Vec<(SessionName, Arc<Board>)> {
        let entries = folder.find().map(std::fs::read_dir);
        let entries = entries.into_iter().flatten().flatten();
        let mut found = Vec::new();
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if !has_ending(&path, ENDING) {
                continue;
            }
            match self.look(&path, oldest) {
                Some(Ok(list)) => found.push(list),
                Some(Err(Stale)) => {
                    self.files.remove(&path);
                    drop(std::fs::remove_file(&path));
                }
                None => {}
            }
        }
        found
    }

    /// Forgets files that are gone.
    pub(crate) fn tidy(&mut self) {
        self.files.retain(|path, _| path.symlink_metadata().is_ok());
    }

    /// The list in a file; none if it is not ours.
    fn look(
        &mut self,
        path: &Path,
        oldest: Duration,
    ) -> Option<Result<(SessionName, Arc<Board>), Stale>> {
        let now = key(path)?;
        let known = self.files.get(path).filter(|(known, _)| *known == now);
        let shown = if let Some((_, shown)) = known {
            shown.clone()
        } else {
            let shown = read(path).unwrap_or(Shown::NotOurs);
            // A file that was just changed may change again under the same key.
            if now.is_settled() {
                self.files.insert(path.to_owned(), (now, shown.clone()));
            }
            shown
        };
        let Shown::List {
            session,
            kept,
            board,
        } = shown
        else {
            return None;
        };
        let is_stale = match kept {
            KeptWhile::Process => {
                let lock = format!("{}{}", file_name(&session), presence::ENDING);
                !is_held(&path.with_file_name(lock))
            }
            KeptWhile::Idle => now.age() > oldest,
        };
        Some(if is_stale {
            Err(Stale)
        } else {
            Ok((session, board))
        })
    }
}

/// Left behind by a session that is gone.
struct Stale;

fn read(path: &Path) -> Option<Shown> {
    let file = atomic_file::open(path).ok()?;
    let text = String::from_utf8(atomic_file::read(&file).ok()?).ok()?;
    let root = syntax::parse(&text).ok()??;
    let field = |key: &str| {
        let entry = root.entries().iter().find(|entry| entry.key == key)?;
        document::scalar(&entry.value).ok()
    };
    let session = SessionName::new(field("session")?);
    let kept = match field("kept")? {
        "process" => KeptWhile::Process,
        _ => KeptWhile::Idle,
    };
    let loaded = Loaded::read(text, Timestamp::UNIX_EPOCH).ok()?;
    Some(Shown::List {
        session,
        kept,
        board: loaded.board,
    })
}
