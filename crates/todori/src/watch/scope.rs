//! Which lists are watched.

use todori_domain::{Snapshot, StoreError};

use crate::overview::{Overview, SessionList};

/// Which lists are watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatchScope {
    Everything,
    Project,
    /// The lists of all sessions.
    Sessions,
    /// The lists of the sessions whose name contains this.
    Session(String),
}

/// What is seen of all there is.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    /// What the project is called; none if it is not watched, or there is none.
    pub(crate) name: Option<String>,
    /// The project's board, or why it can't be read; none if it is not watched.
    pub(crate) project: Option<Result<Snapshot, StoreError>>,
    pub(crate) sessions: Vec<SessionList>,
}

impl WatchScope {
    /// Leaves out what is not watched.
    pub(crate) fn of(&self, overview: Overview) -> Watched {
        let Overview {
            name,
            project,
            sessions,
            ..
        } = overview;
        let name = name.filter(|_| self.takes_project());
        let project = self.takes_project().then_some(project);
        let sessions = sessions
            .into_iter()
            .filter(|list| self.takes(list.name.as_str()))
            .collect();
        Watched {
            name,
            project,
            sessions,
        }
    }

    fn takes_project(&self) -> bool {
        match self {
            Self::Everything | Self::Project => true,
            Self::Sessions | Self::Session(_) => false,
        }
    }

    fn takes(&self, session: &str) -> bool {
        match self {
            Self::Everything | Self::Sessions => true,
            Self::Project => false,
            Self::Session(part) => session.contains(part.as_str()),
        }
    }
}
