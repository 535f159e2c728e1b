//! The real program over HTTP.

mod dashboard;
mod door;
mod eras;
mod limits;
mod live;
mod sessions;
