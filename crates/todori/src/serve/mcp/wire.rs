//! Reads a message, or makes the JSON-RPC error that answers it. The SDK leaves malformed input unanswered, and a client
//! that waits for an answer would wait for ever.

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Reads a message; `Err` is the answer to send instead.
pub(super) fn read(line: &[u8]) -> Result<ClientJsonRpcMessage, Value> {
    let value = read_value(line)?;
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    serde_json::from_value(value)
        .map_err(|_| invalid("Invalid Request: this is no message of the protocol", &id))
}

/// Reads JSON that has the form of a message; `Err` is the answer to send instead.
pub(super) fn read_value(text: &[u8]) -> Result<Value, Value> {
    let value: Value = serde_json::from_slice(text)
        .map_err(|_| error(PARSE_ERROR, "Parse error: not valid JSON", &Value::Null))?;
    let Some(message) = value.as_object() else {
        let what = if value.is_array() {
            "batches are not supported"
        } else {
            "expected an object"
        };
        return Err(invalid(&format!("Invalid Request: {what}"), &Value::Null));
    };
    let id = message.get("id");
    let known_id = id.filter(|id| id.is_string() || id.is_i64()).cloned();
    let refuse = |what: &str| {
        let id = known_id.as_ref().unwrap_or(&Value::Null);
        Err(invalid(&format!("Invalid Request: {what}"), id))
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refuse("jsonrpc must be \"2.0\"");
    }
    if id.is_some() && known_id.is_none() {
        return refuse("id must be a string or an integer");
    }
    let answers = message.contains_key("result") || message.contains_key("error");
    if !answers && !message.get("method").is_some_and(Value::is_string) {
        return refuse("method must be a string");
    }
    if message
        .get("params")
        .is_some_and(|params| !params.is_object() && !params.is_null())
    {
        return refuse("params must be an object");
    }
    Ok(value)
}

/// The answer to a line that is too long to be read.
pub(super) fn too_long(most: usize) -> Value {
    invalid(
        &format!("Invalid Request: a line may have at most {most} bytes"),
        &Value::Null,
    )
}

fn invalid(message: &str, id: &Value) -> Value {
    error(INVALID_REQUEST, message, id)
}

fn error(code: i32, message: &str, id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
