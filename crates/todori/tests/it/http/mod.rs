//! The real program over HTTP.

mod dashboard;
mod door;
mod early_answers;
mod eras;
mod limits;
mod live;
mod sessions;
mod stopping;
mod strangers;
mod versions;
mod waiting;
