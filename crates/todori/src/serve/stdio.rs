//! Serves one agent over standard input and output, until its input ends or somebody ends the process.

use std::sync::Arc;

use super::mcp;
use super::session::Session;
use super::signals::ended;
use crate::config::Settings;
use crate::dispatch::Dispatcher;

/// Serves until the end of input, SIGINT or SIGTERM.
pub(crate) async fn run(dispatcher: Dispatcher, settings: &Settings) -> anyhow::Result<()> {
    let session = Session::of_process(settings);
    mcp::serve_stdio(Arc::new(dispatcher), Arc::new(session), ended()).await
}
