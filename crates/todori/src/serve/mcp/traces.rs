//! The traces of a session in a request over HTTP: in its head, its URL or its message.

use http::request::Parts;
use rmcp::model::RequestMetaObject;
use serde_json::Value;

/// The session header of older revisions.
pub(super) fn session_in_header(parts: &Parts) -> Option<&str> {
    let id = parts.headers.get("mcp-session-id")?;
    id.to_str().ok()
}

/// The session that the URL names: `?session=NAME`.
pub(super) fn session_in_url(parts: &Parts) -> Option<String> {
    let mut pairs = parts
        .uri
        .query()?
        .split('&')
        .filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(key, value)| *key == "session" && !value.is_empty())?;
    Some(decoded(value))
}

/// Reads the percent signs of a URL.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        let escaped = (byte == b'%').then(|| rest.as_slice().get(..2)).flatten();
        let escaped = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                bytes.push(value);
                rest.nth(1);
            }
            None => bytes.push(if byte == b'+' { b' ' } else { byte }),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The session that clients are known to name in each request.
pub(super) fn session_in_request(meta: &RequestMetaObject) -> Option<String> {
    let meta = serde_json::to_value(meta).ok()?;
    let text = |value: &Value| {
        value
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let plain = ["dev.todori/session", "openai/session"]
        .iter()
        .find_map(|key| text(meta.get(key)?));
    plain.or_else(|| {
        let turn = meta.get("x-codex-turn-metadata")?;
        // Either an object, or the same as text.
        let parsed: Option<Value> = turn
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok());
        let turn = parsed.as_ref().unwrap_or(turn);
        ["session_id", "sessionId", "thread_id"]
            .iter()
            .find_map(|key| text(turn.get(key)?))
    })
}
