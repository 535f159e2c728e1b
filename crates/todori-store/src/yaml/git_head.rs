//! Which branch a project is on, as far as the history must know: what git exchanged is nobody's change.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::atomic_file;
use super::file_key::FileKey;

/// No name of a branch gets so long.
const LARGEST: u64 = 1024;
/// How much is read of git's own log, from its end: a hundred lines or so.
const LOG_END: u64 = 16 * 1024;

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitHead {
    /// The name of a branch, or a commit.
    name: String,
    /// The state of the file that says so.
    file: FileKey,
    /// As far as git's log tells, newest first.
    checkouts: Vec<Checkout>,
}

/// One checkout, as git's log tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Checkout {
    /// Tells it from others.
    mark: String,
    /// Whether it led to another commit. A new branch begins where the old one is.
    is_elsewhere: bool,
}

impl GitHead {
    /// What the history remembers of it: the branch, and the last checkout.
    pub(crate) fn mark(&self) -> String {
        let Self {
            name, checkouts, ..
        } = self;
        let last = checkouts.first().map_or("", |last| last.mark.as_str());
        format!("{name} {last}")
    }

    /// Whether git has exchanged files, this one among them, since the history remembered this.
    pub(crate) fn has_exchanged(&self, file: &FileKey, remembered: &str) -> bool {
        let (name, last) = remembered.split_once(' ').unwrap_or((remembered, ""));
        if self.checkouts.is_empty() {
            // Git writes down the branch after the files: what is younger than that was changed by somebody else.
            return self.name != name && !file.is_newer_than(&self.file);
        }
        let since = self.checkouts.iter();
        let mut since = since.take_while(|checkout| checkout.mark != last);
        since.any(|checkout| checkout.is_elsewhere)
    }
}

/// Finds out what is checked out in the project with this root; none without git.
pub(crate) fn read(root: &Path) -> Option<GitHead> {
    let folder = git_folder(&root.join(".git"))?;
    let file = atomic_file::open(&folder.join("HEAD")).ok()?;
    let key = FileKey::of(&file.metadata().ok()?);
    let text = text_of(file)?;
    let name = text.trim();
    let name = name.strip_prefix("ref: ").unwrap_or(name);
    let is_plain = name.bytes().all(|byte| byte.is_ascii_graphic());
    (is_plain && !name.is_empty()).then(|| GitHead {
        name: name.to_owned(),
        file: key,
        checkouts: checkouts(&folder).unwrap_or_default(),
    })
}

fn checkouts(folder: &Path) -> Option<Vec<Checkout>> {
    let mut file = atomic_file::open(&folder.join("logs/HEAD")).ok()?;
    let end = file.metadata().ok()?.len();
    let start = SeekFrom::Start(end.saturating_sub(LOG_END));
    file.seek(start).ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_END).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // The first line may have lost its beginning.
    let whole = if end > LOG_END {
        text.split_once('\n').map_or("", |(_, rest)| rest)
    } else {
        &text
    };
    let lines = whole.lines().rev().filter_map(|line| {
        let (beginning, rest) = line.split_once('\t')?;
        let mut commits = beginning.split(' ');
        let is_elsewhere = commits.next()? != commits.next()?;
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        rest.starts_with("checkout: ").then(|| Checkout {
            mark: format!("{:x}", hasher.finish()),
            is_elsewhere,
        })
    });
    Some(lines.collect())
}

/// The folder of git itself. In a linked worktree and in a submodule, a file says where that is.
fn git_folder(path: &Path) -> Option<PathBuf> {
    let found = path.symlink_metadata().ok()?;
    if found.is_dir() {
        return Some(path.to_owned());
    }
    let text = text_of(atomic_file::open(path).ok()?)?;
    let folder = text.trim().strip_prefix("gitdir: ")?;
    Some(path.parent()?.join(folder))
}

fn text_of(file: std::fs::File) -> Option<String> {
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this plays git")]
    fn the_branch_is_found_with_or_without_a_file_in_between() {
        let project = tempfile::TempDir::new().unwrap();
        let root = project.path();
        let name = |root: &Path| read(root).map(|head| head.name.clone());
        assert_eq!(name(root), None);
        std::fs::create_dir_all(root.join(".git/worktrees/w")).unwrap();
        assert_eq!(name(root), None);
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(name(root).as_deref(), Some("refs/heads/main"));
        std::fs::write(root.join(".git/worktrees/w/HEAD"), "1a2b3c\n").unwrap();
        std::fs::create_dir(root.join("w")).unwrap();
        std::fs::write(root.join("w/.git"), "gitdir: ../.git/worktrees/w\n").unwrap();
        assert_eq!(name(&root.join("w")).as_deref(), Some("1a2b3c"));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this plays git")]
    fn a_new_branch_exchanges_no_files() {
        let project = tempfile::TempDir::new().unwrap();
        let root = project.path();
        std::fs::create_dir_all(root.join(".git/logs")).unwrap();
        std::fs::write(root.join("board"), "").unwrap();
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let exchanged = |remembered: &str, log: &str| {
            std::fs::write(root.join(".git/logs/HEAD"), log).unwrap();
            let board = FileKey::of(&root.join("board").metadata().unwrap());
            read(root).unwrap().has_exchanged(&board, remembered)
        };
        let check = |then: &str, since: &str, expected: bool| {
            exchanged("", then);
            let remembered = read(root).unwrap().mark();
            let now = format!("{then}{since}");
            assert_eq!(exchanged(&remembered, &now), expected, "{now}");
        };
        let new = "aa aa Ann B <ann> 1 +0000\tcheckout: moving from main to new\n";
        let other = "aa bb Ann B <ann> 1 +0000\tcheckout: moving from main to other\n";
        let back = "bb aa Ann B <ann> 1 +0000\tcheckout: moving from other to main\n";
        let commit = "bb cc Ann B <ann> 1 +0000\tcommit: checkout: of a book\n";
        check("", new, false);
        check("", &format!("{other}{new}{commit}"), true);
        check("", &format!("{other}{back}"), true);
        check(other, &format!("{new}{commit}"), false);
        check(other, &format!("{commit}{back}"), true);
        // Without a log: the file is not younger than what says which branch it is.
        assert!(exchanged("refs/heads/old ", ""));
        assert!(!exchanged("refs/heads/main ", ""));
    }
}
