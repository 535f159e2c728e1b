//! Where the files of a project's board are. Checked component by component: nothing is read or written through a
//! link that leads out of the project.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The files of one project, relative to its root.
pub(crate) const FOLDER: &str = ".todori";
/// What errors call the board's file.
pub(crate) const BOARD_FILE: &str = ".todori/tasks.yaml";

/// What must not be committed.
pub(crate) const GITIGNORE: &str = "\
# The board itself (tasks.yaml) is meant to be committed; this is not.
/.lock
/.lock.*
/.tasks.yaml.tmp
/history*.jsonl
/sessions/
";

/// The files of one project.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
    /// The board's file; where that is a link inside the project, what it points to.
    pub(crate) board: PathBuf,
    pub(crate) lock: PathBuf,
    pub(crate) gitignore: PathBuf,
    /// What stood at the folder's name when these were found: another folder, or a link, may take its place.
    found: Option<Identity>,
}

/// Tells what stands at a name from what takes its place.
type Identity = (u64, u64);

fn identity(path: &Path) -> Option<Identity> {
    let found = path.symlink_metadata().ok()?;
    Some((found.dev(), found.ino()))
}

impl Paths {
    /// Finds the files of a project. The root is taken as it is given; below it no link may lead out.
    pub(crate) fn of(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let found = identity(&root.join(FOLDER));
        let folder = inside(&root, &root.join(FOLDER))?;
        let board = inside(&root, &folder.join("tasks.yaml"))?;
        let (lock, gitignore) = (folder.join(".lock"), folder.join(".gitignore"));
        Ok(Self {
            root,
            folder,
            board,
            lock,
            gitignore,
            found,
        })
    }

    /// Whether the folder is still the one that was found. A checkout may put a link in its place at any time.
    pub(crate) fn are_current(&self) -> bool {
        self.found.is_some() && identity(&self.root.join(FOLDER)) == self.found
    }

    /// The file that a new board is written to before it takes the old one's place. It has one fixed name, so that a
    /// process that is killed leaves at most one such file behind.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.board_folder().join(".tasks.yaml.tmp")
    }

    /// The folder that the board's file is in.
    pub(crate) fn board_folder(&self) -> &Path {
        self.board.parent().unwrap_or(&self.folder)
    }

    /// The history, newest file first for `age` 0.
    pub(crate) fn history(&self, age: usize) -> PathBuf {
        match age {
            0 => self.folder.join("history.jsonl"),
            age => self.folder.join(format!("history.{age}.jsonl")),
        }
    }
}

/// Follows a link once, if there is one, and refuses it if it leads out of the project.
fn inside(root: &Path, path: &Path) -> io::Result<PathBuf> {
    match path.symlink_metadata() {
        Ok(found) if found.file_type().is_symlink() => {
            let target = path.canonicalize()?;
            if target.starts_with(root) {
                return Ok(target);
            }
            let what = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            Err(io::Error::other(format!(
                "{what} is a link that leads out of the project"
            )))
        }
        Ok(_) => Ok(path.to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        // What can't be looked at can't be used either: whoever tries says whose it is.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(path.to_owned()),
        Err(error) => Err(error),
    }
}
