//! One address of the server: a set of tools, for both eras of the protocol and for plain JSON-RPC.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{
    SessionId, StreamableHttpServerConfig, StreamableHttpService,
};
use serde_json::Value;
use todori_domain::SessionEnd;
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

use super::handler::{Handler, Identity};
use super::session_files::SessionFiles;
use super::wire;
use crate::config::mark;
use crate::dispatch::Dispatcher;
use crate::serve::answers::{Body, error, is_json, json_answer};
use crate::serve::request_body::MAX_BODY;

/// How long a session stays in memory without a request; after that it is brought back from its file.
const IN_MEMORY_FOR: Duration = Duration::from_mins(30);
/// The most sessions in memory; those used longest ago go to their files.
const MAX_SESSIONS: usize = 1_000;
/// After so long without a word, what a session has in progress is offered to others.
const SILENT_AFTER: Duration = Duration::from_hours(4);
/// How often the file of a session in use is marked as such.
const TOUCH_EVERY: Duration = Duration::from_mins(30);

/// All addresses of the server, made when they are first asked for.
pub(crate) struct Endpoints {
    dispatcher: Dispatcher,
    /// The toolsets of the plain address.
    usual: String,
    made: RwLock<HashMap<String, Arc<Endpoint>>>,
    sessions: Arc<SessionFiles>,
    ended: CancellationToken,
}

impl Endpoints {
    pub(crate) fn new(dispatcher: Dispatcher, sessions: std::path::PathBuf) -> Self {
        let usual: Vec<&str> = dispatcher
            .toolsets()
            .iter()
            .map(|dialect| dialect.name)
            .collect();
        Self {
            usual: usual.join(","),
            dispatcher,
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
            let dispatcher = self.dispatcher.with(selected);
            Arc::new(Endpoint::new(
                dispatcher,
                Arc::clone(&self.sessions),
                self.ended.clone(),
            ))
        });
        Some(Arc::clone(endpoint))
    }

    /// Lets others have what sessions hold that nothing was heard of for long.
    pub(crate) async fn release_silent(&self) {
        let mut silent = Vec::new();
        for endpoint in self.made.read().await.values() {
            let mut used = endpoint.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.retain(|id, last| {
                let is_silent = last.elapsed() > SILENT_AFTER;
                silent.extend(is_silent.then(|| id.clone()));
                !is_silent
            });
        }
        for id in silent {
            end_session(&self.dispatcher, &id, SessionEnd::Silent).await;
        }
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
    files: Arc<SessionFiles>,
    /// When each session was used last; only of those that were given out.
    used: Mutex<HashMap<String, Instant>>,
    dispatcher: Arc<Dispatcher>,
}

/// Ends a session in the store. That it can't be ended is no reason to fail: nothing proves any more that it lives.
async fn end_session(dispatcher: &Dispatcher, id: &str, end: SessionEnd) {
    let store = dispatcher.tracker().store();
    // Names of sessions end with a mark made from the id.
    drop(store.end_sessions(&mark(id), end).await);
}

impl Endpoint {
    fn new(dispatcher: Dispatcher, files: Arc<SessionFiles>, ended: CancellationToken) -> Self {
        let tools = Handler::definitions(&dispatcher);
        let dispatcher = Arc::new(dispatcher);
        let shared = Arc::clone(&dispatcher);
        let of_handler = Arc::clone(&files);
        let handler = move || {
            Ok(Handler::new(
                Arc::clone(&shared),
                Identity::Http(Arc::clone(&of_handler)),
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
        config.session_store = Some(Arc::<SessionFiles>::clone(&files));
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(IN_MEMORY_FOR);
        // Room for messages is set aside for each session, used or not.
        manager.session_config.channel_capacity = 4;
        let manager = Arc::new(manager);
        let stateful = StreamableHttpService::new(handler, Arc::clone(&manager), config);
        Self {
            stateful,
            stateless,
            manager,
            files,
            used: Mutex::default(),
            dispatcher,
        }
    }

    /// Answers one request, whatever revision it speaks; also says whether the answer is a stream that stays open.
    pub(crate) async fn answer(&self, mut parts: Parts, body: Bytes) -> (Response<Body>, bool) {
        if parts.method != Method::POST {
            let stays_open = parts.method == Method::GET;
            return (self.stream(parts).await, stays_open);
        }
        if !is_json(&parts.headers) {
            let reason = "the content type must be application/json";
            return (
                error(StatusCode::UNSUPPORTED_MEDIA_TYPE, -32600, reason),
                false,
            );
        }
        let message = match wire::read_value(&body) {
            Ok(message) => message,
            Err(refusal) => return (json_answer(StatusCode::BAD_REQUEST, &refusal), false),
        };
        let initializes = match wire::read(&body) {
            Ok(ClientJsonRpcMessage::Request(request)) => {
                matches!(request.request, ClientRequest::InitializeRequest(_))
            }
            Ok(_) => false,
            Err(refusal) => return (json_answer(StatusCode::BAD_REQUEST, &refusal), false),
        };
        let modern = is_modern(&parts, &message);
        let stays_open =
            message.get("method").and_then(Value::as_str) == Some("subscriptions/listen");
        // Clients like curl say that they take anything, or nothing at all.
        let both = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(ACCEPT, both);
        let session = session_id(&parts.headers);
        if modern || (!initializes && session.is_none()) {
            let request = Request::from_parts(parts, Full::new(body));
            return (
                in_json(self.stateless.handle(request).await).await,
                stays_open,
            );
        }
        if let Err(unknown) = self.bring(session.as_ref().filter(|_| !initializes)).await {
            return (unknown, false);
        }
        let request = Request::from_parts(parts, Full::new(body));
        let answer = self.stateful.handle(request).await;
        // A new session is named by the answer.
        let used = session_id(answer.headers()).or(session);
        if let Some(id) = used.filter(|_| answer.status() != StatusCode::NOT_FOUND) {
            self.note_use(&id);
        }
        (in_json(answer).await, stays_open)
    }

    /// Makes sure that there is a session to answer for, or room for a new one. What was never given out is unknown at
    /// once, and nothing of it is remembered.
    async fn bring(&self, session: Option<&SessionId>) -> Result<IsNew, Response<Body>> {
        if let Some(id) = session {
            if self.manager.sessions.read().await.contains_key(id) {
                return Ok(IsNew::No);
            }
            if !is_well_formed(id) || !self.files.knows(id).await {
                let reason = "there is no such session; it has ended, or was never begun";
                return Err(error(StatusCode::NOT_FOUND, -32600, reason));
            }
        }
        self.make_room().await;
        Ok(IsNew::Yes)
    }

    /// Remembers when a session was used last, here and, now and then, in its file.
    fn note_use(&self, id: &str) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let last = used.insert(id.to_owned(), now);
        if last.is_some_and(|last| now.duration_since(last) > TOUCH_EVERY) {
            self.files.touch(id);
        }
    }

    /// Sends the sessions that were used longest ago out of memory when there are too many. Their files bring them back.
    async fn make_room(&self) {
        while self.manager.sessions.read().await.len() >= MAX_SESSIONS {
            let oldest = {
                let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
                let oldest = used
                    .iter()
                    .min_by_key(|(_, last)| **last)
                    .map(|(id, _)| id.clone());
                if let Some(oldest) = &oldest {
                    used.remove(oldest);
                }
                oldest
            };
            let sessions = self.manager.sessions.read().await;
            let known = oldest
                .as_deref()
                .and_then(|oldest| sessions.keys().find(|id| id.as_ref() == oldest).cloned());
            let some = known.or_else(|| {
                oldest
                    .is_none()
                    .then(|| sessions.keys().next().cloned())
                    .flatten()
            });
            drop(sessions);
            match (some, oldest) {
                (Some(id), _) => drop(self.manager.close_session(&id).await),
                (None, Some(_)) => {}
                (None, None) => return,
            }
        }
    }

    /// The stream of an older session, or its end.
    async fn stream(&self, mut parts: Parts) -> Response<Body> {
        let known = matches!(parts.method, Method::GET | Method::DELETE);
        let modern = parts
            .headers
            .get("mcp-protocol-version")
            .is_some_and(|version| is_new(version.to_str().ok()));
        if !known || modern {
            let mut answer = error(StatusCode::METHOD_NOT_ALLOWED, -32600, "use POST");
            answer.headers_mut().insert(
                http::header::ALLOW,
                HeaderValue::from_static("GET, POST, DELETE"),
            );
            return answer;
        }
        let ends = parts.method == Method::DELETE;
        let session = session_id(&parts.headers);
        if session.is_some() {
            match self.bring(session.as_ref()).await {
                Err(unknown) => return unknown,
                // Nothing is known of what was sent before: the stream begins anew.
                Ok(IsNew::Yes) => drop(parts.headers.remove("last-event-id")),
                Ok(IsNew::No) => {}
            }
        }
        let request = Request::from_parts(parts, Full::new(Bytes::new()));
        let mut answer = in_json(self.stateful.handle(request).await).await;
        if let Some(id) = session
            .as_ref()
            .filter(|_| !ends && answer.status().is_success())
        {
            self.note_use(id);
        }
        if ends && answer.status() == StatusCode::ACCEPTED {
            // The session is gone already, and some clients take "accepted" for a failure.
            *answer.status_mut() = StatusCode::NO_CONTENT;
            if let Some(id) = session {
                self.used
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(id.as_ref());
                end_session(&self.dispatcher, &id, SessionEnd::Over).await;
            }
        }
        answer
    }
}

/// Whether a session was brought into memory just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IsNew {
    Yes,
    No,
}

/// The session that a head names.
fn session_id(headers: &HeaderMap) -> Option<SessionId> {
    let id = headers.get("mcp-session-id")?.to_str().ok()?;
    Some(id.into())
}

/// Whether this could be the id of a session: the SDK gives out UUIDs.
fn is_well_formed(id: &str) -> bool {
    let fits = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    id.len() == 36 && id.bytes().enumerate().all(fits)
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
