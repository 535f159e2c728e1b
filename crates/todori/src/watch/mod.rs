//! `todori watch`: what agents are doing, as it happens. On a terminal a full screen (`screen` runs it, `state` is what
//! it knows, `view` draws it), elsewhere a block of text at each change (`plain`). Knows neither commands nor serving.

mod appearance;
mod current_work;
mod follow;
mod keys;
mod listing;
mod marking;
mod output_closed;
mod plain;
mod scope;
mod screen;
mod state;
#[cfg(test)]
mod testing;
mod view;

pub(crate) use appearance::Appearance;
pub(crate) use follow::{Follow, follow};
pub(crate) use plain::{Plain, blocks, bracket};
pub(crate) use scope::{WatchScope, Watched};
pub(crate) use screen::run;
pub(crate) use state::{Show, State};
