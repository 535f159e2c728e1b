//! `todori watch`: what agents are doing, as it happens. On a terminal a full screen (`screen` runs it, `state` is what
//! it knows, `view` draws it), elsewhere a block of text at each change (`plain`). Knows neither commands nor serving.

mod follow;
mod onlooker;
mod plain;
mod scope;

pub(crate) use follow::{Follow, follow};
pub(crate) use plain::{Plain, blocks};
pub(crate) use scope::{Scope, Seen};
