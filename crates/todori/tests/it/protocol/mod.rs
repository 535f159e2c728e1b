//! The real program over its pipes.

mod eras;
mod malformed;
mod process;
mod tools;
