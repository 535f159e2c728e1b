//! The folder that the files of sessions are in. Nothing is made, read or swept there unless it is really ours: a
//! link, or a folder that somebody else put there, could lead us to delete or reveal what is not meant for us.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::ownership;
use super::paths::Paths;

/// Permission to write, for anybody but the owner.
const OTHERS_WRITE: u32 = 0o022;

/// A folder for the files of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionFolder {
    /// In the project, reached through no link.
    Project(PathBuf),
    /// In the user's runtime folder, where it must belong to that user alone.
    Runtime(PathBuf),
}

impl SessionFolder {
    /// The folder of a project.
    pub(crate) fn of(paths: &Paths) -> Self {
        Self::Project(paths.folder.join("sessions"))
    }

    /// The folder, if it is there and ours.
    pub(crate) fn find(&self) -> Option<&Path> {
        let (Self::Project(path) | Self::Runtime(path)) = self;
        self.is_ours().then_some(path)
    }

    /// Makes sure that the folder is there. Fails if it is not ours.
    pub(crate) fn make(&self) -> io::Result<&Path> {
        let made = match self {
            // Never the folders above: showing a session makes no project.
            Self::Project(path) => ownership::create_folder(path),
            Self::Runtime(path) => DirBuilder::new().mode(0o700).recursive(true).create(path),
        };
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        self.find()
            .ok_or_else(|| io::Error::other("the folder for sessions is not ours"))
    }

    fn is_ours(&self) -> bool {
        match self {
            // The path is made of a project without links; it is still without if it leads to itself.
            Self::Project(path) => {
                path.is_dir() && path.canonicalize().is_ok_and(|real| real == *path)
            }
            // Whoever owns the folder above could put another one in this one's place.
            Self::Runtime(path) => is_private(path) && path.parent().is_some_and(is_private),
        }
    }
}

/// Whether this is a real folder that belongs to this user, and that nobody else may write to.
fn is_private(path: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    path.symlink_metadata().is_ok_and(|found| {
        found.is_dir() && found.uid() == user && found.mode() & OTHERS_WRITE == 0
    })
}
