//! Waiting for a revision.

use todori_domain::{Promise, Revision, StoreError};
use tokio::sync::watch;

/// Waits until the revision is past the one given.
pub(crate) fn past<'a>(
    mut changes: watch::Receiver<Revision>,
    revision: Revision,
) -> Promise<'a, Result<Revision, StoreError>> {
    Box::pin(async move {
        let newer = changes.wait_for(|now| *now > revision).await;
        newer.map(|now| *now).map_err(|_| StoreError::Unreadable {
            reason: "the store was closed".to_owned(),
        })
    })
}
