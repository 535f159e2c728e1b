//! The files that the board's file has replaced, kept for a while under a second name. An editor that saves in place may
//! still have one of them open: what it writes there is noticed, and merged into the board.
//!
//! They are in `.todori/replaced`, two for each: the file itself, whose name says what it looked like when it was
//! replaced, and a copy of what was in it then, which is what both the editor and the board came from.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use todori_domain::Finding;

use super::atomic_file::{self, NO_FOLLOW};
use super::file_key::FileKey;
use super::half_written::is_cut;
use super::merge::merge_files;
use super::open_elsewhere::{Writer, find_writer};
use super::ownership;
use super::paths::Paths;

const FOLDER: &str = "replaced";
/// What ends the name of a file that was replaced, and that of the copy.
const FILE: &str = ".yaml";
const COPY: &str = ".was";
/// How long they are kept, how many, and how many bytes of copies; one is always kept.
const KEPT_FOR: Duration = Duration::from_secs(10);
const MOST: usize = 64;
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// Where the system does not say who writes to a file: how long nobody must have.
const QUIET_FOR: Duration = Duration::from_millis(500);

/// A file that was replaced.
#[derive(Debug)]
struct Replaced {
    /// What it looked like then.
    stamp: String,
    path: PathBuf,
    key: FileKey,
}

impl Replaced {
    fn copy(&self) -> PathBuf {
        self.path.with_extension(COPY.trim_start_matches('.'))
    }

    fn is_changed(&self) -> bool {
        self.key.stamp() != self.stamp
    }

    fn forget(&self) {
        drop(std::fs::remove_file(&self.path));
        drop(std::fs::remove_file(self.copy()));
    }
}

/// Gives the board's file a second name, just before it is replaced. `bytes` are what is in it, `key` what it looks like.
/// That it can't be kept (not every file system has second names) is no reason to refuse what was asked for.
pub(crate) fn keep(paths: &Paths, key: &FileKey, bytes: &[u8]) {
    if let Some(folder) = make_folder(paths) {
        let path = folder.join(format!("{}{FILE}", key.stamp()));
        let copy = path.with_extension(COPY.trim_start_matches('.'));
        let kept = write_copy(&copy, bytes).and_then(|()| std::fs::hard_link(&paths.board, &path));
        if kept.is_err() {
            drop(std::fs::remove_file(copy));
        }
    }
}

/// Forgets what was kept for nothing: the board was not replaced.
pub(crate) fn forget(paths: &Paths, key: &FileKey) {
    let path = folder(paths).join(format!("{}{FILE}", key.stamp()));
    let key = *key;
    let stamp = key.stamp();
    Replaced { stamp, path, key }.forget();
}

/// Forgets what was kept for long enough, and what is too much.
pub(crate) fn tidy(paths: &Paths) {
    let mut kept = list(paths);
    // Newest first, by when the copies were made.
    let made = |kept: &Replaced| Some(FileKey::of(&kept.copy().symlink_metadata().ok()?));
    let mut kept: Vec<(Option<FileKey>, Replaced)> = kept
        .drain(..)
        .map(|replaced| (made(&replaced), replaced))
        .collect();
    kept.sort_by_key(|(made, _)| std::cmp::Reverse(made.map(|made| made.modified())));
    let mut bytes = 0;
    for (place, (made, replaced)) in kept.into_iter().enumerate() {
        bytes += made.map_or(0, |made| made.size());
        let is_recent = made.is_some_and(|made| made.is_younger_than(KEPT_FOR));
        let is_too_much = place >= MOST || (bytes > MOST_BYTES && place > 0);
        // What was written to it is not in the board yet.
        if !replaced.is_changed() && (!is_recent || is_too_much) {
            replaced.forget();
        }
    }
}

/// Whether something was written to a file after it was replaced, or something is kept that need not be any more.
pub(crate) fn needs_care(paths: &Paths) -> bool {
    let is_old = |replaced: &Replaced| {
        let made = replaced.copy().symlink_metadata();
        made.is_ok_and(|made| !FileKey::of(&made).is_younger_than(KEPT_FOR))
    };
    let kept = list(paths);
    kept.iter()
        .any(|replaced| replaced.is_changed() || is_old(replaced))
}

/// A board with what somebody wrote to a file that it had replaced.
pub(crate) struct Rescued {
    /// The text of the board.
    pub(crate) text: String,
    replaced: Replaced,
}

impl Rescued {
    /// To be called once the text is in the board.
    pub(crate) fn is_safe(&self) {
        self.replaced.forget();
    }
}

/// Looks whether somebody has written to a file after it was replaced, and merges that into the board's text. What can't
/// be read yet stays for later: it may be half of what is meant.
pub(crate) fn rescue(paths: &Paths, board: FileKey, text: &str) -> Option<Rescued> {
    for replaced in list(paths) {
        // A crash came before the replacement: it is the board's file itself.
        if replaced.key.identity() == board.identity() {
            replaced.forget();
            continue;
        }
        if !replaced.is_changed() || !is_at_rest(&replaced) {
            continue;
        }
        let read = |path: &Path| {
            let bytes = atomic_file::read(&atomic_file::open(path).ok()?).ok()?;
            String::from_utf8(bytes).ok()
        };
        let (Some(base), Some(theirs)) = (read(&replaced.copy()), read(&replaced.path)) else {
            continue;
        };
        if base == theirs {
            // Only its time has changed.
            replaced.forget();
            continue;
        }
        if is_cut(theirs.as_bytes(), base.as_bytes()) {
            // Half of what is meant; if nothing more comes, the board has all that it has.
            if !replaced.key.is_younger_than(KEPT_FOR) {
                replaced.forget();
            }
            continue;
        }
        let Ok(merged) = merge_files(&base, text, &theirs) else {
            continue;
        };
        return Some(Rescued {
            text: merged.text,
            replaced,
        });
    }
    None
}

/// What somebody has written to a file after it was replaced, and that can't be merged.
pub(crate) fn examine(paths: &Paths) -> Option<Finding> {
    let mut kept = list(paths).into_iter();
    let unmerged =
        kept.find(|replaced| replaced.is_changed() && !replaced.key.is_younger_than(KEPT_FOR))?;
    let name = unmerged.path.file_name().unwrap_or_default();
    let name = format!(".todori/{FOLDER}/{}", name.to_string_lossy());
    let says = format!("an editor saved {name} after todori had replaced it");
    Some(Finding::note("store", says).advise(
        "the next change brings it into the board; if it can't be read, take what you need from it and delete it",
    ))
}

fn is_at_rest(replaced: &Replaced) -> bool {
    match find_writer(replaced.key.identity()) {
        Writer::Open => false,
        // Not while it was being looked at either.
        Writer::NotSeen => {
            let now = replaced.path.symlink_metadata();
            now.is_ok_and(|now| FileKey::of(&now).has_same_content(&replaced.key))
        }
        Writer::Unknown => !replaced.key.is_younger_than(QUIET_FOR),
    }
}

fn folder(paths: &Paths) -> PathBuf {
    paths.folder.join(FOLDER)
}

/// All that is kept. Through no link: whoever makes a repository could lead us anywhere.
fn list(paths: &Paths) -> Vec<Replaced> {
    let folder = folder(paths);
    if !is_real_folder(&folder) {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let replaced = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name();
        let stamp = name.to_str()?.strip_suffix(FILE)?.to_owned();
        let found = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(Replaced {
            stamp,
            path: entry.path(),
            key: FileKey::of(&found),
        })
    });
    replaced.collect()
}

fn is_real_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// The folder for them, which git does not see.
fn make_folder(paths: &Paths) -> Option<PathBuf> {
    let folder = folder(paths);
    if !is_real_folder(&folder) {
        ownership::create_folder(&folder).ok()?;
        write_copy(&folder.join(".gitignore"), b"*\n").ok()?;
    }
    Some(folder)
}

fn write_copy(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(NO_FOLLOW);
    ownership::create_new(&mut options, path)?.write_all(bytes)
}
