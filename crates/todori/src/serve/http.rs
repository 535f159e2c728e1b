//! Serves any number of clients over HTTP: accepts connections, keeps limits, routes requests. On hyper alone, without a
//! web framework (docs/design/http.md). What a message means is for `mcp` to know.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore, watch};

use super::api::{Api, Asked};
use super::compress;
use super::guard::{Access, Guard};
use super::mcp::Endpoints;
use super::timeout_stream::{BodyWithGuard, Phase, SharedPhase, TimeoutStream};
use crate::web;

/// A client must have sent the head of a request, and then its body, within this time.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection may be idle between two requests.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// The largest body of a request, in bytes.
pub(crate) const MAX_BODY: usize = 1024 * 1024;
/// The most connections at one time.
const MAX_CONNECTIONS: usize = 768;
/// How many of them may be streams that stay open.
const MAX_STREAMS: usize = 512;
/// How much of a body that is too large is read and discarded, so that the client gets to read the refusal.
const MAX_DISCARDED: usize = 64 * 1024 * 1024;
/// Requests per second, on average, and how many may come at once.
const RATE: f64 = 5_000.0;
const BURST: f64 = 10_000.0;
/// How long the server waits at its end for answers that are under way, and then for streams to close.
const FINISH_WITHIN: Duration = Duration::from_secs(5);
const CLOSE_WITHIN: Duration = Duration::from_secs(2);

pub(crate) type Body = BoxBody<Bytes, Infallible>;

/// What all connections share.
struct Server {
    guard: Guard,
    endpoints: Endpoints,
    api: Api,
    /// How many requests are being answered; streams that stay open do not count.
    busy: Arc<AtomicUsize>,
    streams: Arc<Semaphore>,
    rate_limit: Mutex<TokenBucket>,
}

/// Serves until `ended`, then finishes what is under way.
pub(crate) async fn serve(
    listener: TcpListener,
    guard: Guard,
    endpoints: Endpoints,
    api: Api,
    ended: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let server = Arc::new(Server {
        guard,
        endpoints,
        api,
        busy: Arc::default(),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
        rate_limit: Mutex::new(TokenBucket {
            tokens: BURST,
            refilled: Instant::now(),
        }),
    });
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let (closing, closed) = watch::channel(false);
    tokio::pin!(ended);
    let mut minute = tokio::time::interval(Duration::from_mins(1));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = minute.tick() => {
                server.endpoints.release_silent().await;
                continue;
            }
            () = &mut ended => break,
        };
        let Ok((stream, _)) = accepted else {
            // Most likely there are no file descriptors left: other connections must end first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // A connection above the limit is closed at once rather than kept waiting.
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            continue;
        };
        let (server, closed) = (Arc::clone(&server), closed.clone());
        tokio::spawn(async move {
            connection(stream, server, closed).await;
            drop(slot);
        });
    }
    drop(listener);
    finish(&server, &closing, &slots).await;
    Ok(())
}

/// Ends in two steps: first answers are finished, then streams are closed.
async fn finish(server: &Server, closing: &watch::Sender<bool>, slots: &Semaphore) {
    let idle = async {
        while server.busy.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    drop(tokio::time::timeout(FINISH_WITHIN, idle).await);
    server.endpoints.close();
    closing.send_replace(true);
    let all = u32::try_from(MAX_CONNECTIONS).unwrap_or(u32::MAX);
    drop(tokio::time::timeout(CLOSE_WITHIN, slots.acquire_many(all)).await);
}

/// Marks a connection as idle once an answer is sent.
struct IdleWhenSent(SharedPhase);

impl Drop for IdleWhenSent {
    fn drop(&mut self) {
        self.0.set(Phase::Idle);
    }
}

async fn connection(stream: TcpStream, server: Arc<Server>, mut closed: watch::Receiver<bool>) {
    // Answers are written in small pieces: without this, Nagle's algorithm would delay them.
    drop(stream.set_nodelay(true));
    let phase = SharedPhase::default();
    let stream = TimeoutStream::new(stream, phase.clone(), TIMEOUT, IDLE_TIMEOUT);
    let service = service_fn(move |request| {
        let (server, phase) = (Arc::clone(&server), phase.clone());
        async move {
            phase.set(Phase::Responding);
            let answer = server.answer(request).await;
            let idle_when_sent = IdleWhenSent(phase);
            Ok::<_, Infallible>(answer.map(|body| BodyWithGuard::new(body, idle_when_sent)))
        }
    });
    let mut builder = http1::Builder::new();
    builder.max_headers(64);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let closing = async { drop(closed.wait_for(|closed| *closed).await) };
    tokio::select! {
        served = &mut connection => {
            if let Err(error) = served {
                tracing::debug!(%error, "a connection ended early");
            }
            return;
        }
        () = closing => {}
    }
    connection.as_mut().graceful_shutdown();
    drop(tokio::time::timeout(CLOSE_WITHIN, connection).await);
}

impl Server {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let headers = request.headers().clone();
        let mut answer = self.route(request).await;
        self.guard.cors(&headers, answer.headers_mut());
        let headers = answer.headers_mut();
        headers.insert(
            "x-content-type-options",
            HeaderValue::from_static("nosniff"),
        );
        headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
        headers.insert(
            "cross-origin-resource-policy",
            HeaderValue::from_static("same-origin"),
        );
        headers
            .entry("cache-control")
            .or_insert(HeaderValue::from_static("no-store"));
        answer
    }

    async fn route(&self, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path().to_owned();
        // The page itself holds no secrets; it asks for the token if there is one.
        let public = parts.method == Method::OPTIONS || path == "/healthz" || path == "/";
        let access = if public {
            Access::Public
        } else {
            Access::NeedsToken
        };
        if let Err(rejection) = self.guard.admit(&parts, access) {
            let mut answer = error(rejection.status, -32600, rejection.reason);
            if rejection.status == StatusCode::UNAUTHORIZED {
                let challenge = HeaderValue::from_static("Bearer realm=\"todori\"");
                answer
                    .headers_mut()
                    .insert(http::header::WWW_AUTHENTICATE, challenge);
            }
            return answer;
        }
        if !self.rate_limit.lock().await.take() {
            return error(
                StatusCode::TOO_MANY_REQUESTS,
                -32600,
                "too many requests; slow down",
            );
        }
        if parts.method == Method::OPTIONS {
            return empty(StatusCode::NO_CONTENT);
        }
        if let Some(path) = path.strip_prefix("/api/") {
            return self.api(&parts, path, body).await;
        }
        match path.as_str() {
            "/" if matches!(parts.method, Method::GET | Method::HEAD) => page(&parts.headers),
            "/healthz" => json_answer(StatusCode::OK, &json!({"status": "ok"})),
            "/mcp" | "/mcp/" => self.message(parts, body, None).await,
            other => match other.strip_prefix("/mcp/") {
                Some(toolsets) => {
                    let toolsets = toolsets
                        .trim_end_matches('/')
                        .replace("%2C", ",")
                        .replace("%2c", ",");
                    self.message(parts, body, Some(&toolsets)).await
                }
                None => error(
                    StatusCode::NOT_FOUND,
                    -32601,
                    "there is nothing here; the server is at /mcp, the dashboard at /",
                ),
            },
        }
    }

    /// Answers a request of the dashboard.
    async fn api(
        &self,
        parts: &http::request::Parts,
        path: &str,
        body: Incoming,
    ) -> Response<Body> {
        let body = match read_in_time(body).await {
            Ok(body) => body,
            Err(answer) => return close(answer),
        };
        if parts.method == Method::POST && !is_json(&parts.headers) {
            // Forms of other pages can be sent without a CORS preflight, but never with this type.
            return error(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                -32600,
                "the Content-Type must be application/json",
            );
        }
        let busy = Busy::new(&self.busy);
        let asked = Asked {
            method: &parts.method,
            path,
            query: parts.uri.query().unwrap_or_default(),
            body: &body,
        };
        let (status, value) = self.api.answer(asked).await;
        let mut answer = compress::answer(value.to_string(), &parts.headers);
        *answer.status_mut() = status;
        let json = HeaderValue::from_static("application/json");
        answer
            .headers_mut()
            .insert(http::header::CONTENT_TYPE, json);
        answer.map(|body| BodyWithGuard::new(body, busy).boxed())
    }

    /// Answers a message of MCP: reads the body, within limits, and passes it to the endpoint of these toolsets.
    async fn message(
        &self,
        mut parts: http::request::Parts,
        body: Incoming,
        toolsets: Option<&str>,
    ) -> Response<Body> {
        let Some(endpoint) = self.endpoints.find(toolsets).await else {
            let known = todori_dialects::names();
            let reason = format!("there is no such toolset; known: {known}, all");
            return error(StatusCode::NOT_FOUND, -32601, &reason);
        };
        let body = match read_in_time(body).await {
            Ok(body) => body,
            Err(answer) => return close(answer),
        };
        if self.guard.has_token() {
            parts.extensions.insert(Authenticated);
        }
        let busy = Busy::new(&self.busy);
        let (answer, stays_open) = endpoint.answer(parts, body).await;
        if !stays_open || !answer.status().is_success() {
            // An answer is under way until its last byte is sent or its client is gone.
            return answer.map(|body| BodyWithGuard::new(body, busy).boxed());
        }
        drop(busy);
        match Arc::clone(&self.streams).try_acquire_owned() {
            Ok(slot) => answer.map(|body| BodyWithGuard::new(body, slot).boxed()),
            Err(_) => error(
                StatusCode::SERVICE_UNAVAILABLE,
                -32603,
                "too many open streams; try again later",
            ),
        }
    }
}

/// Marks a request that presented the token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Authenticated;

/// The dashboard. Its policy lets it talk to this server and load nothing else.
fn page(asked: &http::HeaderMap) -> Response<Body> {
    let mut answer = compress::answer(web::DASHBOARD, asked);
    let headers = answer.headers_mut();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(http::header::CONTENT_TYPE, html);
    if let Ok(policy) = HeaderValue::from_str(web::DASHBOARD_POLICY.trim_end()) {
        headers.insert(http::header::CONTENT_SECURITY_POLICY, policy);
    }
    answer
}

/// Reads a body, unless it takes too long.
async fn read_in_time(body: Incoming) -> Result<Bytes, Response<Body>> {
    match tokio::time::timeout(TIMEOUT, read(body)).await {
        Err(_) => Err(error(
            StatusCode::REQUEST_TIMEOUT,
            -32600,
            "the body took too long",
        )),
        Ok(read) => read,
    }
}

/// Reads a body. One that is too large is read to its end, within reason: a client that is still sending would not read
/// the refusal.
async fn read(mut body: Incoming) -> Result<Bytes, Response<Body>> {
    let mut kept = Vec::new();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(error(
                StatusCode::BAD_REQUEST,
                -32600,
                "the body could not be read",
            ));
        };
        let Some(data) = frame.data_ref() else {
            continue;
        };
        size += data.len();
        if size <= MAX_BODY {
            kept.extend_from_slice(data);
        } else if size > MAX_DISCARDED {
            break;
        }
    }
    if size > MAX_BODY {
        let reason = format!("a body may have at most {MAX_BODY} bytes");
        return Err(error(StatusCode::PAYLOAD_TOO_LARGE, -32600, &reason));
    }
    Ok(Bytes::from(kept))
}

/// Counts a request while it is being answered, however that ends.
struct Busy(Arc<AtomicUsize>);

impl Busy {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Limits the rate of requests: each takes a token, and tokens come back at a fixed rate.
struct TokenBucket {
    tokens: f64,
    refilled: Instant,
}

impl TokenBucket {
    fn take(&mut self) -> bool {
        let now = Instant::now();
        let new = now.duration_since(self.refilled).as_secs_f64() * RATE;
        self.tokens = (self.tokens + new).min(BURST);
        self.refilled = now;
        let enough = self.tokens >= 1.0;
        if enough {
            self.tokens -= 1.0;
        }
        enough
    }
}

fn full(text: String) -> Body {
    Full::new(Bytes::from(text)).boxed()
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(full(String::new()));
    *answer.status_mut() = status;
    answer
}

fn is_json(headers: &http::HeaderMap) -> bool {
    let given = headers.get(http::header::CONTENT_TYPE);
    let given = given
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// An answer with JSON.
pub(crate) fn json_answer(status: StatusCode, value: &Value) -> Response<Body> {
    let mut answer = Response::new(full(value.to_string()));
    *answer.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    answer
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, json);
    answer
}

/// An error as JSON-RPC, the only form that clients of MCP understand.
pub(crate) fn error(status: StatusCode, code: i32, reason: &str) -> Response<Body> {
    json_answer(
        status,
        &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": reason}}),
    )
}

/// Closes the connection after the answer: the unread rest of the body would be taken for the next request.
fn close(mut answer: Response<Body>) -> Response<Body> {
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(http::header::CONNECTION, close);
    answer
}

/// Binds an address.
pub(crate) async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    Ok(TcpListener::bind(address).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_slowed_down() {
        let mut bucket = TokenBucket {
            tokens: BURST,
            refilled: Instant::now(),
        };
        let admitted = (0..30_000).filter(|_| bucket.take()).count();
        assert!(admitted < 30_000, "all of it came in");
        bucket.refilled = bucket.refilled.checked_sub(Duration::from_secs(1)).unwrap();
        assert!(bucket.take(), "later there is room again");
    }
}
