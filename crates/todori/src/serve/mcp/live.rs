//! Tells subscribers that a resource changed, whoever changed it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use todori_dialects::{BOARD_URI, SESSIONS_URI, TASK_URI};
use todori_domain::{Board, BoardKey, HistoryQuery, Revision, Task, TaskRef, Tracker, Want};
use tokio::task::AbortHandle;

use crate::overview::Overview;

/// The most resources that one client of an older revision can be subscribed to.
const MAX_SUBSCRIPTIONS: usize = 200;
/// The longest address of a task, in bytes: with its whole id it is shorter.
const MAX_URI: usize = 100;

/// Watches the board of the project for the subscribers of one client.
#[derive(Debug)]
pub(super) struct Live {
    tracker: Tracker,
    /// The subscriptions of older revisions, by resource.
    subscriptions: Mutex<HashMap<String, AbortHandle>>,
}

impl Live {
    pub(super) fn new(tracker: Tracker) -> Self {
        Self {
            tracker,
            subscriptions: Mutex::default(),
        }
    }

    /// Whether a resource can be subscribed to.
    pub(super) fn knows(uri: &str) -> bool {
        let is_task = |uri: &str| uri.starts_with(TASK_URI) && uri.len() <= MAX_URI;
        uri == BOARD_URI || uri == SESSIONS_URI || is_task(uri)
    }

    /// Whether one more resource can be subscribed to.
    pub(super) fn has_room_for(&self, uri: &str) -> bool {
        let subscriptions = self.subscriptions();
        subscriptions.len() < MAX_SUBSCRIPTIONS || subscriptions.contains_key(uri)
    }

    /// Tells a client of an older revision about a resource until it unsubscribes or is gone.
    pub(super) async fn subscribe(&self, uri: String, peer: Peer<RoleServer>) {
        let mut watch = Watch::new(self.tracker.clone(), vec![uri.clone()]);
        // What is there now is known before the client hears that it is subscribed.
        watch.start().await;
        self.keep(uri, tokio::spawn(tell(watch, peer)).abort_handle());
    }

    /// Takes up subscriptions that a client made long ago. What changed since then nobody knows, so it is told that
    /// something may have.
    pub(super) fn subscribe_again(
        &self,
        uris: impl IntoIterator<Item = String>,
        peer: &Peer<RoleServer>,
    ) {
        for uri in uris {
            let mut watch = Watch::new(self.tracker.clone(), vec![uri.clone()]);
            let (of_task, peer) = (uri.clone(), peer.clone());
            let told = tokio::spawn(async move {
                watch.start().await;
                let updated = ResourceUpdatedNotificationParam::new(of_task);
                if peer.notify_resource_updated(updated).await.is_ok() {
                    tell(watch, peer).await;
                }
            });
            self.keep(uri, told.abort_handle());
        }
    }

    fn keep(&self, uri: String, told: AbortHandle) {
        if let Some(before) = self.subscriptions().insert(uri, told) {
            before.abort();
        }
    }

    fn subscriptions(&self) -> MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.subscriptions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        if let Some(told) = self.subscriptions().remove(uri) {
            told.abort();
        }
    }

    /// Tells a client of the newer era about its resources until it is cancelled.
    pub(super) async fn listen(&self, context: &SubscriptionContext) {
        let uris = context
            .accepted()
            .resource_subscriptions
            .clone()
            .unwrap_or_default();
        if uris.is_empty() {
            return context.cancelled().await;
        }
        let mut watch = Watch::new(self.tracker.clone(), uris.clone());
        let telling = async {
            watch.start().await;
            // The client was told that it is heard before this began. What changed in between is told now: one word
            // too many is a look too many, one too few is a page that stays old.
            for uri in uris {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return;
                }
            }
            loop {
                for uri in watch.changed().await {
                    if context.sink().notify_resource_updated(uri).await.is_err() {
                        return;
                    }
                }
            }
        };
        tokio::select! {
            () = telling => {}
            () = context.cancelled() => {}
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let subscriptions = self
            .subscriptions
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for (_, told) in subscriptions.drain() {
            told.abort();
        }
    }
}

/// Tells a client of an older revision of changes for as long as it is there.
async fn tell(mut watch: Watch, peer: Peer<RoleServer>) {
    loop {
        for uri in watch.changed().await {
            let updated = ResourceUpdatedNotificationParam::new(uri);
            if peer.notify_resource_updated(updated).await.is_err() {
                return;
            }
        }
    }
}

/// Waits for changes of some resources.
struct Watch {
    tracker: Tracker,
    uris: Vec<String>,
    revision: Revision,
    board: Arc<Board>,
    /// All that can be seen, for those who want to know of sessions.
    overview: Option<Overview>,
}

impl Watch {
    const WANT: Want = Want {
        history: HistoryQuery::newest(0),
        presence: true,
    };

    fn new(tracker: Tracker, uris: Vec<String>) -> Self {
        Self {
            tracker,
            uris,
            revision: Revision::default(),
            board: Arc::default(),
            overview: None,
        }
    }

    /// Remembers what is there before anything changes.
    async fn start(&mut self) {
        if self.uris.iter().any(|uri| uri == SESSIONS_URI) {
            let store = self.tracker.store();
            self.overview = Some(Overview::look(store.as_ref(), &Self::WANT).await);
        }
        self.look().await;
    }

    /// Waits until one of the resources changed; gives all that did.
    async fn changed(&mut self) -> Vec<String> {
        loop {
            self.wait().await;
            let before = Arc::clone(&self.board);
            self.look().await;
            let after = &self.board;
            let differs = |uri: &&String| match uri.strip_prefix(TASK_URI) {
                Some(id) => find(&before, id) != find(after, id),
                // Who works on what is a part of the board: any change may be one of sessions.
                None => *uri == SESSIONS_URI || before != *after,
            };
            let changed: Vec<String> = self.uris.iter().filter(differs).cloned().collect();
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    /// Waits until there may be something new.
    async fn wait(&mut self) {
        let store = self.tracker.store();
        if let Some(overview) = &self.overview {
            self.overview = Some(overview.next(store.as_ref(), &Self::WANT).await);
            return;
        }
        match store.wait_past(&BoardKey::Project, self.revision).await {
            // A board that can't be read has no revision of its own.
            Ok(revision) => self.revision = revision,
            // The store is closed: there will be nothing new.
            Err(_) => std::future::pending().await,
        }
    }

    async fn look(&mut self) {
        if let Ok(read) = self
            .tracker
            .store()
            .read(&BoardKey::Project, Want::default())
            .await
        {
            (self.board, self.revision) = (read.board, read.revision);
        }
    }
}

fn find<'a>(board: &'a Board, id: &str) -> Option<&'a Arc<Task>> {
    board.resolve(&TaskRef::new(id)).ok()
}
