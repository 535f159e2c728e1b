//! Serves any number of clients over HTTP: accepts connections, keeps limits, routes requests. On hyper alone, without a
//! web framework (docs/design/http.md). What a message means is for `mcp` to know.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::answers::{Body, close, empty, error, is_json, json_answer};
use super::api::{Api, Asked, Page, Told};
use super::compress::Text;
use super::connections::{Connections, Place};
use super::conversation::{StaysOpen, TIMEOUT, converse};
use super::count::Count;
use super::descriptors::room_for_connections;
use super::guard::{Access, Guard};
use super::mcp::Endpoints;
use super::rate_limit::{RateLimit, Share};
use super::request_body::RequestBody;
use super::timeout_stream::{BodyWithGuard, SharedPhase};
use crate::web;

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
                // Not waited for: those who come in do not wait for the store.
                let server = Arc::clone(&server);
                tokio::spawn(async move { server.endpoints.release_silent().await });
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

async fn connection(
    stream: TcpStream,
    server: Arc<Server>,
    phase: SharedPhase,
    place: Arc<Place>,
    closed: watch::Receiver<bool>,
) {
    // Answers are written in small pieces: without this, Nagle's algorithm would delay them.
    drop(stream.set_nodelay(true));
    let (answering, of_answers) = (server.answering.clone(), Arc::clone(&place));
    let answer = move |request| {
        let (server, place) = (Arc::clone(&server), Arc::clone(&of_answers));
        async move { server.answer(request, &place).await }
    };
    tokio::select! {
        () = converse(stream, phase, &answering, answer, closed) => {}
        () = place.is_needed() => {}
    }
}

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
            .entry(CACHE_CONTROL)
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
            "/" if matches!(parts.method, Method::GET | Method::HEAD) => dashboard(&parts.headers),
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
        match self.api.answer(asked).await {
            Told::Outcome(status, value) => json_answer(status, &value),
            Told::Page(page) => page_answer(&page, &parts.headers),
        }
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

/// An answer that a browser may keep, and ask whether it is still the right one.
fn page_answer(page: &Page, asked: &HeaderMap) -> Response<Body> {
    let known = asked.get_all(IF_NONE_MATCH).iter();
    let mut known = known
        .filter_map(|tags| tags.to_str().ok())
        .flat_map(|tags| tags.split(','));
    let mut answer = if known.any(|tag| matches!(tag.trim(), "*") || tag.trim() == page.tag) {
        empty(StatusCode::NOT_MODIFIED)
    } else {
        let mut answer = page.text.answer(asked);
        let json = HeaderValue::from_static("application/json");
        answer.headers_mut().insert(CONTENT_TYPE, json);
        answer
    };
    let headers = answer.headers_mut();
    let ask_each_time = HeaderValue::from_static("private, no-cache");
    headers.insert(CACHE_CONTROL, ask_each_time);
    if let Ok(tag) = HeaderValue::from_str(&page.tag) {
        headers.insert(ETAG, tag);
    }
    answer
}

/// The dashboard. Its policy lets it talk to this server and load nothing else.
fn dashboard(asked: &HeaderMap) -> Response<Body> {
    static DASHBOARD: OnceLock<Text> = OnceLock::new();
    let text = DASHBOARD.get_or_init(|| Text::new(web::DASHBOARD));
    let mut answer = text.answer(asked);
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
