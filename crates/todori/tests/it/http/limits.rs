//! What is too much, too slow or no message.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::Project;
use crate::web::Web;

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

/// Connections that say nothing, half a head or half a body are cut, while others are served.
#[test]
fn slow_clients_are_cut_and_the_others_are_served() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        web.address
    );
    let mut slow: Vec<_> = ["", "POST /mcp HT", head.as_str()]
        .into_iter()
        .map(|begun| {
            let mut stream = web.connect();
            stream.write_all(begun.as_bytes()).unwrap();
            stream
        })
        .collect();
    // One more that sends a byte now and then, for as long as it is let.
    let mut dripping = web.connect();
    let drip = std::thread::spawn(move || {
        dripping.write_all(b"GET /healthz HTTP/1.1\r\nX: ").unwrap();
        for _ in 0..600 {
            if dripping.write_all(b"x").is_err() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    });
    assert_eq!(
        web.ask("/mcp", "get_task_stats", json!({}))["result"]["total"],
        0
    );
    for stream in &mut slow {
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest));
        let told = String::from_utf8_lossy(&rest).into_owned();
        assert!(
            told.is_empty() || told.contains("408"),
            "cut, or told so: {told}"
        );
    }
    assert!(drip.join().unwrap(), "cut");
    assert_eq!(
        web.ask("/mcp", "get_task_stats", json!({}))["result"]["total"],
        0
    );
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
    std::thread::sleep(Duration::from_secs(7));
    // What was cut ends; what was not would go on for twenty answers.
    for mut stream in deaf {
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

#[test]
fn streams_that_stay_open_are_limited_and_leave_room_for_others() {
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
        let status = lines.next().unwrap_or_default();
        refused += usize::from(status.contains("503"));
        open.push(lines);
    }
    assert!(refused >= 8, "{refused} were refused");
    assert_eq!(
        web.ask("/mcp", "get_task_stats", json!({}))["result"]["total"],
        0,
        "others are served"
    );
}

#[test]
fn too_many_connections_are_refused_and_the_server_recovers() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let crowd: Vec<_> = (0..800).map(|_| web.connect()).collect();
    drop(crowd);
    let mut answered = false;
    for _ in 0..100 {
        let mut stream = web.connect();
        drop(
            stream.write_all(
                format!(
                    "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                    web.address
                )
                .as_bytes(),
            ),
        );
        let mut text = String::new();
        drop(stream.read_to_string(&mut text));
        answered = text.contains("200 OK");
        if answered {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(answered);
}
