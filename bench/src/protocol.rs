//! What every client of the protocol says, and what it makes of an answer. Knows nothing of how the two travel.

use std::time::Duration;

use serde_json::{Value, json};

use crate::Outcome;

/// The last revision of the protocol with sessions.
pub(crate) const WITH_SESSIONS: &str = "2025-11-25";
/// The first one without.
pub(crate) const WITHOUT_SESSIONS: &str = "2026-07-28";

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) result: Value,
    /// From the first byte of the request to the last one of the answer.
    pub(crate) took: Duration,
}

impl Answer {
    /// Takes the result out of a message. One that reports an error ends the run, since the time that an error takes says
    /// nothing.
    pub(crate) fn read(mut message: Value, method: &str, took: Duration) -> Outcome<Self> {
        let result = message.get_mut("result").map(Value::take);
        let result = result.filter(|result| result.get("isError") != Some(&json!(true)));
        match result {
            Some(result) => Ok(Self { result, took }),
            None => Err(format!("the answer to {method} was {message}").into()),
        }
    }
}

pub(crate) fn request(id: u64, method: &str, parameters: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters})
}

/// The parameters of `initialize`, with which a client of a revision with sessions begins.
pub(crate) fn introduction() -> Value {
    json!({
        "protocolVersion": WITH_SESSIONS,
        "capabilities": {},
        "clientInfo": client(),
    })
}

/// What such a client says once it has its answer.
pub(crate) fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

/// What a client of a revision without sessions says in every request instead.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": WITHOUT_SESSIONS,
        "io.modelcontextprotocol/clientInfo": client(),
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn client() -> Value {
    json!({"name": "todori-bench", "version": env!("CARGO_PKG_VERSION")})
}
