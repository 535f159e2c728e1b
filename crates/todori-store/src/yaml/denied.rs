//! Who may use the files of a project, if not this user: whose they are, and what to type about it.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD};
use rustix::io::Errno;

use super::failure::words;
use super::paths::Paths;

/// A file that this user may not use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denied {
    /// What it is, by the name that people know it by.
    name: String,
    owner: u32,
    group: u32,
    mode: u32,
    why: Errno,
}

/// Finds the first file of a project that this user would have to use and may not.
pub(crate) fn find(paths: &Paths) -> Option<Denied> {
    // The board's file is replaced, not written to.
    let needed: [(PathBuf, Access); 6] = [
        (paths.root.clone(), Access::EXEC_OK),
        (
            paths.folder.clone(),
            Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK,
        ),
        (
            paths.board_folder().to_owned(),
            Access::WRITE_OK | Access::EXEC_OK,
        ),
        (paths.board.clone(), Access::READ_OK),
        (paths.lock.clone(), Access::READ_OK | Access::WRITE_OK),
        (paths.history(0), Access::READ_OK | Access::WRITE_OK),
    ];
    let mut needed = needed.into_iter();
    needed.find_map(|(path, access)| check(paths, &path, access))
}

fn check(paths: &Paths, path: &Path, access: Access) -> Option<Denied> {
    let why = rustix::fs::accessat(CWD, path, access, AtFlags::EACCESS).err()?;
    let found = path.metadata().ok()?;
    let name = path.strip_prefix(&paths.root).unwrap_or(path);
    let name = if name.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        name.display().to_string()
    };
    Some(Denied {
        name,
        owner: found.uid(),
        group: found.gid(),
        mode: found.mode(),
        why,
    })
}

impl Denied {
    /// What is wrong.
    pub(crate) fn says(&self) -> String {
        let Self { name, owner, .. } = self;
        if self.why == Errno::ROFS {
            return format!("{name} lies on a disk that is read-only");
        }
        let user = rustix::process::geteuid().as_raw();
        if *owner == user {
            return format!(
                "{name} is yours, but its mode ({:o}) keeps you out",
                self.mode & 0o7777
            );
        }
        if self.why == Errno::ACCESS {
            return format!(
                "{name} belongs to {}, and you are {}",
                name_of(*owner),
                name_of(user)
            );
        }
        format!(
            "{name} can't be used: {}",
            words(&io::Error::from(self.why))
        )
    }

    /// What to type about it in the project's folder, if anything would help.
    pub(crate) fn advice(&self) -> String {
        let Self { name, owner, .. } = self;
        if self.why == Errno::ROFS {
            return "work on a copy, or mount the disk so that it can be written to".to_owned();
        }
        let user = rustix::process::geteuid();
        if *owner == user.as_raw() {
            return format!("chmod -R u+rwX {name}");
        }
        if rustix::process::getegid().as_raw() == self.group && self.mode & 0o070 != 0o070 {
            return format!(
                "if the group is meant to share the board: sudo chmod -R g+rwXs .todori; if it is yours alone: \
                 sudo chown -R \"$(id -un)\" {name}"
            );
        }
        format!("sudo chown -R \"$(id -un)\" {name}")
    }
}

/// What to say when permission was denied; the plain words of the system where nothing more is known.
pub(crate) fn explain(paths: &Paths, error: &io::Error) -> String {
    let is_denied = matches!(
        Errno::from_io_error(error),
        Some(Errno::ACCESS | Errno::PERM)
    );
    let found = is_denied.then(|| find(paths)).flatten();
    found.map_or_else(
        || words(error),
        |denied| {
            let (says, advice) = (denied.says(), denied.advice());
            format!("permission was denied: {says}; type: {advice}")
        },
    )
}

/// The name of a user, as far as this machine's own list knows it.
fn name_of(user: u32) -> String {
    let number = user.to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("user {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(owner: u32, why: Errno) -> Denied {
        Denied {
            name: ".todori".to_owned(),
            owner,
            group: u32::MAX,
            mode: 0o40_500,
            why,
        }
    }

    #[test]
    fn nobody_is_told_to_do_what_they_cannot_do() {
        let user = rustix::process::geteuid().as_raw();
        let read_only = denied(user, Errno::ROFS);
        assert_eq!(read_only.says(), ".todori lies on a disk that is read-only");
        assert!(!read_only.advice().contains("chmod"));
        let own = denied(user, Errno::ACCESS);
        assert_eq!(
            own.says(),
            ".todori is yours, but its mode (500) keeps you out"
        );
        assert_eq!(own.advice(), "chmod -R u+rwX .todori");
        let of_somebody = denied(user + 4_000_000, Errno::ACCESS);
        assert!(of_somebody.says().starts_with(".todori belongs to user "));
        assert_eq!(of_somebody.advice(), "sudo chown -R \"$(id -un)\" .todori");
    }
}
