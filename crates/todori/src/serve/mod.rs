//! Serves agents: over standard input and output.

pub(crate) mod mcp;
mod session;
pub(crate) mod stdio;
