//! Servers over HTTP, and their clients in both eras of the protocol.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::Outcome;
use crate::http::Connection;
use crate::process::Process;
use crate::protocol::{self, Answer};

/// A server process and where it is. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) process: Process,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server and waits until it says where it is.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        let mut process = Process::start(command.stdin(Stdio::null()).stderr(Stdio::piped()))?;
        let errors = process.child.stderr.take();
        let mut errors = BufReader::new(errors.ok_or("a process was started without its pipe")?);
        let mut said = String::new();
        errors.read_line(&mut said)?;
        let address = said.trim().strip_suffix("/mcp");
        let address = address.and_then(|said| said.rsplit_once("http://")?.1.parse().ok());
        let address = address.ok_or_else(|| format!("a server did not start: {said}"))?;
        // What it complains about later is for whoever runs this to see. Ends with the process.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::stderr()));
        Ok(Self { process, address })
    }
}

/// A client on a connection that stays open.
#[derive(Debug)]
pub(crate) struct Client {
    connection: Connection,
    known_by: KnownBy,
    asked: u64,
}

/// How a server knows a client again.
#[derive(Debug)]
enum KnownBy {
    /// By the id of the session that it opened.
    Session(String),
    /// Not at all: each request says all there is to know.
    EachRequest,
}

impl Client {
    /// Opens a session, as clients of older revisions do.
    pub(crate) fn with_session(address: SocketAddr) -> Outcome<Self> {
        let mut connection = Connection::open(address)?;
        let initialize = protocol::request(0, "initialize", &protocol::introduction());
        let opened = connection.post(&[], &initialize.to_string())?.accepted()?;
        let id = opened.header("mcp-session-id");
        let id = id.ok_or_else(|| format!("no session was opened: {}", opened.body))?;
        let initialized = protocol::initialized().to_string();
        connection
            .post(&session_headers(id), &initialized)?
            .accepted()?;
        Ok(Self {
            connection,
            known_by: KnownBy::Session(id.to_owned()),
            asked: 0,
        })
    }

    /// Opens nothing but a connection, as clients of the newer era do.
    pub(crate) fn without_session(address: SocketAddr) -> Outcome<Self> {
        Ok(Self {
            connection: Connection::open(address)?,
            known_by: KnownBy::EachRequest,
            asked: 0,
        })
    }

    /// Asks whether the server is there, as clients of older revisions do.
    pub(crate) fn ping(&mut self) -> Outcome<Answer> {
        let KnownBy::Session(id) = &self.known_by else {
            return Err("only a session can be pinged".into());
        };
        let method = "ping";
        self.asked += 1;
        let request = protocol::request(self.asked, method, &json!({})).to_string();
        let headers = session_headers(id);
        let response = self.connection.post(&headers, &request)?.accepted()?;
        Answer::read(message(&response.body)?, method, response.took)
    }

    /// Calls a tool that takes no arguments, and waits for its answer.
    pub(crate) fn call(&mut self, tool: &str) -> Outcome<Answer> {
        let method = "tools/call";
        let (headers, parameters) = match &self.known_by {
            KnownBy::Session(id) => (
                session_headers(id).to_vec(),
                json!({"name": tool, "arguments": {}}),
            ),
            KnownBy::EachRequest => (
                vec![
                    ("MCP-Protocol-Version", protocol::WITHOUT_SESSIONS),
                    ("Mcp-Method", method),
                    ("Mcp-Name", tool),
                ],
                json!({"name": tool, "arguments": {}, "_meta": protocol::meta()}),
            ),
        };
        self.asked += 1;
        let request = protocol::request(self.asked, method, &parameters).to_string();
        let response = self.connection.post(&headers, &request)?.accepted()?;
        let message = message(&response.body)?;
        if message.get("id").and_then(Value::as_u64) != Some(self.asked) {
            return Err(format!("the answer to {method} was {message}").into());
        }
        Answer::read(message, method, response.took)
    }
}

fn session_headers(id: &str) -> [(&str, &str); 2] {
    [
        ("Mcp-Session-Id", id),
        ("MCP-Protocol-Version", protocol::WITH_SESSIONS),
    ]
}

/// The message in a body, which is either that message or a stream of events that ends with it.
fn message(body: &str) -> Outcome<Value> {
    let mut events = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let message = events.next_back().unwrap_or(body);
    Ok(serde_json::from_str(message)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str) {
        assert_eq!(
            message(body).unwrap(),
            json!({"id": 1, "result": "data: x"})
        );
    }

    #[test]
    fn a_message_is_found_in_either_kind_of_body() {
        let message = r#"{"id": 1, "result": "data: x"}"#;
        check(message);
        check(&format!(
            "data: \nid: 0\nretry: 3000\n\ndata: {message}\nid: 1/0\n\n"
        ));
    }
}
