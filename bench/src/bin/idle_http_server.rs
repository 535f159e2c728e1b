//! An MCP server over HTTP that does nothing, built with the SDK in its ordinary way: what the round trips of todori over
//! HTTP are compared with. Says on standard error where it is, as todori does.

mod idle;

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};

use idle::Idle;

type Service = StreamableHttpService<Idle, LocalSessionManager>;

#[expect(
    clippy::print_stderr,
    reason = "the one line that says where the server is"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Requests without a session are answered in JSON rather than as a stream, as todori does, which costs less.
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = Service::new(|| Ok(Idle), sessions, config);
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        eprintln!("idle serves at http://{}/mcp", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(answer(stream, service.clone()));
        }
    })
}

/// Answers the requests of one connection. How it ends is for the client to see.
async fn answer(stream: TcpStream, service: Service) {
    let service = service_fn(move |request| {
        let service = service.clone();
        async move { Ok::<_, Infallible>(service.handle(request).await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    drop(connection.await);
}
