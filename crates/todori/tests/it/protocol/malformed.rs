//! Whatever comes in is answered, and the server lives on.

use serde_json::{Value, json};

use crate::project::Project;

/// What a line is answered with: the code and the id, or `result`.
fn check(cases: &[(&str, &str)]) {
    let project = Project::new();
    for initialized in [false, true] {
        let mut server = project.serve();
        if initialized {
            server.initialize("2025-11-25");
        }
        for (line, expected) in cases {
            assert!(server.send_raw(format!("{line}\n").as_bytes()));
            let answer = server.receive();
            let told = match answer.get("error") {
                Some(error) => format!("{} {}", error["code"], answer["id"]),
                None => format!("result {}", answer["id"]),
            };
            assert_eq!(
                told, *expected,
                "{line} (initialized: {initialized}): {answer}"
            );
            assert!(
                answer.get("id").is_some(),
                "an id is always there, if only null: {answer}"
            );
        }
        let alive = server.direct("get_task_stats", json!({}));
        assert_eq!(alive["total"], 0);
        assert_eq!(server.finish(), Some(0));
    }
}

#[test]
fn what_is_no_json_is_a_parse_error() {
    check(&[
        ("{", "-32700 null"),
        ("hello", "-32700 null"),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
            "-32700 null",
        ),
        (&"[".repeat(100_000), "-32700 null"),
    ]);
}

#[test]
fn what_is_no_request_is_an_invalid_request() {
    check(&[
        ("[]", "-32600 null"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            "-32600 null",
        ),
        ("42", "-32600 null"),
        ("null", "-32600 null"),
        ("{}", "-32600 null"),
        (r#"{"id":1,"method":"ping"}"#, "-32600 1"),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "-32600 1"),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            "-32600 null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            "-32600 null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            "-32600 null",
        ),
        (r#"{"jsonrpc":"2.0","id":"a","method":7}"#, "-32600 \"a\""),
        (r#"{"jsonrpc":"2.0","id":7}"#, "-32600 7"),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"get_tasks","params":[]}"#,
            "-32600 3",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"get_tasks","params":"x"}"#,
            "-32600 3",
        ),
    ]);
}

#[test]
fn what_does_not_exist_and_what_does_not_fit_are_told_apart() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#, "-32601 1"),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}"#,
            "-32602 2",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_tasks","arguments":[]}}"#,
            "-32602 3",
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope","arguments":{}}}"#,
            "-32602 4",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"nope"}}"#,
            "-32602 5",
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"task_context"}}"#,
            "-32602 6",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"task_context","arguments":{"taskId":"nope"}}}"#,
            "-32602 7",
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"get_task","params":{"id":"nonexistent-uuid"}}"#,
            "-32000 8",
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"create_task","params":{}}"#,
            "-32602 9",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"x","method":"get_tasks"}"#,
            "result \"x\"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":10,"method":"get_tasks","params":null}"#,
            "result 10",
        ),
        (r#"{"jsonrpc":"2.0","id":11,"method":"ping"}"#, "result 11"),
    ]);
}

#[test]
fn bytes_that_are_no_text_are_a_parse_error() {
    let project = Project::new();
    let mut server = project.serve();
    assert!(server.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n"));
    assert_eq!(server.receive()["error"]["code"], -32700);
    assert_eq!(server.direct("get_tasks", json!({})), json!([]));
}

#[test]
fn marks_ends_and_blank_lines_are_borne() {
    let project = Project::new();
    let mut server = project.serve();
    assert!(
        server.send_raw(
            b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\r\n  \n"
        )
    );
    assert_eq!(server.receive()["id"], 1);
    // A notification that nobody knows, before anything else, and a cancellation of what was answered long ago.
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/nobody/knows"}));
    server.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    assert_eq!(server.direct("get_tasks", json!({})), json!([]));
}

#[test]
fn a_line_that_is_too_long_is_answered_and_passed_over() {
    let project = Project::new();
    let mut server = project.serve();
    let title = "x".repeat(3 * 1024 * 1024);
    let long =
        json!({"jsonrpc": "2.0", "id": 1, "method": "create_task", "params": {"title": title}});
    assert!(server.send_raw(format!("{long}\n").as_bytes()));
    let answer = server.receive();
    assert_eq!(
        (&answer["error"]["code"], &answer["id"]),
        (&json!(-32600), &Value::Null)
    );
    assert_eq!(server.direct("get_tasks", json!({})), json!([]));
    // Just below the limit it is read, and judged as an argument.
    let title = "x".repeat(1024 * 1024 - 200);
    let answer = server.ask("create_task", json!({"title": title}));
    assert_eq!(answer["error"]["code"], -32602);
}

#[test]
fn the_last_line_needs_no_end() {
    let project = Project::new();
    let mut server = project.serve();
    assert!(
        server.send_raw(
            br#"{"jsonrpc":"2.0","id":1,"method":"create_task","params":{"title":"last"}}"#
        )
    );
    assert_eq!(server.finish(), Some(0));
    assert_eq!(server.receive()["result"]["title"], "last");
    assert!(project.board_text().contains("title: last"));
}
