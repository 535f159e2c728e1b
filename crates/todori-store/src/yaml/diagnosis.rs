//! What is wrong with the files of a project, or will be, and what to do about it. Looks only.

use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use todori_domain::{Finding, StoreError};

use super::history_files::{self, Health};
use super::paths::{BOARD_FILE, FOLDER, GITIGNORE, Paths};
use super::presence;
use super::session_folder::SessionFolder;
use super::{atomic_file, denied, ownership, promises, replaced};

/// Looks at everything. `read` is what reading the board came to.
pub(crate) fn examine(paths: &Paths, read: Result<(), &StoreError>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Err(error) = read {
        findings.push(unreadable(error, paths));
    }
    if !paths.folder.is_dir() {
        let says = "there is no .todori yet; the first task makes it";
        let note = Finding::note("store", says).advise("`todori init` makes it now");
        return [findings, vec![note]].concat();
    }
    let vanished = matches!(read, Err(StoreError::Vanished { .. }));
    findings.extend(writable(paths, vanished));
    findings.extend(network(&paths.folder));
    findings.extend(promises::examine(paths));
    findings.extend(replaced::examine(paths));
    findings.extend(ignores(paths));
    findings.push(history(paths));
    findings.extend(sessions(&paths.folder));
    findings.extend(warnings(paths));
    findings
}

/// What whoever starts a server should know.
pub(crate) fn warnings(paths: &Paths) -> Vec<Finding> {
    let files = [(FOLDER, &paths.folder), (BOARD_FILE, &paths.board)];
    let open = files
        .into_iter()
        .filter(|(_, path)| is_open_to_others(path));
    let note = |(name, _)| {
        Finding::note("store", format!("{name} is writable by others"))
            .advise(format!("chmod go-w {name}"))
    };
    open.map(note).collect()
}

/// Whether somebody else than the owner may write here. A group of the same number as its user has nobody else in it.
fn is_open_to_others(path: &Path) -> bool {
    const GROUP: u32 = 0o020;
    const EVERYBODY: u32 = 0o002;
    let folder = if path.is_dir() {
        Some(path)
    } else {
        path.parent()
    };
    let is_shared = |folder: &Path| {
        folder
            .metadata()
            .is_ok_and(|found| ownership::is_shared(&found))
    };
    let is_shared = folder.is_some_and(is_shared);
    path.metadata().is_ok_and(|found| {
        // A folder that gives its group to what is made in it is shared on purpose.
        let shared = if found.gid() == found.uid() || is_shared {
            EVERYBODY
        } else {
            EVERYBODY | GROUP
        };
        found.mode() & shared != 0
    })
}

fn unreadable(error: &StoreError, paths: &Paths) -> Finding {
    if let Some(line) = conflict(paths) {
        let says = format!("{BOARD_FILE} holds a merge that was not finished, from line {line} on");
        return Finding::problem("board", says).advise(
            "choose one side of each <<<<<<< ... >>>>>>> and delete the marks; tasks are blocks of their own",
        );
    }
    let advice = match error {
        StoreError::NoBoard { advice, .. }
        | StoreError::Broken { advice, .. }
        | StoreError::Vanished { advice, .. } => advice.as_str(),
        StoreError::Busy { .. }
        | StoreError::Unreachable { .. }
        | StoreError::Denied { .. }
        | StoreError::Unreadable { .. }
        | StoreError::NotApplied { .. }
        | StoreError::OutcomeUnknown { .. } => "see what the system says, and try again",
    };
    Finding::problem("board", error.to_string()).advise(advice)
}

fn writable(paths: &Paths, vanished: bool) -> Option<Finding> {
    Some(match denied::find(paths) {
        Some(denied) => Finding::problem("store", denied.says()).advise(denied.advice()),
        None if vanished => return None,
        None if paths.board.exists() => {
            Finding::ok("store", format!("{BOARD_FILE} can be written to"))
        }
        None => {
            let says = format!("there is no {BOARD_FILE} yet; the first task makes it");
            Finding::note("store", says)
        }
    })
}

/// The first line of an unfinished merge in the board's file.
fn conflict(paths: &Paths) -> Option<usize> {
    let file = atomic_file::open(&paths.board).ok()?;
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let mut marks = (1..).zip(lines).filter(|(_, line)| {
        ["<<<<<<<", ">>>>>>>", "|||||||"]
            .iter()
            .any(|mark| line.starts_with(mark))
            || line == "======="
    });
    marks.next().map(|(number, _)| number)
}

/// Whether the folder lies on another machine, where locks and sudden ends are another matter.
fn network(folder: &Path) -> Option<Finding> {
    #[cfg(target_os = "linux")]
    {
        const NETWORK: [(i64, &str); 8] = [
            (0x6969, "NFS"),
            (0x517b, "SMB"),
            (0xff53_4d42, "CIFS"),
            (0xfe53_4d42, "SMB 2"),
            (0x5346_414f, "AFS"),
            (0x00c3_6400, "Ceph"),
            (0x0102_1997, "9P"),
            (0x6573_5546, "FUSE"),
        ];
        let kind = rustix::fs::statfs(folder).ok()?.f_type;
        let found = NETWORK.iter().find(|(number, _)| *number == kind);
        found.map(|(_, name)| {
            let says = format!("{FOLDER} lies on a file system that may be elsewhere ({name})");
            Finding::note("store", says)
                .advise("locks may not reach other machines there: let one machine write at a time")
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        None
    }
}

/// What `.gitignore` must keep out of commits, and does not.
fn ignores(paths: &Paths) -> Option<Finding> {
    let read = atomic_file::open(&paths.gitignore).and_then(|file| atomic_file::read(&file));
    let text = match read {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        // Whose it is stands elsewhere; there is nothing to say about git then.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return None,
        Err(error) => {
            let says = format!("{FOLDER}/.gitignore can't be read: {error}");
            return Some(Finding::note("store", says).advise(
                "remove it, and the next write makes a new one that keeps locks, sessions and the history out of git",
            ));
        }
    };
    let wanted = GITIGNORE.lines().filter(|line| line.starts_with('/'));
    // These are there for a moment only.
    let is_temporary = |line: &str| ["/.lock.*", "/.tasks.yaml.tmp"].contains(&line);
    let wanted = wanted.filter(|line| !is_temporary(line));
    let missing: Vec<&str> = wanted
        .filter(|line| !text.lines().any(|own| own.trim() == *line))
        .collect();
    (!missing.is_empty()).then(|| {
        let says = format!("{FOLDER}/.gitignore lacks {}", missing.join(", "));
        Finding::note("store", says)
            .advise("add these lines, so that locks, sessions and the history are not committed")
    })
}

fn history(paths: &Paths) -> Finding {
    let Health {
        bytes,
        lines,
        unreadable,
        unread,
        closed,
    } = history_files::examine(paths);
    if let Some((name, reason)) = closed.first() {
        let says = format!("{FOLDER}/{name} can't be read: {reason}");
        return Finding::problem("history", says)
            .advise("without it there is no `todori log` and nothing to go back to");
    }
    let says = format!("{}, {}", count(lines, "line"), size(bytes));
    if unread > 0 {
        let says = format!("{says}; the oldest {} are never read", size(unread));
        return Finding::note("history", says).advise(format!(
            "a file of the history is larger than todori makes them: move it out of {FOLDER}"
        ));
    }
    if unreadable > 0 {
        let says = format!("{says}; {unreadable} of them can't be read");
        return Finding::note("history", says)
            .advise("they are passed over; a crash or an editor can leave such lines");
    }
    Finding::ok("history", says)
}

/// Files of sessions whose processes are gone.
fn sessions(folder: &Path) -> Option<Finding> {
    let folder = SessionFolder::Project(folder.join("sessions"));
    let entries = std::fs::read_dir(folder.find()?).ok()?;
    let locks = entries.filter_map(Result::ok).map(|entry| entry.path());
    let locks = locks.filter(|path| presence::has_ending(path, presence::ENDING));
    // Whoever lives keeps its file locked. The look lets go at once.
    let (held, free): (Vec<PathBuf>, Vec<PathBuf>) =
        locks.partition(|path| presence::is_held(path));
    if !free.is_empty() {
        let says = format!(
            "{} ended without clearing up, {} live",
            count(free.len(), "session"),
            held.len()
        );
        return Some(Finding::note("sessions", says).advise(format!(
            "the next session sweeps {FOLDER}/sessions; there is nothing to do"
        )));
    }
    (!held.is_empty()).then(|| Finding::ok("sessions", format!("{} live", held.len())))
}

/// A number of things.
fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// A number of bytes, for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KB", bytes / 1024),
        _ => format!("{} MB", bytes / 1024 / 1024),
    }
}
