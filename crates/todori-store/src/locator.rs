//! Finds the folder of the project that a board belongs to.

use std::path::{Path, PathBuf};

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

/// Follows the `.git` file of a linked worktree to the folder of the main one; `None` for a submodule, and for a
/// worktree of a bare repository, which has no main one.
fn main_worktree(folder: &Path, git: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(git).ok()?;
    let own = folder.join(text.strip_prefix("gitdir:")?.trim());
    let common = std::fs::read_to_string(own.join("commondir")).ok()?;
    let common = own.join(common.trim()).canonicalize().ok()?;
    (common.file_name()? == ".git").then(|| common.parent().map(Path::to_owned))?
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
