//! Gives one state after the other to somebody who shows them.

use std::ops::ControlFlow;

use todori_domain::{Store, Want};

use super::output_closed;
use crate::overview::Overview;

/// How long to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Only what is there now.
    Once,
    /// Every change, until nobody looks.
    On,
}

/// Gives what is there now, and then each state that follows, until `show` breaks or nobody is left to look.
pub(crate) async fn follow(
    store: &dyn Store,
    how: Follow,
    mut show: impl FnMut(&Overview) -> ControlFlow<()>,
) {
    let want = Want::default();
    let mut overview = Overview::look(store, &want).await;
    if show(&overview).is_break() || how == Follow::Once {
        return;
    }
    let gone = output_closed::wait();
    tokio::pin!(gone);
    loop {
        tokio::select! {
            next = overview.next(store, &want) => overview = next,
            () = &mut gone => return,
        }
        if show(&overview).is_break() {
            return;
        }
    }
}
