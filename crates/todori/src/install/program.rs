//! What a client must run: `todori`, if that means this very program, else its full path.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::NAME;
use crate::config::Folders;

/// What a client must run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) command: String,
    /// Whether it is found by its name.
    pub(crate) on_path: bool,
}

impl Program {
    /// This very program; none where nobody knows where it is.
    pub(crate) fn find(folders: &Folders) -> Option<Self> {
        let this = std::env::current_exe().ok()?;
        if find_on_path(NAME, folders).is_some_and(|found| is_same(&found, &this)) {
            return Some(Self {
                command: NAME.to_owned(),
                on_path: true,
            });
        }
        Some(Self {
            command: this.to_str()?.to_owned(),
            on_path: false,
        })
    }

    /// The command with a verb, as a shell reads it.
    pub(crate) fn shell(&self, verb: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_./-+@%".contains(c);
        if self.command.chars().all(plain) {
            format!("{} {verb}", self.command)
        } else {
            format!("'{}' {verb}", self.command.replace('\'', "'\\''"))
        }
    }
}

/// Whether there is a program of this name.
pub(crate) fn is_on_path(name: &str, folders: &Folders) -> bool {
    find_on_path(name, folders).is_some()
}

/// The first program of this name.
pub(crate) fn find_on_path(name: &str, folders: &Folders) -> Option<PathBuf> {
    let candidates = folders.programs.iter().map(|folder| folder.join(name));
    candidates.into_iter().find(|path| {
        path.metadata()
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

fn is_same(one: &Path, other: &Path) -> bool {
    let key = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    key(one).is_some() && key(one) == key(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_path_as_one_word() {
        let check = |command: &str, expected: &str| {
            let program = Program {
                command: command.to_owned(),
                on_path: false,
            };
            assert_eq!(program.shell("statusline"), expected);
        };
        check("todori", "todori statusline");
        check("/usr/local/bin/todori", "/usr/local/bin/todori statusline");
        check("/my apps/todori", "'/my apps/todori' statusline");
        check("/it's/todori", "'/it'\\''s/todori' statusline");
    }
}
