//! Serves one agent over standard input and output, until its input ends or somebody ends the process.

use std::sync::Arc;

use super::mcp;
use super::session::Session;
use super::signals::ended;
use crate::config::Settings;
use crate::dispatch::Dispatcher;

/// Serves until the end of input, SIGINT or SIGTERM.
pub(crate) fn run(dispatcher: Dispatcher, settings: &Settings) -> anyhow::Result<()> {
    let session = Session::of_process(settings);
    // One thread: requests that come one after the other are answered in that order.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(mcp::serve_stdio(
        Arc::new(dispatcher),
        Arc::new(session),
        ended(),
    ));
    // A read of standard input may still be waiting on another thread; nobody needs its result.
    runtime.shutdown_background();
    served
}
