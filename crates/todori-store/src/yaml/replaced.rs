//! The files that the board's file has replaced, kept for a while under a second name. An editor that saves in place may
//! still have one of them open: what it writes there is noticed, and merged into the board.
//!
//! They are in `.todori/replaced`, two for each: the file itself, whose name says what it looked like when it was
//! replaced, and the way back to what was in it then, which is what both the editor and the board came from.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use todori_domain::Finding;

use super::atomic_file::{self, NO_FOLLOW};
use super::file_key::FileKey;
use super::half_written::is_cut;
use super::merge::{likely_base, merge_files};
use super::open_elsewhere::{Writer, find_writer};
use super::ownership;
use super::past;
use super::paths::Paths;
use super::way_back::WayBack;

const FOLDER: &str = "replaced";
/// What ends the name of a file that was replaced, and that of the way back to what was in it.
const FILE: &str = ".yaml";
const WAY_BACK: &str = "back";
/// How long they are kept, how many, and how many bytes; one is always kept.
const KEPT_FOR: Duration = Duration::from_secs(10);
const MOST: usize = 256;
const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// How often a process looks after them that is always writing.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Where the system does not say who writes to a file: how long nobody must have.
const QUIET_FOR: Duration = Duration::from_millis(500);

/// When this process looked after them last.
#[derive(Debug, Default)]
pub(crate) struct LastLook(Option<Instant>);

impl LastLook {
    /// Whether it is time to look again; then that is now.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.0.is_none_or(|last| last.elapsed() >= LOOK_EVERY);
        if is_due {
            self.0 = Some(Instant::now());
        }
        is_due
    }
}

/// A file that was replaced.
#[derive(Debug)]
struct Replaced {
    /// What it looked like then.
    stamp: String,
    path: PathBuf,
    key: FileKey,
}

impl Replaced {
    fn way_back(&self) -> PathBuf {
        self.path.with_extension(WAY_BACK)
    }

    fn is_changed(&self) -> bool {
        self.key.stamp() != self.stamp
    }

    /// Whether it is only a copy, as of a project that was copied with all its files: no editor has that open.
    fn is_copy(&self) -> bool {
        !self.key.is_file_of(&self.stamp)
    }

    /// What tells since when it is kept: the file with the way back was made then.
    fn kept_since(&self) -> Option<FileKey> {
        let made = self.way_back().symlink_metadata().ok()?;
        Some(FileKey::of(&made))
    }

    fn read(&self) -> Option<Vec<u8>> {
        atomic_file::read(&atomic_file::open(&self.path).ok()?).ok()
    }

    fn forget(&self) {
        drop(std::fs::remove_file(&self.path));
        drop(std::fs::remove_file(self.way_back()));
    }
}

/// Gives the board's file a second name, just before it is replaced. `key` says what it looks like. That it can't be kept
/// (not every file system has second names) is no reason to refuse what was asked for.
pub(crate) fn keep(paths: &Paths, key: &FileKey, way_back: &WayBack) {
    if let Some(folder) = make_folder(paths) {
        let path = folder.join(format!("{}{FILE}", key.stamp()));
        let back = path.with_extension(WAY_BACK);
        let kept = write_small(&back, &way_back.write());
        let kept = kept.and_then(|()| std::fs::hard_link(&paths.board, &path));
        if kept.is_err() {
            drop(std::fs::remove_file(back));
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

/// Forgets what was kept for long enough, and what is too much. Needs no lock: nobody relies on what is kept.
pub(crate) fn tidy(paths: &Paths) {
    let (copies, kept): (Vec<Replaced>, Vec<Replaced>) =
        entries(paths).into_iter().partition(Replaced::is_copy);
    copies.iter().for_each(Replaced::forget);
    let mut kept: Vec<(Option<FileKey>, Replaced)> = kept
        .into_iter()
        .map(|replaced| (replaced.kept_since(), replaced))
        .collect();
    // Newest first.
    kept.sort_by_key(|(since, _)| std::cmp::Reverse(since.map(|since| since.modified())));
    let mut bytes = 0;
    for (place, (since, replaced)) in kept.into_iter().enumerate() {
        bytes += replaced.key.size();
        let is_recent = since.is_some_and(|since| since.is_younger_than(KEPT_FOR));
        let is_too_much = place >= MOST || (bytes > MOST_BYTES && place > 0);
        // What was written to it is not in the board yet.
        if !replaced.is_changed() && (!is_recent || is_too_much) {
            replaced.forget();
        }
    }
}

/// Whether something was written to a file after it was replaced, or something is kept that need not be any more.
pub(crate) fn needs_care(paths: &Paths) -> bool {
    let is_recent = |replaced: &Replaced| {
        let since = replaced.kept_since();
        since.is_some_and(|since| since.is_younger_than(KEPT_FOR))
    };
    let kept = entries(paths);
    kept.iter()
        .any(|replaced| replaced.is_changed() || !is_recent(replaced))
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
    let mut kept = list(paths);
    kept.retain(|replaced| {
        // A crash came before the replacement: it is the board's file itself.
        let is_board = replaced.key.identity() == board.identity();
        if is_board {
            replaced.forget();
        }
        !is_board
    });
    let changed = (0..kept.len()).find_map(|place| {
        let replaced = kept.get(place)?;
        if !replaced.is_changed() || !is_at_rest(replaced) {
            return None;
        }
        let theirs = String::from_utf8(replaced.read()?).ok()?;
        let base = was(&kept, replaced, &board.stamp(), text.as_bytes());
        let base = base.and_then(|base| String::from_utf8(base).ok());
        // Where that is not known, a task that is only there was made there, or deleted here.
        let base = base.or_else(|| likely_base(text, &theirs, |ids| past::known(paths, ids)))?;
        if base == theirs {
            // Only its time has changed.
            replaced.forget();
            return None;
        }
        if is_cut(theirs.as_bytes(), base.as_bytes()) {
            // Half of what is meant; if nothing more comes, the board has all that it has.
            if !replaced.key.is_younger_than(KEPT_FOR) {
                replaced.forget();
            }
            return None;
        }
        let merged = merge_files(&base, text, &theirs).ok()?;
        Some((place, merged.text))
    });
    let (place, text) = changed?;
    let replaced = kept.swap_remove(place);
    Some(Rescued { text, replaced })
}

/// What was in a file when it was replaced, found by the way back from the file that replaced it: the board's, or one that
/// was replaced itself later.
fn was(kept: &[Replaced], replaced: &Replaced, board: &str, text: &[u8]) -> Option<Vec<u8>> {
    let mut ways = Vec::new();
    let mut at = replaced;
    let newest = loop {
        if ways.len() > kept.len() {
            return None;
        }
        let way = atomic_file::read(&atomic_file::open(&at.way_back()).ok()?).ok()?;
        let way = WayBack::read(&way)?;
        let from = way.from().to_owned();
        ways.push(way);
        if from == board {
            break text.to_vec();
        }
        at = kept.iter().find(|other| other.stamp == from)?;
        if !at.is_changed() {
            break at.read()?;
        }
    };
    let mut ways = ways.iter().rev();
    ways.try_fold(newest, |bytes, way| way.walk(&bytes))
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

/// The files that are kept.
fn list(paths: &Paths) -> Vec<Replaced> {
    let mut kept = entries(paths);
    kept.retain(|replaced| !replaced.is_copy());
    kept
}

/// All that is there. Through no link: whoever makes a repository could lead us anywhere.
fn entries(paths: &Paths) -> Vec<Replaced> {
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
        write_small(&folder.join(".gitignore"), b"*\n").ok()?;
    }
    Some(folder)
}

fn write_small(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(NO_FOLLOW);
    ownership::create_new(&mut options, path)?.write_all(bytes)
}
