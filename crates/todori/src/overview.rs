//! The project's board and the lists of all sessions at one moment, for those who look on: the terminal, the page and
//! subscribers. They get states, never differences, so there is no change that they can miss.

use std::sync::Arc;

use todori_domain::{Board, BoardKey, Revision, SessionName, Snapshot, Store, StoreError, Want};

/// Everything that can be seen at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Overview {
    /// What the project's board is called, if there is one.
    pub(crate) name: Option<String>,
    /// The project's board, or why it can't be read.
    pub(crate) project: Result<Snapshot, StoreError>,
    /// The lists of the sessions that have one, by name.
    pub(crate) sessions: Vec<SessionList>,
    /// How far the project and the sessions have been seen: what is waited for comes after that.
    seen: SeenRevisions,
}

/// The list of one session.
#[derive(Debug, Clone)]
pub(crate) struct SessionList {
    pub(crate) name: SessionName,
    /// Whether the session is there, as far as anybody can tell.
    pub(crate) is_live: bool,
    pub(crate) board: Arc<Board>,
}

#[derive(Debug, Clone, Copy, Default)]
struct SeenRevisions {
    project: Revision,
    sessions: Revision,
}

impl Overview {
    /// Looks at everything.
    pub(crate) async fn look(store: &dyn Store, want: &Want) -> Self {
        Self::look_after(store, want, SeenRevisions::default()).await
    }

    async fn look_after(store: &dyn Store, want: &Want, seen: SeenRevisions) -> Self {
        let project = store.read(&BoardKey::Project, want.clone()).await;
        let identity = store.identify(&BoardKey::Project).await;
        let sessions = store.sessions().await.unwrap_or_default();
        // A board that can't be read has no revision; the one that ended the waiting was before it.
        let read = project.as_ref().map_or(seen.project, |read| read.revision);
        let lists = sessions.sessions.into_iter().filter_map(|session| {
            let board = session.list?;
            Some(SessionList {
                name: session.name,
                is_live: session.is_live,
                board,
            })
        });
        Self {
            name: identity.ok().map(|identity| identity.name),
            project,
            sessions: lists.collect(),
            seen: SeenRevisions {
                project: read,
                sessions: sessions.revision.max(seen.sessions),
            },
        }
    }

    /// The revision of the sessions and their lists.
    pub(crate) fn sessions_revision(&self) -> Revision {
        self.seen.sessions
    }

    /// Waits until there is something else to see, and gives it.
    pub(crate) async fn next(&self, store: &dyn Store, want: &Want) -> Self {
        let mut seen = self.seen;
        loop {
            let project = store.wait_past(&BoardKey::Project, seen.project);
            let sessions = store.wait_past_sessions(seen.sessions);
            tokio::select! {
                Ok(revision) = project => seen.project = revision,
                Ok(revision) = sessions => seen.sessions = revision,
                // Neither can be waited for any more: the store is closed.
                else => return std::future::pending().await,
            }
            let now = Self::look_after(store, want, seen).await;
            if !self.shows_the_same_as(&now) {
                return now;
            }
            seen = now.seen;
        }
    }

    fn shows_the_same_as(&self, other: &Self) -> bool {
        let projects = match (&self.project, &other.project) {
            (Ok(one), Ok(two)) => one.revision == two.revision && one.live == two.live,
            (Err(one), Err(two)) => one == two,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        let same = |(one, two): (&SessionList, &SessionList)| {
            (&one.name, one.is_live) == (&two.name, two.is_live)
                && (Arc::ptr_eq(&one.board, &two.board) || one.board == two.board)
        };
        projects
            && self.name == other.name
            && self.sessions.len() == other.sessions.len()
            && self.sessions.iter().zip(&other.sessions).all(same)
    }
}

#[cfg(test)]
impl Overview {
    /// As it would be seen, for tests of those who show it.
    pub(crate) fn of(
        name: Option<&str>,
        project: Result<Snapshot, StoreError>,
        sessions: Vec<SessionList>,
    ) -> Self {
        Self {
            name: name.map(str::to_owned),
            project,
            sessions,
            seen: SeenRevisions::default(),
        }
    }
}
