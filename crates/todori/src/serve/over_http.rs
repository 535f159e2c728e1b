//! Serves any number of agents over HTTP, until somebody ends the process.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context as _;

use super::api::Api;
use super::guard::Guard;
use super::http;
use super::mcp::Endpoints;
use super::signals::ended;
use crate::dispatch::Dispatcher;

/// How to serve.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) address: SocketAddr,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) token: Option<String>,
    /// Where sessions are remembered.
    pub(crate) sessions: PathBuf,
}

/// Serves until SIGINT or SIGTERM.
pub(crate) async fn run(dispatcher: Dispatcher, options: Options) -> anyhow::Result<()> {
    let Options {
        address,
        hosts,
        origins,
        token,
        sessions,
    } = options;
    let listener = http::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "others can reach this server; keep its token secret");
    }
    // Said to whoever started it, and to tests that asked for any free port.
    announce(address);
    let guard = Guard::new(address, &hosts, &origins, token);
    let api = Api::new(dispatcher.tracker().clone());
    let endpoints = Endpoints::new(dispatcher, sessions);
    http::serve(listener, guard, endpoints, api, ended()).await
}

#[expect(
    clippy::print_stderr,
    reason = "the lines that say where the server is"
)]
fn announce(address: SocketAddr) {
    eprintln!("todori serves at http://{address}/mcp\nthe dashboard is at http://{address}/");
}
