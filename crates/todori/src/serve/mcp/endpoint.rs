//! One address of the server: a set of tools, for both eras of the protocol and for plain JSON-RPC.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

use super::handler::{Handler, Identity};
use super::session_files::SessionFiles;
use super::wire;
use crate::desk::Desk;
use crate::serve::http::{Body, MAX_BODY, error, json_answer};

/// How long a session stays in memory without a request; after that it is brought back from its file.
const IN_MEMORY_FOR: Duration = Duration::from_mins(30);
/// The most sessions in memory.
const MAX_SESSIONS: usize = 1_000;

/// All addresses of the server, made when they are first asked for.
pub(crate) struct Endpoints {
    desk: Desk,
    /// The toolsets of the plain address.
    usual: String,
    made: RwLock<HashMap<String, Arc<Endpoint>>>,
    sessions: Arc<SessionFiles>,
    ended: CancellationToken,
}

impl Endpoints {
    pub(crate) fn new(desk: Desk, sessions: std::path::PathBuf) -> Self {
        let usual: Vec<&str> = desk.toolsets().iter().map(|dialect| dialect.name).collect();
        Self {
            usual: usual.join(","),
            desk,
            made: RwLock::default(),
            sessions: Arc::new(SessionFiles::new(sessions)),
            ended: CancellationToken::new(),
        }
    }

    /// The address with these toolsets; none if one of them is unknown.
    pub(crate) async fn find(&self, toolsets: Option<&str>) -> Option<Arc<Endpoint>> {
        let selected = todori_dialects::select(toolsets.unwrap_or(&self.usual)).ok()?;
        let names: Vec<&str> = selected.iter().map(|dialect| dialect.name).collect();
        let key = names.join(",");
        if let Some(known) = self.made.read().await.get(&key) {
            return Some(Arc::clone(known));
        }
        let mut made = self.made.write().await;
        let endpoint = made.entry(key).or_insert_with(|| {
            let desk = self.desk.with(selected);
            Arc::new(Endpoint::new(
                desk,
                Arc::clone(&self.sessions),
                self.ended.clone(),
            ))
        });
        Some(Arc::clone(endpoint))
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        self.ended.cancel();
    }
}

/// One address.
pub(crate) struct Endpoint {
    /// Sessions of older revisions.
    stateful: StreamableHttpService<Handler, LocalSessionManager>,
    /// The newer era, and requests without any session.
    stateless: StreamableHttpService<Handler, NeverSessionManager>,
    manager: Arc<LocalSessionManager>,
}

impl Endpoint {
    fn new(desk: Desk, sessions: Arc<SessionFiles>, ended: CancellationToken) -> Self {
        let tools = Handler::definitions(&desk);
        let desk = Arc::new(desk);
        let handler = move || {
            Ok(Handler::new(
                Arc::clone(&desk),
                Identity::Http,
                Arc::clone(&tools),
            ))
        };
        // Host and Origin are the guard's business; it was asked before.
        let mut config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(Vec::<String>::new())
            .with_cancellation_token(ended)
            .with_max_request_body_bytes(MAX_BODY);
        let stateless = StreamableHttpService::new(
            handler.clone(),
            Arc::new(NeverSessionManager::default()),
            config
                .clone()
                .with_legacy_session_mode(false)
                .with_json_response(true),
        );
        config.session_store = Some(sessions);
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(IN_MEMORY_FOR);
        let manager = Arc::new(manager);
        let stateful = StreamableHttpService::new(handler, Arc::clone(&manager), config);
        Self {
            stateful,
            stateless,
            manager,
        }
    }

    /// Answers one request, whatever revision it speaks.
    pub(crate) async fn answer(&self, mut parts: Parts, body: Bytes) -> Response<Body> {
        if parts.method != Method::POST {
            return self.stream(parts).await;
        }
        if !is_json(&parts) {
            return error(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                -32600,
                "the content type must be application/json",
            );
        }
        let message = match wire::read_value(&body) {
            Ok(message) => message,
            Err(refusal) => return json_answer(StatusCode::BAD_REQUEST, &refusal),
        };
        let method = message
            .get("method")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let has_session = parts.headers.contains_key("mcp-session-id");
        let modern = is_modern(&parts, &message);
        // Clients like curl say that they take anything, or nothing at all.
        let both = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(ACCEPT, both);
        let sessionless = method != "initialize" && !has_session;
        if method == "initialize"
            && !modern
            && self.manager.sessions.read().await.len() >= MAX_SESSIONS
        {
            return error(
                StatusCode::SERVICE_UNAVAILABLE,
                -32603,
                "too many sessions; try again later",
            );
        }
        let request = Request::from_parts(parts, Full::new(body));
        let answer = if modern || sessionless {
            self.stateless.handle(request).await
        } else {
            self.stateful.handle(request).await
        };
        in_json(answer).await
    }

    /// The stream of an older session, or its end.
    async fn stream(&self, parts: Parts) -> Response<Body> {
        let known = matches!(parts.method, Method::GET | Method::DELETE);
        let modern = parts
            .headers
            .get("mcp-protocol-version")
            .is_some_and(|version| is_new(version.to_str().ok()));
        if !known || modern {
            let mut answer = error(StatusCode::METHOD_NOT_ALLOWED, -32600, "use POST");
            answer
                .headers_mut()
                .insert(http::header::ALLOW, HeaderValue::from_static("POST"));
            return answer;
        }
        let ends = parts.method == Method::DELETE;
        let request = Request::from_parts(parts, Full::new(Bytes::new()));
        let mut answer = in_json(self.stateful.handle(request).await).await;
        if ends && answer.status() == StatusCode::ACCEPTED {
            // The session is gone already, and some clients take "accepted" for a failure.
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        answer
    }
}

fn is_json(parts: &Parts) -> bool {
    let kind = parts
        .headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| {
        kind.split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .eq_ignore_ascii_case("application/json")
    })
}

/// Whether a request is of the era without sessions.
fn is_modern(parts: &Parts, message: &Value) -> bool {
    let meta = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion");
    let header = parts
        .headers
        .get("mcp-protocol-version")
        .and_then(|version| version.to_str().ok());
    meta.is_some() || is_new(header)
}

fn is_new(version: Option<&str>) -> bool {
    version.is_some_and(|version| version >= "2026-07-28")
}

/// Errors of the SDK come as plain text; ours are always JSON.
async fn in_json(answer: Response<Body>) -> Response<Body> {
    let failed = answer.status().is_client_error() || answer.status().is_server_error();
    let kind = answer
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let structured = kind.is_some_and(|kind| {
        kind.starts_with("application/json") || kind.starts_with("text/event-stream")
    });
    if !failed || structured {
        return answer;
    }
    let (parts, body) = answer.into_parts();
    let text = Limited::new(body, 4096)
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let code = if parts.status == StatusCode::INTERNAL_SERVER_ERROR {
        -32603
    } else {
        -32600
    };
    let text = if text.trim().is_empty() {
        parts.status.to_string()
    } else {
        text
    };
    let mut answer = error(parts.status, code, &text);
    for (name, value) in &parts.headers {
        if name != CONTENT_TYPE && name != http::header::CONTENT_LENGTH {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}
