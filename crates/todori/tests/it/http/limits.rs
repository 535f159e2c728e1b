//! What is too much, too slow or no message.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::project::Project;
use crate::web::{PATIENCE, Web};

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn whatever_is_no_message_is_answered_as_json() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    for (body, status, code, id) in [
        ("{", 400, -32700, json!(null)),
        ("\u{0}", 400, -32700, json!(null)),
        ("", 400, -32700, json!(null)),
        ("[]", 400, -32600, json!(null)),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            400,
            -32600,
            json!(null),
        ),
        ("42", 400, -32600, json!(null)),
        ("{}", 400, -32600, json!(null)),
        (r#"{"id":1,"method":"ping"}"#, 400, -32600, json!(1)),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            400,
            -32600,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            400,
            -32600,
            json!(null),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            400,
            -32600,
            json!(null),
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"get_tasks","params":[]}"#,
            400,
            -32600,
            json!(3),
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"nope"}"#,
            200,
            -32601,
            json!(4),
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}"#,
            200,
            -32602,
            json!(5),
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"nope"}}"#,
            200,
            -32602,
            json!(6),
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"get_task","params":{"id":"ffff"}}"#,
            200,
            -32000,
            json!(7),
        ),
    ] {
        let answer = web.send("POST", "/mcp", &[JSON], body);
        let message = answer.message();
        let told = (
            answer.status,
            message["error"]["code"].clone(),
            message["id"].clone(),
        );
        assert_eq!(told, (status, json!(code), id), "{body}: {answer:?}");
        assert!(
            answer
                .header("content-type")
                .unwrap()
                .starts_with("application/json"),
            "{answer:?}"
        );
    }
    let unknown = web.ask_modern("/mcp", "nope", json!({}));
    assert_eq!(
        (unknown.status, &unknown.message()["error"]["code"]),
        (404, &json!(-32601))
    );
}

#[test]
fn other_errors_are_json_too() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    for (method, path, headers, status) in [
        ("GET", "/nothing", vec![], 404),
        ("GET", "/mcp/nope", vec![], 404),
        ("GET", "/mcp", vec![], 406),
        ("PUT", "/mcp", vec![JSON], 405),
        ("POST", "/mcp", vec![("Content-Type", "text/plain")], 415),
        (
            "POST",
            "/mcp",
            vec![JSON, ("Mcp-Session-Id", "unknown")],
            404,
        ),
    ] {
        let body = if method == "POST" {
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        } else {
            ""
        };
        let answer = web.send(method, path, &headers, body);
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        let message: Value =
            serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{answer:?}"));
        assert!(message["error"]["message"].is_string());
    }
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "create_task", "params": {"title": "x".repeat(2_000_000)}});
    let answer = web.post("/mcp", &[], &large);
    assert_eq!(
        (answer.status, &answer.message()["error"]["code"]),
        (413, &json!(-32600))
    );
    assert_eq!(
        web.ask("/mcp", "get_task_stats", json!({}))["result"]["total"],
        0
    );
}

/// What a connection got until it was cut. Fails if nobody cut it.
fn until_cut(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        let is_cut = error.kind() == ErrorKind::ConnectionReset;
        assert!(is_cut, "it was not cut: {error}");
    }
    String::from_utf8(bytes).unwrap()
}

/// Connections that say nothing, half a head or half a body are cut, while others are served.
#[test]
fn slow_clients_are_cut_and_the_others_are_served() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        web.address
    );
    let mut slow = ["", "POST /mcp HT", head.as_str()].map(|begun| {
        let mut stream = web.connect();
        stream.write_all(begun.as_bytes()).unwrap();
        stream
    });
    // One more that sends a byte now and then, for as long as it is let.
    let mut dripping = web.connect();
    let drip = std::thread::spawn(move || {
        dripping.write_all(b"GET /healthz HTTP/1.1\r\nX: ").unwrap();
        let late = Instant::now() + PATIENCE;
        while Instant::now() < late {
            if dripping.write_all(b"x").is_err() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    });
    let served = || web.ask("/mcp", "get_task_stats", json!({}))["result"]["total"] == 0;
    assert!(served());
    let told = slow.each_mut().map(until_cut);
    assert_eq!(told[..2], ["", ""], "there is no request to answer");
    assert!(told[2].contains(" 408 "), "told why: {}", told[2]);
    assert!(drip.join().unwrap(), "a byte now and then does not help");
    assert!(served());
}

#[test]
fn clients_that_do_not_read_are_cut() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "todo"]);
    let add: Vec<Value> = (0..400)
        .map(|number| json!({"content": format!("{number} {}", "x".repeat(1_800))}))
        .collect();
    assert!(
        web.ask("/mcp", "todo_update", json!({"add": add}))
            .get("result")
            .is_some()
    );
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "todo_read"}).to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        web.address,
        body.len()
    );
    let deaf: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = web.connect();
            stream.write_all(request.repeat(20).as_bytes()).unwrap();
            stream
        })
        .collect();
    for mut stream in deaf {
        // They never read, and notice all the same: nobody takes what they send any more.
        let late = Instant::now() + PATIENCE;
        while stream.write_all(b"\r\n").is_ok() {
            assert!(Instant::now() < late, "it was not cut");
            std::thread::sleep(Duration::from_millis(50));
        }
        // What was cut ends; what was not would go on for twenty answers.
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        assert!(
            bytes.len() < 20 * 700_000,
            "it was not cut: {} bytes",
            bytes.len()
        );
    }
    assert_eq!(
        web.ask("/mcp", "todo_read", json!({}))["result"]["summary"]["total"],
        400
    );
}

/// Keeps apart the tests that open hundreds of connections: a process may have about a thousand files open.
fn alone() -> MutexGuard<'static, ()> {
    static CROWDED: Mutex<()> = Mutex::new(());
    CROWDED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn streams_that_stay_open_are_limited_and_leave_room_for_others() {
    let _alone = alone();
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let listen = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": {"resourceSubscriptions": ["todori://board"]},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}})
    .to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
        Mcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{listen}",
        web.address,
        listen.len()
    );
    let mut open = Vec::new();
    let mut refused = 0;
    for _ in 0..520 {
        let mut lines = web.lines(&request);
        let status = lines.next().unwrap();
        assert!(
            status.contains(" 200 ") || status.contains(" 503 "),
            "{status}"
        );
        refused += usize::from(status.contains(" 503 "));
        open.push(lines);
    }
    assert_eq!(refused, 8);
    assert_eq!(
        web.ask("/mcp", "get_task_stats", json!({}))["result"]["total"],
        0,
        "others are served"
    );
}

/// The first line of the answer to a request on a connection that stays open; none where there is no place for it.
fn knock(web: &Web, stream: &mut TcpStream) -> Option<String> {
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", web.address);
    // Who is turned away may find out while writing.
    drop(stream.write_all(request.as_bytes()));
    let mut line = String::new();
    match BufReader::new(stream).read_line(&mut line) {
        Ok(0) => None,
        Ok(_) => Some(line),
        Err(error) => {
            let is_cut = error.kind() == ErrorKind::ConnectionReset;
            assert!(is_cut, "neither answered nor turned away: {error}");
            None
        }
    }
}

#[test]
fn too_many_connections_are_refused_and_the_server_recovers() {
    let _alone = alone();
    let project = Project::new();
    let web = Web::start(&project, &[]);
    // Whoever got an answer may rest, and keeps the place.
    let mut crowd = Vec::new();
    let mut answers = Vec::new();
    for _ in 0..800 {
        let mut stream = web.connect();
        answers.push(knock(&web, &mut stream).is_some_and(|line| line.contains("200 OK")));
        crowd.push(stream);
    }
    assert!(answers[..768].iter().all(|answered| *answered));
    assert!(!answers[768..].iter().any(|answered| *answered));
    drop(crowd);
    // The places are free as soon as the server has seen that.
    let late = Instant::now() + PATIENCE;
    while knock(&web, &mut web.connect()).is_none() {
        assert!(Instant::now() < late, "nobody comes in any more");
        std::thread::sleep(Duration::from_millis(20));
    }
}
