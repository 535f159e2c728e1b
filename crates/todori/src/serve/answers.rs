//! Answers over HTTP, whatever they are about.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};

pub(crate) type Body = BoxBody<Bytes, Infallible>;

fn full(text: String) -> Body {
    Full::new(Bytes::from(text)).boxed()
}

pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(full(String::new()));
    *answer.status_mut() = status;
    answer
}

/// An answer with JSON.
pub(crate) fn json_answer(status: StatusCode, value: &Value) -> Response<Body> {
    let mut answer = Response::new(full(value.to_string()));
    *answer.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(CONTENT_TYPE, json);
    answer
}

/// An error as JSON-RPC, the only form that clients of MCP understand.
pub(crate) fn error(status: StatusCode, code: i32, reason: &str) -> Response<Body> {
    json_answer(
        status,
        &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": reason}}),
    )
}

/// Says that the connection is closed after this answer.
pub(super) fn close(headers: &mut HeaderMap) {
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
}

/// Whether a request says that its body is JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(CONTENT_TYPE);
    let given = given
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}
