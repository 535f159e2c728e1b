//! Sessions over HTTP: whose list it is, and that it is still there.

use std::net::TcpStream;

use serde_json::{Value, json};

use super::waiting::{hold_the_board, until, waits_for_the_board};
use crate::project::Project;
use crate::web::Web;

fn set(title: &str) -> Value {
    let item = json!({"content": title, "status": "pending", "activeForm": title});
    json!({"name": "todolist__set", "arguments": {"todos": [item]}})
}

fn get() -> Value {
    json!({"name": "todolist__get", "arguments": {}})
}

fn titles(answer: &Value) -> Vec<String> {
    let todos = answer["result"]["structuredContent"]["todos"].as_array();
    let todos = todos.unwrap_or_else(|| panic!("{answer}"));
    todos
        .iter()
        .map(|todo| todo["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_session_has_its_own_list() {
    let project = Project::nowhere();
    let web = Web::start(&project, &["--toolsets", "todolist,todowrite"]);
    let (one, two) = (web.session("/mcp"), web.session("/mcp"));
    web.ask_in(&one, "/mcp", "tools/call", set("one's"));
    web.ask_in(&two, "/mcp", "tools/call", set("two's"));
    assert_eq!(
        titles(&web.ask_in(&one, "/mcp", "tools/call", get())),
        ["one's"]
    );
    assert_eq!(
        titles(&web.ask_in(&two, "/mcp", "tools/call", get())),
        ["two's"]
    );
    // The same list under another toolset and address.
    let written = web.ask_in(&one, "/mcp", "TodoWrite", json!({"todos": []}));
    assert_eq!(written["result"]["stats"]["total"], 0);
    assert!(titles(&web.ask_in(&one, "/mcp", "tools/call", get())).is_empty());
}

#[test]
fn without_a_session_the_url_or_the_client_names_it_or_it_is_shared() {
    let project = Project::nowhere();
    let web = Web::start(&project, &["--toolsets", "todolist"]);
    web.ask_modern("/mcp?session=mine", "tools/call", set("named"));
    assert_eq!(
        titles(
            &web.ask_modern("/mcp?session=mine", "tools/call", get())
                .message()
        ),
        ["named"]
    );
    assert!(
        titles(
            &web.ask_modern("/mcp?session=other", "tools/call", get())
                .message()
        )
        .is_empty()
    );
    let shared = web
        .ask_modern("/mcp", "tools/call", set("everybody's"))
        .message();
    let blocks = shared["result"]["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[1]["annotations"]["audience"], json!(["assistant"]));
    assert!(
        blocks[1]["text"]
            .as_str()
            .unwrap()
            .contains("?session=NAME")
    );
    let named = web
        .ask_modern("/mcp?session=mine", "tools/call", get())
        .message();
    assert_eq!(
        named["result"]["content"].as_array().unwrap().len(),
        1,
        "nothing to remind of"
    );
    let with_meta = |id: &str| {
        let mut params = get();
        params["_meta"] = json!({"x-codex-turn-metadata": {"session_id": id}});
        titles(&web.ask("/mcp", "tools/call", params))
    };
    assert!(with_meta("codex-1").is_empty(), "a session of its own");
}

#[test]
fn a_session_and_its_list_survive_a_restart_of_the_server() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "todolist,tasks"]);
    let session = web.session("/mcp");
    web.ask_in(&session, "/mcp", "tools/call", set("before"));
    drop(web);
    let web = Web::start(&project, &["--toolsets", "todolist,tasks"]);
    assert_eq!(
        titles(&web.ask_in(&session, "/mcp", "tools/call", get())),
        ["before"]
    );
    web.ask_in(&session, "/mcp", "tools/call", set("after"));
    assert_eq!(
        titles(&web.ask_in(&session, "/mcp", "tools/call", get())),
        ["after"]
    );
    // A session that was ended is gone.
    assert_eq!(
        web.send("DELETE", "/mcp", &[("Mcp-Session-Id", &session)], "")
            .status,
        204
    );
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(
        web.post("/mcp", &[("Mcp-Session-Id", &session)], &message)
            .status,
        404
    );
}

#[test]
fn the_id_of_a_session_is_never_written_where_others_look() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "todolist,tasks"]);
    let session = web.session("/mcp");
    web.ask_in(&session, "/mcp", "tools/call", set("only on my list"));
    web.ask_in(
        &session,
        "/mcp",
        "create_task",
        json!({"title": "on the board", "status": "in-progress"}),
    );
    // The board, its history, and the list of the session, which others may look at while it is there.
    let mut looked_at = Vec::new();
    for folder in [".todori", ".todori/sessions"] {
        for entry in std::fs::read_dir(project.path().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            assert!(!name.contains(&session), "{name}");
            if path.is_file() {
                let text = std::fs::read_to_string(path).unwrap();
                assert!(!text.contains(&session), "{name}: {text}");
                looked_at.push((name, text));
            }
        }
    }
    let found = |words: &str| {
        looked_at
            .iter()
            .filter(|(_, text)| text.contains(words))
            .count()
    };
    assert_eq!(found("title: on the board"), 1, "the board: {looked_at:?}");
    assert!(found("only on my list") > 0, "the list: {looked_at:?}");
}

#[test]
fn an_open_stream_does_not_keep_it_from_ending() {
    for signal in ["-TERM", "-INT"] {
        let project = Project::new();
        let mut web = Web::start(&project, &[]);
        let session = web.session("/mcp");
        let request = format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n",
            web.address
        );
        let mut lines = web.lines(&request);
        assert!(lines.next().unwrap().contains("200"));
        web.signal(signal);
        assert_eq!(web.child.wait().unwrap().code(), Some(0), "{signal}");
        assert!(
            lines.last().is_some(),
            "the stream ends too, after its head"
        );
    }
}

#[test]
fn a_session_that_ends_takes_its_list_along_and_frees_what_it_had() {
    let project = Project::new();
    let web = Web::start(&project, &["--toolsets", "todolist,tasks"]);
    let (one, two) = (web.session("/mcp"), web.session("/mcp"));
    web.ask_in(&one, "/mcp", "tools/call", set("one's"));
    let task = web.ask_in(
        &one,
        "/mcp",
        "create_task",
        json!({"title": "taken", "status": "in-progress"}),
    );
    let held = web.ask_in(&two, "/mcp", "get_next_task", json!({}));
    assert_eq!(held["result"]["task"], Value::Null, "it is somebody else's");
    assert_eq!(
        web.send("DELETE", "/mcp", &[("Mcp-Session-Id", &one)], "")
            .status,
        204
    );
    let free = web.ask_in(&two, "/mcp", "get_next_task", json!({}));
    assert_eq!(free["result"]["task"]["id"], task["result"]["id"]);
    let left =
        std::fs::read_dir(project.path().join(".todori/sessions")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "no list, no lock");
}

#[test]
fn clients_without_a_session_are_told_apart_by_their_names() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let ask = |client: &str, method: &str, params: Value| {
        let mut params = params;
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        web.post("/mcp", &headers, &message).message()["result"].clone()
    };
    let started = ask(
        "claude-code",
        "create_task",
        json!({"title": "x", "status": "in-progress"}),
    );
    assert_eq!(started["assignee"], "claude-code-http");
    assert_eq!(
        ask("copilot", "get_next_task", json!({}))["task"],
        Value::Null
    );
    assert_eq!(
        ask("claude-code", "get_next_task", json!({}))["task"]["id"],
        started["id"]
    );
}

#[test]
fn a_call_under_way_is_finished_before_the_end() {
    for with_session in [false, true] {
        let project = Project::new();
        let mut web = Web::start(&project, &[]);
        let session = web.session("/mcp");
        let lock = hold_the_board(&project);
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": "create_task", "params": {"title": "under way"}});
        std::thread::scope(|scope| {
            let (web_ref, session) = (&web, &session);
            let calling = scope.spawn(move || {
                let header = [("Mcp-Session-Id", session.as_str())];
                let headers = if with_session { &header[..] } else { &[] };
                web_ref.post("/mcp", headers, &message).message()
            });
            until("the call waits for the board", || {
                waits_for_the_board(web_ref)
            });
            web_ref.signal("-TERM");
            // From then on nobody comes in.
            until("it is about to end", || {
                TcpStream::connect(web_ref.address).is_err()
            });
            drop(lock);
            let answer = calling.join().unwrap();
            assert_eq!(
                answer["result"]["title"], "under way",
                "with a session: {with_session}"
            );
        });
        assert_eq!(web.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_session_outlives_more_sessions_than_fit() {
    let project = Project::nowhere();
    let web = Web::start(&project, &["--toolsets", "todolist"]);
    let first = web.session("/mcp");
    web.ask_in(&first, "/mcp", "tools/call", set("first's"));
    for _ in 0..1_010 {
        let answer = web.post("/mcp", &[], &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "one of many", "version": "1"}}}));
        assert_eq!(answer.status, 200);
    }
    assert_eq!(
        titles(&web.ask_in(&first, "/mcp", "tools/call", get())),
        ["first's"]
    );
}

/// How much memory the server takes, in bytes.
fn resident(web: &Web) -> usize {
    let pages = std::fs::read_to_string(format!("/proc/{}/statm", web.child.id())).unwrap();
    let pages: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

#[test]
fn ids_that_were_never_given_out_are_not_remembered() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let mut connection = web.keep_alive();
    let mut ask = |id: &str| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
        let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", id)];
        connection.send("POST", "/mcp", &headers, &call).unwrap()
    };
    let long = "x".repeat(8_000);
    let mut made_up = |count: usize| {
        for number in 0..count {
            let answer = ask(&format!("{number}-{long}"));
            assert_eq!(answer.status, 404, "{answer:?}");
        }
    };
    made_up(200);
    let before = resident(&web);
    made_up(5_000);
    let grown = resident(&web).saturating_sub(before);
    assert!(grown < 8_000_000, "{grown} bytes for 5,000 ids of 8 KB");
    // Those that look right are not known either.
    for _ in 0..3 {
        assert_eq!(ask("2f0c7a52-2b6e-4d0e-9df1-51d0d1c1f2ab").status, 404);
    }
}
