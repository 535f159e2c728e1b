//! Which branch a project is on, as far as the history must know: what git exchanged is nobody's change.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::atomic_file;
use super::file_key::FileKey;

/// No name of a branch gets so long.
const LARGEST: u64 = 1024;
/// How much is read of git's own log, from its end.
const LOG_END: u64 = 64 * 1024;

/// What is checked out, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitHead {
    /// The name of a branch, or a commit.
    pub(crate) name: String,
    /// The state of the file that says so.
    file: FileKey,
    /// Where git keeps what it knows.
    folder: PathBuf,
}

impl GitHead {
    /// Whether git exchanged files when it went here, this one among them.
    pub(crate) fn has_exchanged(&self, file: &FileKey) -> bool {
        // Git writes down the branch after the files: what is younger than that was changed by somebody else.
        led_elsewhere(&self.folder).unwrap_or_else(|| !file.is_newer_than(&self.file))
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
        folder,
    })
}

/// Whether the last checkout led to another commit, as git's own log tells: a new branch begins where the old one is.
fn led_elsewhere(folder: &Path) -> Option<bool> {
    let mut file = atomic_file::open(&folder.join("logs/HEAD")).ok()?;
    let end = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(end.saturating_sub(LOG_END)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_END).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut checkouts = text
        .lines()
        .rev()
        .filter(|line| line.contains("\tcheckout: "));
    let mut commits = checkouts.next()?.split(' ');
    Some(commits.next()? != commits.next()?)
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
        let name = |root: &Path| read(root).map(|head| head.name);
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
        let check = |log: &str, expected: bool| {
            std::fs::write(root.join(".git/logs/HEAD"), log).unwrap();
            let board = FileKey::of(&root.join("board").metadata().unwrap());
            assert_eq!(read(root).unwrap().has_exchanged(&board), expected, "{log}");
        };
        let new = "aa aa Ann <ann> 1 +0000\tcheckout: moving from main to new\n";
        let other = "aa bb Ann <ann> 1 +0000\tcheckout: moving from main to other\n";
        let commit = "bb cc Ann <ann> 1 +0000\tcommit: checkout: of a book\n";
        check(new, false);
        check(&format!("{other}{new}{commit}"), false);
        check(&format!("{new}{other}{commit}"), true);
        // The file is not younger than what says which branch it is.
        check("", true);
    }
}
