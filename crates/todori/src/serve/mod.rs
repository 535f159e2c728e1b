//! Serves agents: one over standard input and output, or any number over HTTP.

mod api;
mod compress;
mod guard;
mod http;
pub(crate) mod mcp;
pub(crate) mod over_http;
mod session;
mod signals;
pub(crate) mod stdio;
mod timeout_stream;
