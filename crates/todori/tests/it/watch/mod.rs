//! `todori watch` as people run it: on a pipe, and on a terminal.

mod pipe;
mod screen;
mod terminal;
