//! Serves agents: one over standard input and output, or any number over HTTP.

mod answers;
mod api;
mod compress;
mod connections;
mod conversation;
mod count;
mod descriptors;
mod guard;
mod http;
mod linger;
pub(crate) mod mcp;
pub(crate) mod over_http;
mod rate_limit;
mod request_body;
mod session;
mod signals;
pub(crate) mod stdio;
mod timeout_stream;
