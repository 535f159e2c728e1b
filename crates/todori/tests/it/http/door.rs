//! Who comes in. Each test names what it keeps out.

use std::process::Stdio;

use serde_json::json;

use crate::project::Project;
use crate::web::Web;

fn stats() -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "get_task_stats"})
}

#[test]
fn dns_rebinding_is_turned_away_on_every_route() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "all"]);
    for path in [
        "/",
        "/healthz",
        "/mcp",
        "/mcp/app",
        "/api/board",
        "/api/move",
        "/.well-known/anything",
    ] {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            let answer = web.send(method, path, &[("Host", "evil.example")], "");
            assert_eq!(answer.status, 403, "{method} {path}");
            assert_eq!(
                answer.message()["error"]["code"],
                -32600,
                "JSON, never plain text"
            );
        }
    }
}

#[test]
fn pages_of_other_sites_are_turned_away_before_the_body_is_read() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
    ] {
        let headers = [("Origin", origin), ("Content-Type", "application/json")];
        // Far more is announced than is sent: whoever waited for the body would wait for ever.
        let answer = web.send(
            "POST",
            "/mcp",
            &[headers[0], headers[1], ("Content-Length", "900000")],
            "{",
        );
        assert_eq!(answer.status, 403, "{origin}");
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    let answer = web.post("/mcp", &[("Origin", "http://localhost:3000")], &stats());
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("access-control-allow-origin"),
        Some("http://localhost:3000")
    );
}

#[test]
fn a_browser_may_ask_first() {
    let project = Project::new();
    let web = Web::start(&project, &["--allowed-origin", "https://app.example"]);
    let answer = web.send("OPTIONS", "/mcp", &[("Origin", "https://app.example")], "");
    assert_eq!(answer.status, 204);
    assert_eq!(
        answer.header("access-control-allow-origin"),
        Some("https://app.example")
    );
    assert!(
        answer
            .header("access-control-allow-headers")
            .unwrap()
            .contains("mcp-session-id")
    );
    assert_eq!(answer.header("vary"), Some("Origin"));
}

#[test]
fn without_the_token_nothing_is_told() {
    let project = Project::new();
    let file = project.path().join("token");
    #[expect(
        clippy::disallowed_methods,
        reason = "this plays the person who made a token"
    )]
    std::fs::write(&file, "a-long-enough-secret\n").unwrap();
    let web = Web::start(&project, &["--token-file", file.to_str().unwrap()]);
    for wrong in [
        None,
        Some("Bearer wrong"),
        Some("Basic a-long-enough-secret"),
    ] {
        let headers: Vec<(&str, &str)> = wrong
            .map(|wrong| ("Authorization", wrong))
            .into_iter()
            .collect();
        let answer = web.post("/mcp", &headers, &stats());
        assert_eq!(answer.status, 401);
        assert!(
            answer
                .header("www-authenticate")
                .unwrap()
                .starts_with("Bearer")
        );
        assert!(!answer.body.contains("secret"));
    }
    assert_eq!(
        web.post("/mcp?token=a-long-enough-secret", &[], &stats())
            .status,
        401,
        "never in the URL"
    );
    let answer = web.post(
        "/mcp",
        &[("Authorization", "Bearer a-long-enough-secret")],
        &stats(),
    );
    assert_eq!(
        (answer.status, &answer.message()["result"]["total"]),
        (200, &json!(0))
    );
    assert_eq!(web.send("GET", "/healthz", &[], "").status, 200);
    for twice in ["Mcp-Session-Id", "Content-Type"] {
        let token = ("Authorization", "Bearer a-long-enough-secret");
        let answer = web.send("POST", "/mcp", &[token, (twice, "a"), (twice, "b")], "{}");
        assert_eq!(answer.status, 400, "{twice} stands there twice");
    }
}

#[test]
fn any_authorization_is_no_token_where_none_is_asked_for() {
    let project = Project::nowhere();
    let web = Web::start(&project, &["--toolsets", "todolist"]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "todolist__get", "arguments": {}}});
    let answer = web
        .post("/mcp", &[("Authorization", "Bearer whatever")], &call)
        .message();
    let blocks = answer["result"]["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 2, "it is everybody's list, and that is said");
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    let project = Project::new();
    let printed = project.run(["serve", "--http", "0.0.0.0:0"]);
    assert_eq!(printed.code, 2);
    assert!(
        printed.err.contains("there is no token") && printed.err.contains("TODORI_TOKEN"),
        "{}",
        printed.err
    );
    let short = project
        .command()
        .env("TODORI_TOKEN", "sesame")
        .args(["serve", "--http"])
        .output()
        .unwrap();
    assert_eq!(short.status.code(), Some(2));
    let why = String::from_utf8(short.stderr).unwrap();
    assert!(
        why.contains("the token is too short") && !why.contains("sesame"),
        "{why}"
    );
}

#[test]
fn a_toolset_that_does_not_exist_is_named_at_the_start() {
    let project = Project::new();
    for arguments in [
        &["serve", "--toolsets", "tasks,tdo"][..],
        &["serve", "--http", "127.0.0.1:0", "--toolsets", "tdo"],
    ] {
        let printed = project.run(arguments);
        assert_eq!(printed.code, 2);
        assert!(printed.err.contains("\"tdo\""), "{}", printed.err);
        assert!(
            printed
                .err
                .contains("known: tasks, todo, todolist, todowrite, app, all"),
            "{}",
            printed.err
        );
    }
    let mut command = project.command();
    command
        .env("TODORI_TOOLSETS", "nope")
        .arg("serve")
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.contains("\"nope\""), "{why}");
}

#[test]
fn the_token_is_never_in_the_logs() {
    let project = Project::new();
    let mut command = project.command();
    command
        .env("TODORI_TOKEN", "a-long-enough-secret")
        .env("TODORI_LOG", "trace");
    command
        .args(["serve", "--http", "127.0.0.1:0"])
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut errors, &mut line).unwrap();
    let address = line
        .trim()
        .trim_start_matches("todori serves at http://")
        .trim_end_matches("/mcp")
        .to_owned();
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    let body = stats().to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
        Authorization: Bearer a-long-enough-secret\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    assert!(answer.contains("200 OK"), "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut logs = String::new();
    std::io::Read::read_to_string(&mut errors, &mut logs).unwrap();
    assert!(!logs.is_empty(), "there is something to look through");
    assert!(!logs.contains("a-long-enough-secret"), "{logs}");
}
