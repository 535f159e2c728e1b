//! Remembers sessions of older revisions in files, so that they survive idling and a restart of the server: real
//! clients do not begin anew, they fail for good.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::transport::streamable_http_server::session::store::{
    SessionState, SessionStore, SessionStoreError,
};
use serde::{Deserialize, Serialize};

use todori_store::KEPT_FOR;

use crate::config::mark;

/// How often those that are too old are looked for.
const SWEEP_EVERY: Duration = Duration::from_mins(10);
/// The most sessions that are remembered.
const MAX_FILES: usize = 10_000;

/// The largest file that is read.
const MAX_BYTES: u64 = 64 * 1024;

/// A session, as its file says.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    id: String,
    state: SessionState,
    /// The resources that it is told about when they change.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    subscriptions: BTreeSet<String>,
}

/// The folder that sessions are remembered in.
#[derive(Debug)]
struct Folder {
    folder: PathBuf,
    swept: Mutex<Option<Instant>>,
}

impl Folder {
    fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            swept: Mutex::default(),
        }
    }

    /// Whether the folder is really this user's own, and no link: somebody else could put sessions into it.
    fn is_ours(&self) -> bool {
        let found = self.folder.symlink_metadata();
        found
            .is_ok_and(|found| found.is_dir() && found.uid() == rustix::process::geteuid().as_raw())
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{}.http-session.json", mark(id)))
    }

    /// Marks a session as in use.
    fn touch(&self, id: &str) {
        #[expect(
            clippy::disallowed_methods,
            reason = "compared with the clock of the file system"
        )]
        let now = std::time::SystemTime::now();
        if let Ok(file) = OpenOptions::new().write(true).open(self.path(id)) {
            drop(file.set_modified(now));
        }
    }

    /// What is remembered of a session, if it is not too old.
    fn read(&self, id: &str) -> Option<Remembered> {
        if !self.is_ours() {
            return None;
        }
        let path = self.path(id);
        let mut text = String::new();
        let file = std::fs::File::open(&path).ok()?;
        let age = file
            .metadata()
            .ok()?
            .modified()
            .ok()?
            .elapsed()
            .unwrap_or_default();
        file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
        let known: Remembered = serde_json::from_str(&text).ok()?;
        // The name of the file is only a mark: the id itself must be the same.
        if age > KEPT_FOR || known.id != id {
            return None;
        }
        self.touch(id);
        Some(known)
    }

    fn begin(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        DirBuilder::new()
            .mode(0o700)
            .recursive(true)
            .create(&self.folder)?;
        if self.is_sweeping_due() {
            self.sweep();
        }
        self.write(&Remembered {
            id: id.to_owned(),
            state: state.clone(),
            subscriptions: BTreeSet::new(),
        })
    }

    fn write(&self, session: &Remembered) -> Result<(), SessionStoreError> {
        if !self.is_ours() {
            return Err("the folder for sessions is not ours".into());
        }
        let text = serde_json::to_string(session)?;
        let path = self.path(&session.id);
        drop(std::fs::remove_file(&path));
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(())
    }

    /// Changes what a session has subscribed to. That it can't be kept is no reason to refuse it.
    fn change_subscriptions(&self, id: &str, change: impl FnOnce(&mut BTreeSet<String>)) {
        if let Some(mut known) = self.read(id) {
            change(&mut known.subscriptions);
            drop(self.write(&known));
        }
    }

    /// Now and then is enough: looking through all files for each new session would cost more than the session.
    fn is_sweeping_due(&self) -> bool {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let due = swept.is_none_or(|last| last.elapsed() > SWEEP_EVERY);
        if due {
            *swept = Some(Instant::now());
        }
        due
    }

    /// Removes what is too old, or too much.
    fn sweep(&self) {
        let entries = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(Result::ok);
        let mut files: Vec<(Duration, PathBuf)> = entries
            .map(|entry| entry.path())
            .filter(|path| path.to_string_lossy().ends_with(".http-session.json"))
            .filter_map(|path| {
                let age = path
                    .metadata()
                    .ok()?
                    .modified()
                    .ok()?
                    .elapsed()
                    .unwrap_or_default();
                Some((age, path))
            })
            .collect();
        files.sort();
        for (place, (age, path)) in files.iter().enumerate() {
            if *age > KEPT_FOR || place >= MAX_FILES {
                drop(std::fs::remove_file(path));
            }
        }
    }
}

/// Sessions in a folder, read and written where nobody else waits for it.
#[derive(Debug, Clone)]
pub(super) struct SessionFiles {
    folder: Arc<Folder>,
    /// One at a time: a thread for each of a thousand sessions would cost more than the sessions.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl SessionFiles {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder: Arc::new(Folder::new(folder)),
            turn: Arc::default(),
        }
    }

    /// Marks a session as in use.
    pub(super) fn touch(&self, id: &str) {
        let (folder, id) = (Arc::clone(&self.folder), id.to_owned());
        drop(tokio::task::spawn_blocking(move || folder.touch(&id)));
    }

    /// Whether this session was begun and is remembered.
    pub(super) async fn knows(&self, id: &str) -> bool {
        let found = self.with(id, |folder, id| folder.read(id).is_some()).await;
        found.unwrap_or(false)
    }

    /// Remembers that a session wants to hear about a resource.
    pub(super) async fn subscribe(&self, id: &str, uri: String) {
        let noted = self.with(id, |folder, id| {
            folder.change_subscriptions(id, |uris| uris.extend([uri]));
        });
        drop(noted.await);
    }

    /// Remembers that it does not any more.
    pub(super) async fn unsubscribe(&self, id: &str, uri: String) {
        let noted = self.with(id, move |folder, id| {
            folder.change_subscriptions(id, |uris| uris.retain(|known| *known != uri));
        });
        drop(noted.await);
    }

    /// What a session wants to hear about.
    pub(super) async fn subscriptions(&self, id: &str) -> BTreeSet<String> {
        let read = self.with(id, Folder::read);
        let known = read.await.ok().flatten();
        known.map(|known| known.subscriptions).unwrap_or_default()
    }

    /// Does something with the files, on a thread of its own.
    async fn with<T: Send + 'static>(
        &self,
        id: &str,
        act: impl FnOnce(&Folder, &str) -> T + Send + 'static,
    ) -> Result<T, SessionStoreError> {
        let turn = self.turn.lock().await;
        let (folder, id) = (Arc::clone(&self.folder), id.to_owned());
        let done = tokio::task::spawn_blocking(move || act(&folder, &id)).await;
        drop(turn);
        done.map_err(Into::into)
    }
}

#[async_trait::async_trait]
impl SessionStore for SessionFiles {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let known = self.with(id, Folder::read).await?;
        Ok(known.map(|known| known.state))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let state = state.clone();
        self.with(id, move |folder, id| folder.begin(id, &state))
            .await?
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.with(id, |folder, id| drop(std::fs::remove_file(folder.path(id))))
            .await
    }
}
