//! Finds the project that a board belongs to, and opens its store.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use todori_domain::{
    BoardKey, Decide, Moment, Outcome, Promise, Revision, Snapshot, Store, StoreError, Want,
};

use crate::{SessionBoards, YamlStore};

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
    #[error("no .todori or .git from {0} upwards")]
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

/// The boards of whatever project is found: looked for when first needed, and again as long as there is none, so that
/// a server that was started too early finds the project that is made later. The boards of sessions need no project.
#[derive(Debug)]
pub struct ProjectStore {
    origin: Origin,
    project: OnceLock<YamlStore>,
    sessions: SessionBoards,
}

impl ProjectStore {
    /// Looks nowhere yet.
    pub fn new(origin: Origin, sessions: SessionBoards) -> Self {
        Self {
            origin,
            project: OnceLock::new(),
            sessions,
        }
    }

    /// Ends the sessions whose names end with this mark: their lists go, and what they had in progress is free.
    pub fn end_sessions(&self, mark: &str) {
        self.sessions.end(mark, self.root().as_deref());
        if let Some(project) = self.project.get() {
            project.end_sessions(mark);
        }
    }

    /// Frees what the sessions whose names end with this mark have in progress; their lists stay.
    pub fn release_sessions(&self, mark: &str) {
        if let Some(project) = self.project.get() {
            project.end_sessions(mark);
        }
    }

    fn project(&self) -> Result<&YamlStore, StoreError> {
        if let Some(store) = self.project.get() {
            return Ok(store);
        }
        let root = find_project(&self.origin).map_err(|_| {
            let (Origin::Given(from) | Origin::From(from)) = &self.origin;
            StoreError::NoProject {
                from: from.display().to_string(),
            }
        })?;
        let store = YamlStore::open(&root).map_err(|error| StoreError::Unreadable {
            reason: error.to_string(),
        })?;
        Ok(self.project.get_or_init(|| store))
    }

    /// What people should know about the files of the project, in one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        self.project().map(YamlStore::warnings).unwrap_or_default()
    }

    /// The folder of the project, if there is one.
    fn root(&self) -> Option<PathBuf> {
        find_project(&self.origin).ok()
    }
}

/// A promise that is broken at once.
fn refused<'a, T: Send + 'a>(error: StoreError) -> Promise<'a, Result<T, StoreError>> {
    Box::pin(std::future::ready(Err(error)))
}

impl Store for ProjectStore {
    fn read<'a>(
        &'a self,
        board: &'a BoardKey,
        want: Want,
    ) -> Promise<'a, Result<Snapshot, StoreError>> {
        match board {
            BoardKey::Session(session) => {
                self.sessions
                    .read(session, board, self.root().as_deref(), want)
            }
            BoardKey::Project => match self.project() {
                Ok(project) => project.read(board, want),
                Err(error) => refused(error),
            },
        }
    }

    fn transact<'a>(
        &'a self,
        board: &'a BoardKey,
        moment: &'a Moment,
        decide: Decide,
    ) -> Promise<'a, Result<Outcome, StoreError>> {
        match board {
            BoardKey::Session(session) => {
                let root = self.root();
                self.sessions
                    .transact(session, board, root.as_deref(), moment, decide)
            }
            BoardKey::Project => match self.project() {
                Ok(project) => project.transact(board, moment, decide),
                Err(error) => refused(error),
            },
        }
    }

    fn wait_past<'a>(
        &'a self,
        board: &'a BoardKey,
        revision: Revision,
    ) -> Promise<'a, Result<Revision, StoreError>> {
        match board {
            BoardKey::Session(_) => self.sessions.wait_past(board, revision),
            BoardKey::Project => match self.project() {
                Ok(project) => project.wait_past(board, revision),
                Err(error) => refused(error),
            },
        }
    }

    fn boards(&self) -> Promise<'_, Result<Vec<BoardKey>, StoreError>> {
        Box::pin(async {
            let mut boards = match self.project() {
                Ok(project) => project.boards().await?,
                Err(StoreError::NoProject { .. }) => Vec::new(),
                Err(error) => return Err(error),
            };
            boards.extend(self.sessions.boards(self.root().as_deref()));
            Ok(boards)
        })
    }
}
