//! Finds the folder of the project that a board belongs to.

use std::path::{Path, PathBuf};

use crate::regular_file;

/// Where to look for the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Exactly here; somebody said so.
    Given(PathBuf),
    /// Here or in the nearest folder above that is a project.
    From(PathBuf),
}

/// Why there is no project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    /// What was given is no folder.
    #[error("there is no folder {0}")]
    NoSuchFolder(String),
    /// No folder from here upwards is a project.
    #[error("there is no project here: no .todori or .git from {0} upwards")]
    NotFound(String),
}

/// Finds the root of the project: the nearest folder with a `.todori` or a `.git`. A linked worktree of git without a
/// `.todori` of its own shares the board of the main one.
pub fn find_project(origin: &Origin) -> Result<PathBuf, LocateError> {
    let start = match origin {
        Origin::Given(path) if path.is_dir() => return Ok(path.clone()),
        Origin::Given(path) => return Err(LocateError::NoSuchFolder(path.display().to_string())),
        Origin::From(path) => path,
    };
    for folder in start.ancestors() {
        if folder.join(".todori").is_dir() {
            return Ok(folder.to_owned());
        }
        let git = folder.join(".git");
        if git.is_dir() {
            return Ok(folder.to_owned());
        }
        if git.is_file() {
            return Ok(main_worktree(folder, &git).unwrap_or_else(|| folder.to_owned()));
        }
    }
    Err(LocateError::NotFound(start.display().to_string()))
}

/// The folders that are looked at before the project in `root` is found: one that gets a board later is the project then.
/// A linked worktree does by a merge.
pub(crate) fn nearer(origin: &Origin, root: &Path) -> Vec<PathBuf> {
    let Origin::From(start) = origin else {
        return Vec::new();
    };
    let mut folders = Vec::new();
    for folder in start.ancestors().take_while(|folder| *folder != root) {
        folders.push(folder.to_owned());
        if folder.join(".git").exists() {
            break;
        }
    }
    folders
}

/// Follows the `.git` file of a linked worktree to the folder of the main one; `None` for a submodule, and for a
/// worktree of a bare repository, which has no main one.
///
/// Anybody can write a file that names the repository of somebody else. Only what the main repository itself says about
/// its worktrees is believed: the folder for this worktree is one of its own, and names this one.
fn main_worktree(folder: &Path, git: &Path) -> Option<PathBuf> {
    let named = regular_file::read_line(git).ok()?;
    let own = folder.join(named.strip_prefix("gitdir:")?.trim());
    let own = own.canonicalize().ok()?;
    let common = own.join(regular_file::read_line(&own.join("commondir")).ok()?);
    let common = common.canonicalize().ok()?;
    let back = own.join(regular_file::read_line(&own.join("gitdir")).ok()?);
    let is_one_of_its_own = own.parent()? == common.join("worktrees");
    let is_named = back.canonicalize().ok()? == git.canonicalize().ok()?;
    let is_believed = is_one_of_its_own && is_named && common.file_name()? == ".git";
    is_believed.then(|| common.parent().map(Path::to_owned))?
}

/// Says how a project was found, for people.
pub(crate) fn how_found(root: &Path, origin: &Origin) -> String {
    let shown = root.display();
    match origin {
        Origin::Given(_) => format!("{shown} (as given)"),
        Origin::From(start) if start == root => format!("{shown} (here)"),
        Origin::From(start) if start.starts_with(root) => {
            format!("{shown} (found upwards from {})", start.display())
        }
        Origin::From(start) => {
            format!("{shown} (the main worktree of {})", start.display())
        }
    }
}
