//! Whether the board's file is a half: what an editor that saves in place, or git, has written so far. Such a file may well
//! be a board that can be read, which lacks all that comes later.

use std::time::Duration;

use super::file_key::FileKey;
use super::open_elsewhere::{Writer, find_writer};
use super::past;
use super::paths::Paths;

/// Nobody takes longer between two pieces of a file.
const WRITTEN_WITHIN: Duration = Duration::from_secs(10);
/// A file that only lost its end is taken for what is meant once it has been like that for so long.
const CUT_FOR: Duration = Duration::from_secs(2);
/// Where the system does not say who writes to a file: how long nobody must have.
const QUIET_FOR: Duration = Duration::from_millis(20);

/// Whether somebody is in the middle of writing the board's file, which looked like this and held these bytes. `known` are
/// the bytes that it held before, as far as this process knows.
pub(crate) fn is_half_written(
    paths: &Paths,
    key: &FileKey,
    bytes: &[u8],
    known: Option<&[u8]>,
) -> bool {
    if !key.is_younger_than(WRITTEN_WITHIN) {
        return false;
    }
    // What todori wrote is whole: it is put in place in one step.
    if past::last(paths).is_some_and(|last| last.leads_to.stamp == key.stamp()) {
        return false;
    }
    // An emptied file has a rule of its own: it is a board that vanished.
    let is_cut = known.is_some_and(|known| is_cut(bytes, known)) && !bytes.is_empty();
    if is_cut && key.is_younger_than(CUT_FOR) {
        return true;
    }
    match find_writer(key.identity()) {
        Writer::Open => true,
        // The writer may have written on and ended before it was looked for.
        Writer::NotSeen => {
            let now = paths.board.metadata();
            !now.is_ok_and(|now| FileKey::of(&now).has_same_content(key))
        }
        Writer::Unknown => key.is_younger_than(QUIET_FOR),
    }
}

/// Whether something lost its end, and nothing else.
pub(crate) fn is_cut(now: &[u8], before: &[u8]) -> bool {
    now.len() < before.len() && before.starts_with(now)
}
