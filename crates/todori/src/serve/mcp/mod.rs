//! The protocol: JSON-RPC and MCP in both of its eras. The only room that knows the SDK.

mod definitions;
mod handler;
mod line_transport;
mod wire;

use std::sync::Arc;

use rmcp::service::{RoleServer, serve_directly};

use self::handler::Handler;
use self::line_transport::LineTransport;
use super::session::Session;
use crate::desk::Desk;

/// Serves one client over standard input and output.
pub(crate) async fn serve_stdio(
    desk: Arc<Desk>,
    session: Arc<Session>,
    ended: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let transport = LineTransport::new(input, output);
    let service =
        serve_directly::<RoleServer, _, _, _, _>(Handler::new(desk, session), transport, None);
    let token = service.cancellation_token();
    let waiting = service.waiting();
    tokio::pin!(waiting, ended);
    tokio::select! {
        quit = &mut waiting => drop(quit?),
        () = &mut ended => {
            token.cancel();
            drop(waiting.await?);
        }
    }
    Ok(())
}
