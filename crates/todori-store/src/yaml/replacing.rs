//! Puts new bytes in the place of the board's file: written beside it, forced to the disk, and renamed once it is sure that
//! nobody else has changed the file or taken the lock. The file that goes is kept for a while.

use std::io;

use todori_domain::StoreError;

use super::atomic_file::{self, Forced};
use super::current::Cache;
use super::failure::Failure;
use super::file_key::FileKey;
use super::lock::Lock;
use super::ownership;
use super::paths::Paths;
use super::replaced;
use super::way_back::WayBack;

/// What stands in the place of the board's file now.
#[derive(Debug)]
pub(crate) struct Made {
    /// What it looks like, if that can be told.
    pub(crate) key: Option<FileKey>,
    pub(crate) forced: Forced,
}

/// Replaces the board's file, which is as `before` has it. Any failure means that nothing was changed, unless it says that
/// the outcome is unknown.
pub(crate) fn replace_board(
    paths: &Paths,
    lock: &Lock,
    before: Option<&Cache>,
    pieces: &[&[u8]],
) -> Result<Made, Failure> {
    let size: usize = pieces.iter().map(|piece| piece.len()).sum();
    if size as u64 > atomic_file::MAX_BYTES {
        // What is too large could be written, but never be read again.
        let reason = "the board would be larger than 64 MB; delete what is done".to_owned();
        return Err(Failure::Store(StoreError::NotApplied { reason }));
    }
    let path = &paths.board;
    let mode = ownership::mode_of(path);
    let prepared = atomic_file::prepare(&paths.temporary(), pieces, mode);
    let prepared = prepared.map_err(|error| {
        // The folder is gone, or another writer is at the same file: the lock was taken away.
        let gone = [io::ErrorKind::NotFound, io::ErrorKind::AlreadyExists];
        if gone.contains(&error.kind()) {
            Failure::TakenAway
        } else {
            Failure::Io(error)
        }
    })?;
    let known = before.and_then(|before| Some((before, before.key?)));
    if key_of(paths)? != known.map(|(_, key)| key) {
        return Err(Failure::Overtaken);
    }
    if let (Some((before, key)), Some(new)) = (known, prepared.metadata()) {
        let new = FileKey::of(&new).stamp();
        let way_back = WayBack::new(new, before.loaded.bytes(), pieces);
        replaced::keep(paths, &key, &way_back);
    }
    let forced = prepared.forced();
    let made = replace_if_sure(paths, lock, known.map(|(_, key)| key), prepared);
    if let (Err(_), Some((_, key))) = (&made, known) {
        replaced::forget(paths, &key);
    }
    made.map(|key| Made { key, forced })
}

/// Brings into the board what somebody wrote to a file after it was replaced, if there is any. Says what forcing that to
/// the disk came to.
pub(crate) fn merge_replaced(
    paths: &Paths,
    lock: &Lock,
    board: &Cache,
) -> Result<Option<Forced>, Failure> {
    let text = board.loaded.content();
    let rescued = board.key.and_then(|key| replaced::rescue(paths, key, text));
    let Some(rescued) = rescued else {
        return Ok(None);
    };
    replace_board(paths, lock, Some(board), &[rescued.text.as_bytes()])?;
    // A power cut must not take what is given up here.
    let forced = atomic_file::sync_folder(paths.board_folder())?;
    rescued.is_safe();
    Ok(Some(forced))
}

fn replace_if_sure(
    paths: &Paths,
    lock: &Lock,
    known: Option<FileKey>,
    prepared: atomic_file::Prepared,
) -> Result<Option<FileKey>, Failure> {
    if !lock.guards(paths) {
        return Err(Failure::TakenAway);
    }
    let is_known = match (key_of(paths)?, known) {
        (Some(now), Some(known)) => now.has_same_content(&known),
        (now, known) => now.is_none() && known.is_none(),
    };
    if !is_known {
        return Err(Failure::Overtaken);
    }
    let new = prepared.replace(&paths.board)?;
    Ok(new.as_ref().map(FileKey::of))
}

/// What the board's file looks like now; nothing if there is none.
fn key_of(paths: &Paths) -> io::Result<Option<FileKey>> {
    match paths.board.metadata() {
        Ok(metadata) => Ok(Some(FileKey::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
