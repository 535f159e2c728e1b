//! The files of a project: whether they can be written to, where they lie, what others left there.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use super::{Finding, count};

/// What `.gitignore` must keep out of commits.
const NOT_COMMITTED: [&str; 3] = ["/.lock", "/history*.jsonl", "/sessions/"];
/// From here on a history is worth a word: it is turned over at some size by itself.
const LARGE_HISTORY: u64 = 64 * 1024 * 1024;

/// `vanished` says that the board was there and is not any more, which somebody else tells.
pub(super) fn examine(root: &Path, vanished: bool) -> Vec<Finding> {
    let folder = root.join(".todori");
    if !folder.is_dir() {
        return vec![
            Finding::note("store", "there is no .todori yet; the first task makes it")
                .advise("`todori init` makes it now"),
        ];
    }
    let mut findings = Vec::from_iter(writable(&folder, vanished));
    findings.extend(network(&folder));
    findings.extend(ignores(&folder));
    findings.push(history(&folder));
    findings.extend(sessions(&folder));
    findings
}

fn writable(folder: &Path, vanished: bool) -> Option<Finding> {
    let board = folder.join("tasks.yaml");
    let can_write = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK);
    // The file is replaced, not written to: the folder is what counts.
    Some(match can_write(folder) {
        Ok(()) if vanished => return None,
        Ok(()) if board.exists() => Finding::ok("store", ".todori/tasks.yaml can be written to"),
        Ok(()) => Finding::note(
            "store",
            "there is no .todori/tasks.yaml yet; the first task makes it",
        ),
        Err(error) => Finding::problem(
            "store",
            format!(".todori can't be written to: {}", io::Error::from(error)),
        )
        .advise("give yourself the right: chmod u+w .todori"),
    })
}

/// The first line of an unfinished merge in the board's file.
pub(super) fn conflict(root: &Path) -> Option<usize> {
    let file = File::open(root.join(".todori/tasks.yaml")).ok()?;
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
            Finding::note(
                "store",
                format!(".todori lies on a file system that may be elsewhere ({name})"),
            )
            .advise("locks may not reach other machines there: let one machine write at a time")
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        None
    }
}

fn ignores(folder: &Path) -> Option<Finding> {
    let text = std::fs::read_to_string(folder.join(".gitignore")).unwrap_or_default();
    let missing: Vec<&str> = NOT_COMMITTED
        .into_iter()
        .filter(|line| !text.lines().any(|own| own.trim() == *line))
        .collect();
    (!missing.is_empty()).then(|| {
        Finding::note(
            "store",
            format!(".todori/.gitignore lacks {}", missing.join(", ")),
        )
        .advise("add these lines, so that locks, sessions and the history are not committed")
    })
}

fn history(folder: &Path) -> Finding {
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let is_history = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("history"))
            && path.extension().is_some_and(|end| end == "jsonl")
    };
    let files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(is_history)
        .collect();
    let (mut bytes, mut lines, mut broken) = (0, 0usize, 0usize);
    for path in files {
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) => {
                return Finding::problem(
                    "history",
                    format!("{} can't be read: {error}", path.display()),
                )
                .advise("without it there is no `todori log` and nothing to go back to");
            }
        };
        bytes += file.metadata().map_or(0, |found| found.len());
        for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
            lines += 1;
            if serde_json::from_slice::<serde_json::Value>(&line).is_err() {
                broken += 1;
            }
        }
    }
    let says = format!("{}, {}", count(lines, "line"), size(bytes));
    if broken > 0 {
        return Finding::note("history", format!("{says}; {broken} of them can't be read"))
            .advise("they are passed over; a crash or an editor can leave such lines");
    }
    if bytes > LARGE_HISTORY {
        return Finding::note("history", says)
            .advise("move .todori/history.jsonl away if you do not need it");
    }
    Finding::ok("history", says)
}

/// Files of sessions whose processes are gone.
fn sessions(folder: &Path) -> Option<Finding> {
    let entries = std::fs::read_dir(folder.join("sessions")).ok()?;
    let locks = entries.filter_map(Result::ok).map(|entry| entry.path());
    let locks = locks.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.ends_with(".session.lock"))
    });
    // Whoever lives keeps its file locked. The look lets go at once.
    let is_free = |path: &PathBuf| File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    let (free, held): (Vec<PathBuf>, Vec<PathBuf>) = locks.partition(is_free);
    if !free.is_empty() {
        let says = format!(
            "{} ended without clearing up, {} live",
            count(free.len(), "session"),
            held.len()
        );
        return Some(
            Finding::note("sessions", says)
                .advise("the next session sweeps .todori/sessions; there is nothing to do"),
        );
    }
    (!held.is_empty()).then(|| Finding::ok("sessions", format!("{} live", held.len())))
}

/// A number of bytes, for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KB", bytes / 1024),
        _ => format!("{} MB", bytes / 1024 / 1024),
    }
}
