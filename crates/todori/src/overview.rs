//! The project's board and the lists of all sessions at one moment, for those who look on: the terminal, the page and
//! subscribers. They get states, never differences, so there is no change that they can miss.

use std::time::Duration;

use todori_domain::{BoardKey, Revision, SessionName, Snapshot, Store, StoreError, Want};

/// How often the lists of other processes are looked at: nobody says when they change.
const LOOK_EVERY: Duration = Duration::from_millis(400);

/// Everything that can be seen at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Overview {
    /// The project's board, or why it can't be read.
    pub(crate) project: Result<Snapshot, StoreError>,
    /// The lists of the sessions that have one, by name.
    pub(crate) sessions: Vec<SessionList>,
}

/// The list of one session.
#[derive(Debug, Clone)]
pub(crate) struct SessionList {
    pub(crate) name: SessionName,
    pub(crate) snapshot: Snapshot,
}

impl Overview {
    /// Looks at everything.
    pub(crate) async fn look(store: &dyn Store, want: Want) -> Self {
        let project = store.read(&BoardKey::Project, want).await;
        let mut sessions = Vec::new();
        for board in store.boards().await.unwrap_or_default() {
            let BoardKey::Session(name) = &board else {
                continue;
            };
            let read = store.read(&board, Want::default()).await;
            // A list that ended meanwhile is empty.
            if let Ok(snapshot) = read
                && !snapshot.board.is_empty()
            {
                let name = name.clone();
                sessions.push(SessionList { name, snapshot });
            }
        }
        Self { project, sessions }
    }

    /// Waits until there is something else to see, and gives it.
    pub(crate) async fn next(&self, store: &dyn Store, want: Want) -> Self {
        // While nothing changes, the history is not read over and over.
        let glance = Want { history: 0, ..want };
        loop {
            match &self.project {
                Ok(known) => {
                    let changed = store.wait_past(&BoardKey::Project, known.revision);
                    tokio::select! {
                        // A board that can't be read is waited for like one that does not change.
                        Ok(_) = changed => {}
                        () = tokio::time::sleep(LOOK_EVERY) => {}
                    }
                }
                Err(_) => tokio::time::sleep(LOOK_EVERY).await,
            }
            let now = Self::look(store, glance).await;
            if !self.shows_the_same_as(&now) {
                return if want == glance {
                    now
                } else {
                    Self::look(store, want).await
                };
            }
        }
    }

    fn shows_the_same_as(&self, other: &Self) -> bool {
        let projects = match (&self.project, &other.project) {
            (Ok(one), Ok(two)) => one.revision == two.revision && one.live == two.live,
            (Err(one), Err(two)) => one == two,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        projects && self.lists().eq(other.lists())
    }

    fn lists(&self) -> impl Iterator<Item = (&SessionName, Revision)> {
        self.sessions
            .iter()
            .map(|list| (&list.name, list.snapshot.revision))
    }
}
