//! Serves any number of clients over HTTP: accepts connections, keeps limits, routes requests. On hyper alone, without a
//! web framework (docs/design/http.md). What a message means is for `mcp` to know.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::answers::{Body, close, empty, error, is_json, json_answer};
use super::api::{Api, Asked};
use super::compress;
use super::connections::{Connections, Place};
use super::count::Count;
use super::descriptors::room_for_connections;
use super::guard::{Access, Guard};
use super::linger::{LingeringStream, Unread};
use super::mcp::Endpoints;
use super::rate_limit::{RateLimit, Share};
use super::request_body::RequestBody;
use super::timeout_stream::{BodyWithGuard, Phase, SharedPhase, TimeoutStream};
use crate::web;

/// A client must have sent the head of a request, and then its body, within this time.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection may be idle between two requests.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// The largest head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// The most connections at one time.
const MAX_CONNECTIONS: usize = 768;
/// How many of them may be streams that stay open.
const MAX_STREAMS: usize = 512;
/// How long a stranger who asks too often waits to hear so: those who ask over and over use up less of our time.
const STRANGERS_WAIT: Duration = Duration::from_millis(100);
/// How long the server waits at its end for answers that are under way: longer than a change waits for others.
const FINISH_WITHIN: Duration = Duration::from_secs(12);
/// And then for streams to close.
const CLOSE_WITHIN: Duration = Duration::from_secs(2);

/// What all connections share.
struct Server {
    guard: Guard,
    endpoints: Endpoints,
    api: Api,
    /// The requests that are being answered; streams that stay open do not count.
    answering: Count,
    streams: Arc<Semaphore>,
    rate_limit: RateLimit,
}

/// Serves until `ended`, then finishes what is under way.
pub(crate) async fn serve(
    listener: TcpListener,
    guard: Guard,
    endpoints: Endpoints,
    api: Api,
    ended: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let connections = Connections::new(room_for_connections(MAX_CONNECTIONS), guard.has_token());
    let server = Arc::new(Server {
        guard,
        endpoints,
        api,
        answering: Count::default(),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
        rate_limit: RateLimit::default(),
    });
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
        let phase = SharedPhase::default();
        // A connection above the limit is closed at once rather than kept waiting.
        let Ok(place) = connections.admit(&phase) else {
            continue;
        };
        let (server, closed) = (Arc::clone(&server), closed.clone());
        tokio::spawn(connection(stream, server, phase, Arc::new(place), closed));
    }
    drop(listener);
    closing.send_replace(true);
    finish(&server, &connections).await;
    Ok(())
}

/// Ends in two steps, after connections were told to take no further requests: first answers are finished, then streams
/// are closed.
async fn finish(server: &Server, connections: &Connections) {
    let answered = tokio::time::timeout(FINISH_WITHIN, server.answering.none()).await;
    if answered.is_err() {
        tracing::warn!(
            "some requests took too long to answer; their clients do not know what became of them"
        );
    }
    server.endpoints.close();
    if tokio::time::timeout(CLOSE_WITHIN, connections.all_closed())
        .await
        .is_err()
    {
        tracing::warn!("some connections took too long to close");
    }
}

/// Marks a connection as idle once an answer is sent.
struct IdleWhenSent(SharedPhase);

impl Drop for IdleWhenSent {
    fn drop(&mut self) {
        self.0.set(Phase::Idle);
    }
}

async fn connection(
    stream: TcpStream,
    server: Arc<Server>,
    phase: SharedPhase,
    place: Arc<Place>,
    mut closed: watch::Receiver<bool>,
) {
    // Answers are written in small pieces: without this, Nagle's algorithm would delay them.
    drop(stream.set_nodelay(true));
    let unread = Unread::default();
    let stream = LingeringStream::new(stream, unread.clone());
    let stream = TimeoutStream::new(stream, phase.clone(), TIMEOUT, IDLE_TIMEOUT);
    let of_place = Arc::clone(&place);
    let service = service_fn(move |request: Request<Incoming>| {
        // Here, not in the future: hyper looks at the stream again before it polls that, and whoever sent a whole head
        // is not slow.
        phase.set(Phase::Responding);
        let answering = server.answering.add();
        let (server, place) = (Arc::clone(&server), Arc::clone(&of_place));
        let (phase, unread) = (phase.clone(), unread.clone());
        async move {
            let request = request.map(|body| RequestBody::new(body, unread.clone()));
            let is_in_the_way = request.body().is_in_the_way();
            let mut answer = server.answer(request, &place).await;
            if is_in_the_way && unread.is_some() {
                close(answer.headers_mut());
            }
            // An answer is under way until its last byte is sent or its client is gone.
            let stays_open = answer.extensions().get::<StaysOpen>().is_some();
            let answering = (!stays_open).then_some(answering);
            let guard = (IdleWhenSent(phase), answering);
            Ok::<_, Infallible>(answer.map(|body| BodyWithGuard::new(body, guard)))
        }
    });
    let mut builder = http1::Builder::new();
    builder.max_headers(64).max_buf_size(MAX_HEAD);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let closing = async { drop(closed.wait_for(|closed| *closed).await) };
    let served = tokio::select! {
        served = &mut connection => served,
        () = place.is_needed() => return,
        () = closing => {
            // Closed at once if it is idle, otherwise after the answer that is under way.
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Marks an answer that is a stream, which stays open for as long as its client likes.
#[derive(Debug, Clone, Copy)]
struct StaysOpen;

impl Server {
    async fn answer(&self, request: Request<RequestBody>, place: &Place) -> Response<Body> {
        let headers = request.headers().clone();
        let mut answer = self.route(request, place).await;
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

    async fn route(&self, request: Request<RequestBody>, place: &Place) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path().to_owned();
        // The page itself holds no secrets; it asks for the token if there is one.
        let public = parts.method == Method::OPTIONS || path == "/healthz" || path == "/";
        let access = if public {
            Access::Public
        } else {
            Access::NeedsToken
        };
        if let Err(answer) = self.admit(&parts, access, place).await {
            return answer;
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

    /// Decides whether a request is answered: by who sends it, and how often.
    async fn admit(
        &self,
        parts: &http::request::Parts,
        access: Access,
        place: &Place,
    ) -> Result<(), Response<Body>> {
        let admitted = self.guard.admit(parts, access);
        // Only now: a page of another site does not learn whether a token is right.
        let is_token_shown = admitted.is_ok() && self.guard.is_token_shown(&parts.headers);
        if is_token_shown && place.recognise().is_err() {
            let reason = "too many connections; try again later";
            let mut answer = error(StatusCode::SERVICE_UNAVAILABLE, -32603, reason);
            close(answer.headers_mut());
            return Err(answer);
        }
        let share = if admitted.is_ok() && place.is_known() {
            Share::Known
        } else {
            Share::Strangers
        };
        if !self.rate_limit.admits(share) {
            if share == Share::Strangers {
                tokio::time::sleep(STRANGERS_WAIT).await;
            }
            let reason = "too many requests; slow down";
            return Err(error(StatusCode::TOO_MANY_REQUESTS, -32600, reason));
        }
        admitted.map_err(|rejection| {
            let mut answer = error(rejection.status, -32600, rejection.reason);
            if rejection.status == StatusCode::UNAUTHORIZED {
                let challenge = HeaderValue::from_static("Bearer realm=\"todori\"");
                answer
                    .headers_mut()
                    .insert(http::header::WWW_AUTHENTICATE, challenge);
            }
            answer
        })
    }

    /// Answers a request of the dashboard.
    async fn api(
        &self,
        parts: &http::request::Parts,
        path: &str,
        body: RequestBody,
    ) -> Response<Body> {
        let body = match body.read(TIMEOUT).await {
            Ok(body) => body,
            Err(answer) => return answer,
        };
        if parts.method == Method::POST && !is_json(&parts.headers) {
            // Forms of other pages can be sent without a CORS preflight, but never with this type.
            return error(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                -32600,
                "the Content-Type must be application/json",
            );
        }
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
        answer.headers_mut().insert(CONTENT_TYPE, json);
        answer
    }

    /// Answers a message of MCP: reads the body, within limits, and passes it to the endpoint of these toolsets.
    async fn message(
        &self,
        mut parts: http::request::Parts,
        body: RequestBody,
        toolsets: Option<&str>,
    ) -> Response<Body> {
        let Some(endpoint) = self.endpoints.find(toolsets).await else {
            let known = todori_dialects::names();
            let reason = format!("there is no such toolset; known: {known}, all");
            return error(StatusCode::NOT_FOUND, -32601, &reason);
        };
        let body = match body.read(TIMEOUT).await {
            Ok(body) => body,
            Err(answer) => return answer,
        };
        if self.guard.has_token() {
            parts.extensions.insert(Authenticated);
        }
        let (answer, stays_open) = endpoint.answer(parts, body).await;
        if !stays_open || !answer.status().is_success() {
            return answer;
        }
        match Arc::clone(&self.streams).try_acquire_owned() {
            Ok(slot) => {
                let mut answer = answer.map(|body| BodyWithGuard::new(body, slot).boxed());
                answer.extensions_mut().insert(StaysOpen);
                answer
            }
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
    headers.insert(CONTENT_TYPE, html);
    if let Ok(policy) = HeaderValue::from_str(web::DASHBOARD_POLICY.trim_end()) {
        headers.insert(http::header::CONTENT_SECURITY_POLICY, policy);
    }
    answer
}

/// Binds an address.
pub(crate) async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    Ok(TcpListener::bind(address).await?)
}
