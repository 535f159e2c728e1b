//! Counts what is under way, and waits until nothing is any more.

use std::sync::Arc;

use tokio::sync::watch;

/// How many of something there are.
#[derive(Debug, Clone)]
pub(super) struct Count(Arc<watch::Sender<usize>>);

/// One of them, for as long as it is kept.
#[derive(Debug)]
pub(super) struct Counted(Arc<watch::Sender<usize>>);

impl Default for Count {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl Count {
    /// One more.
    pub(super) fn add(&self) -> Counted {
        self.0.send_modify(|count| *count += 1);
        Counted(Arc::clone(&self.0))
    }

    /// Waits until there is none.
    pub(super) async fn none(&self) {
        // It can't fail: the sender is here.
        drop(self.0.subscribe().wait_for(|count| *count == 0).await);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
