//! What git makes of the board: it is meant to be committed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use todori_domain::Finding;

use crate::config::Folders;
use crate::install::{CLIENTS, MissingProgram, Site, survey};

/// Who merges the board, if that is said and can't be done.
pub(super) fn merging(folders: &Folders, root: &Path) -> Option<Finding> {
    let site = Site {
        folders,
        project: Some(root),
    };
    let git = CLIENTS.iter().find(|client| client.is_git())?;
    let survey = survey(git, &site);
    if let Some(MissingProgram { program, why, .. }) = survey.missing.first() {
        let says = format!("git is told to merge the board with {program}, which {why}");
        let advice = "`todori install git` names this program there; until then merges fail";
        return Some(Finding::problem("git", says).advise(advice));
    }
    survey.unfinished.then(|| {
        let says = ".gitattributes lets todori merge the board, and this clone does not know how";
        Finding::note("git", says)
            .advise("`todori install git` says it, once in each clone; until then git merges lines")
    })
}

/// Whether git keeps the file that is meant to be committed; `file` is relative to the project.
pub(super) fn examine(root: &Path, file: &str) -> Option<Finding> {
    if !root.join(".git").exists() {
        return None;
    }
    let folder = Path::new(file).parent()?.to_str()?;
    let Some(is_ignored) = git(root, &["check-ignore", "--quiet", file]) else {
        let says = "git does not say what it makes of the board";
        return Some(Finding::note("git", says).advise(format!(
            "see what git itself says: git -C {} status",
            root.display()
        )));
    };
    // 0: ignored, 1: not; anything else is no answer.
    match is_ignored {
        // All of it is kept out by somebody who wants that; the file alone hardly is.
        0 if git(root, &["check-ignore", "--quiet", folder])? == 0 => Some(
            Finding::note(
                "git",
                format!("git ignores {folder}: the board stays on this machine"),
            )
            .advise(format!(
                "worktrees share it so; to share it with others see: git check-ignore -v {folder}"
            )),
        ),
        0 => Some(
            Finding::problem("git", format!("git ignores {file}"))
                .advise(format!("see which rule does: git check-ignore -v {file}")),
        ),
        1 if !root.join(file).exists() => None,
        1 => Some(match git(root, &["ls-files", "--error-unmatch", file])? {
            0 => Finding::ok("git", format!("{file} is tracked")),
            _ => Finding::note("git", format!("{file} is not tracked yet"))
                .advise(format!("commit it to share it: git add {folder}")),
        }),
        _ => None,
    }
}

/// How long git may take; a repository can hold files that it would wait for without end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs git, which says nothing; none if there is no git, or no answer.
fn git(root: &Path, arguments: &[&str]) -> Option<i32> {
    let mut command = Command::new("git");
    // Whatever a repository would like to be run is not.
    command
        .args(["-c", "core.fsmonitor=false", "-C"])
        .arg(root)
        .args(arguments);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut running = command.spawn().ok()?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(ended) = running.try_wait().ok()? {
            return ended.code();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(running.kill());
    drop(running.wait());
    None
}
