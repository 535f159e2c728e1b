//! The real program over HTTP.

mod door;
mod eras;
mod limits;
mod live;
mod sessions;
