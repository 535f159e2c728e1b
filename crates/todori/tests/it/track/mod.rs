//! `todori track`, with recordings of real runs and with what else may come through a pipe.

mod dialects;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::project::Project;

fn recording(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/track/recordings");
    std::fs::read(folder.join(format!("{name}.jsonl"))).unwrap()
}

/// Without pictures, which can be told apart in the editors of whoever reads these tests.
fn track(input: &[u8], arguments: &[&str]) -> Output {
    track_with(input, &[&["--ascii"], arguments].concat(), "")
}

fn track_with(input: &[u8], arguments: &[&str], no_color: &str) -> Output {
    let project = Project::nowhere();
    let mut child = project
        .command()
        .arg("track")
        .args(arguments)
        .env("NO_COLOR", no_color)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn check(name: &str, code: i32, expected: &str) {
    let output = track(&recording(name), &[]);
    assert_eq!(text(&output.stdout), expected, "{name}");
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(code), String::new())
    );
}

const TODOWRITE: &str = "\
Progress: 0/3 completed
Currently working on: 1 task(s)

1. [~] Reading the spec
2. [ ] Write the parser
3. [ ] Run the tests

Progress: 1/3 completed
Currently working on: 1 task(s)

1. [x] Read the spec
2. [~] Writing the parser
3. [ ] Run the tests

Progress: 2/4 completed
Currently working on: 1 task(s)

1. [x] Read the spec
2. [x] Write the parser
3. [~] Running the tests
4. [ ] Fix \"quoted\" names — ünïcode ✓

Progress: 4/4 completed
Currently working on: 0 task(s)

1. [x] Read the spec
2. [x] Write the parser
3. [x] Run the tests
4. [x] Fix \"quoted\" names — ünïcode ✓

";

#[test]
fn a_run_with_todowrite_is_followed() {
    let ended = "The run succeeded (5 turns, 0.2 s, $0.02)\n";
    check("todowrite-2.0.76", 0, &format!("{TODOWRITE}{ended}"));
    let ended = "The run succeeded (5 turns, 0.6 s, $0.03)\n";
    check("todowrite-2.1.325", 0, &format!("{TODOWRITE}{ended}"));
}

#[test]
fn a_run_with_tasks_of_claude_code_is_followed() {
    check(
        "tasks-2.1.325",
        0,
        "\
Progress: 0/1 completed
Currently working on: 0 task(s)

1. [ ] Read the spec

Progress: 0/2 completed
Currently working on: 0 task(s)

1. [ ] Read the spec
2. [ ] Write the parser

Progress: 0/3 completed
Currently working on: 0 task(s)

1. [ ] Read the spec
2. [ ] Write the parser
3. [ ] Run the tests

Progress: 0/3 completed
Currently working on: 1 task(s)

1. [~] Reading the spec
2. [ ] Write the parser
3. [ ] Run the tests

Progress: 1/3 completed
Currently working on: 0 task(s)

1. [x] Read the spec
2. [ ] Write the parser
3. [ ] Run the tests

Progress: 1/3 completed
Currently working on: 1 task(s)

1. [x] Read the spec
2. [~] Writing the parser
3. [ ] Run the tests

Progress: 2/3 completed
Currently working on: 0 task(s)

1. [x] Read the spec
2. [x] Write the parser and printer
3. [ ] Run the tests

Progress: 2/2 completed
Currently working on: 0 task(s)

1. [x] Read the spec
2. [x] Write the parser and printer

The run succeeded (13 turns, 1.2 s, $0.05)
",
    );
}

#[test]
fn a_run_with_tools_of_a_server_is_followed() {
    check(
        "mcp-2.1.325",
        0,
        "\
Progress: 0/1 completed
Currently working on: 0 task(s)

1. [ ] Read the spec

Progress: 0/2 completed
Currently working on: 0 task(s)

1. [ ] Read the spec
2. [ ] Write the parser

Progress: 0/2 completed
Currently working on: 1 task(s)

1. [~] Read the spec
2. [ ] Write the parser

Progress: 1/2 completed
Currently working on: 0 task(s)

1. [x] Read the spec
2. [ ] Write the parser

The run succeeded (8 turns, 0.8 s, $0.04)
",
    );
}

#[test]
fn a_run_that_ended_in_an_error_ends_with_1() {
    check(
        "failure-2.1.325",
        1,
        "\
Progress: 0/1 completed
Currently working on: 0 task(s)

1. [ ] a

Progress: 0/2 completed
Currently working on: 0 task(s)

1. [ ] a
2. [ ] b

The run ended in an error (error_max_turns): Reached maximum number of turns (2) (3 turns, 0.2 s, $0.01)
",
    );
}

#[test]
fn every_change_is_an_object_on_a_line_of_its_own() {
    let output = track(&recording("tasks-2.1.325"), &["--json"]);
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(
        lines[3].to_string(),
        r#"{"type":"tasks","lists":[{"agent":null,"finished":false,"completed":0,"total":3,"inProgress":1,"tasks":[{"id":"1","title":"Read the spec","activeForm":"Reading the spec","status":"in-progress"},{"id":"2","title":"Write the parser","activeForm":"Writing the parser","status":"pending"},{"id":"3","title":"Run the tests","activeForm":null,"status":"pending"}]}]}"#
    );
    assert_eq!(lines[8]["type"], "end");
    assert_eq!(
        (&lines[8]["turns"], &lines[8]["isError"]),
        (&13.into(), &false.into())
    );
}

#[test]
fn the_stream_is_passed_on_byte_for_byte() {
    let mut input = recording("failure-2.1.325");
    input.extend(b"\xff\x00 strange\r\n{\"cut");
    let output = track(&input, &["--tee"]);
    assert_eq!(output.stdout, input);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stderr);
    assert!(shown.contains("2. [ ] b\n"), "{shown}");
    assert!(shown.contains("cut in the middle of line 10\n"), "{shown}");
    assert!(
        shown.contains("line 9 was no JSON and was left out\n"),
        "{shown}"
    );
    assert!(shown.ends_with("(3 turns, 0.2 s, $0.01)\n"), "{shown}");
}

fn check_broken(input: &[u8], out: &str, err: &str) {
    let output = track(input, &[]);
    let told = (
        text(&output.stdout),
        text(&output.stderr),
        output.status.code(),
    );
    assert_eq!(told, (out.to_owned(), err.to_owned(), Some(3)));
}

#[test]
fn what_is_no_stream_is_said() {
    let hint = "  pipe a run into it: claude -p \"...\" --output-format stream-json --verbose | todori track\n";
    check_broken(b"", "", &format!("todori: the stream is empty\n{hint}"));
    let no_stream = format!("todori: this is no stream of Claude Code\n{hint}");
    check_broken(b"\x7fELF\x02\x01\x01\x00\n\xff\xfe\n", "", &no_stream);
    check_broken(b"{\"some\": \"json\"}\n[1, 2]\nwords\n", "", &no_stream);
}

#[test]
fn a_stream_that_was_cut_shows_what_came_before() {
    let whole = recording("failure-2.1.325");
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let shown = "Progress: 0/1 completed\nCurrently working on: 0 task(s)\n\n1. [ ] a\n";
    let ended = "todori: the stream ended before the run did: there is no result\n";
    check_broken(&lines[..5].concat(), shown, ended);
    let mut cut = lines[..6].concat();
    cut.truncate(cut.len() - 100);
    let middle =
        "todori: the stream was cut in the middle of line 6\n  what came before it is shown\n";
    check_broken(&cut, shown, &format!("{middle}{ended}"));
    // A last line that only lacks its end is whole.
    let mut whole = whole;
    whole.pop();
    let output = track(&whole, &[]);
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(1), &b""[..])
    );
}

#[test]
fn a_line_beyond_all_measure_is_left_out() {
    let whole = recording("failure-2.1.325");
    let mut lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let mut huge = b"{\"type\":\"user\",\"x\":\"".to_vec();
    huge.resize(17 * 1024 * 1024, b'x');
    huge.extend(b"\"}\n");
    lines.insert(4, &huge);
    let output = track(&lines.concat(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "todori: line 5 is longer than 16 MB and was left out\n"
    );
    assert!(text(&output.stdout).contains("2. [ ] b\n"));
}

#[test]
fn titles_cannot_drive_the_terminal() {
    let todos =
        r#"{"todos":[{"content":"x","status":"in_progress","activeForm":"a\u001b[2J\u202eb\nc"}]}"#;
    let call = format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t","name":"TodoWrite","input":{todos}}}]}}}}"#
    );
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}"#;
    let ended = r#"{"type":"result","subtype":"success","is_error":true,"result":"bad \u001b]0;title\u0007"}"#;
    let output = track(format!("{call}\n{result}\n{ended}\n").as_bytes(), &[]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("1. [~] a\\u{1b}[2J\\u{202e}b⏎c\n"),
        "{shown}"
    );
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown}");
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    for arguments in [&["track"][..], &["track", "--tee"]] {
        let project = Project::nowhere();
        let mut child = project
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        // The input stays open: it must end by itself.
        drop(stdin.write_all(&recording("tasks-2.1.325")));
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{arguments:?}");
        // With --tee the list is shown there; neither says a word about the reader.
        let told = text(&ended.stderr);
        assert!(!told.contains("todori"), "{arguments:?}: {told}");
        assert_eq!(told.is_empty(), arguments.len() == 1, "{told}");
        drop(stdin);
    }
}

#[test]
fn without_a_list_it_says_so() {
    let ended =
        b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1}\n";
    let output = track(ended, &[]);
    let expected = "No task list was seen in this run.\nThe run succeeded (1 turn)\n";
    assert_eq!(
        (text(&output.stdout).as_str(), output.status.code()),
        (expected, Some(0))
    );
}

#[test]
fn agents_are_shown_under_headings_of_their_own() {
    let call = |id: &str, agent: Option<&str>, name: &str, input: Value| {
        let block = serde_json::json!({"type": "tool_use", "id": id, "name": name, "input": input});
        serde_json::json!({"type": "assistant", "message": {"content": [block]}, "parent_tool_use_id": agent})
    };
    let done = |id: &str| {
        let block = serde_json::json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
        serde_json::json!({"type": "user", "message": {"content": [block]}})
    };
    let list = |content: &str, status: &str| {
        let item = serde_json::json!({"content": content, "status": status, "activeForm": content});
        serde_json::json!({ "todos": [item] })
    };
    let lines = [
        call("a", None, "TodoWrite", list("Lead", "in_progress")),
        call(
            "b",
            None,
            "Task",
            serde_json::json!({"description": "Look for usages"}),
        ),
        call("c", Some("b"), "TodoWrite", list("Grep", "completed")),
        done("a"),
        done("c"),
        done("b"),
        serde_json::json!({"type": "result", "subtype": "success", "is_error": false}),
    ];
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = track(lines.concat().as_bytes(), &[]);
    let main = "Progress: 0/1 completed\nCurrently working on: 1 task(s)\n\n1. [~] Lead\n\n";
    let agent = "Agent: Look for usages\nProgress: 1/1 completed\nCurrently working on: 0 task(s)\n\n1. [x] Grep\n\n";
    let finished = "Agent: Look for usages (finished, 1/1 completed)\n\n";
    let expected = format!("{main}{main}{agent}{main}{finished}The run succeeded\n");
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn a_pipe_gets_the_same_pictures_as_from_watch() {
    let seen = |arguments: &[&str], no_color: &str| {
        let output = track_with(&recording("todowrite-2.1.325"), arguments, no_color);
        text(&output.stdout)
    };
    let pictures = seen(&[], "");
    assert!(
        pictures.contains("1. ✅ Read the spec\n2. 🔧 "),
        "{pictures}"
    );
    assert!(pictures.contains("3. ❌ Run the tests\n"), "{pictures}");
    for plain in [seen(&["--ascii"], ""), seen(&[], "1")] {
        assert!(plain.contains("1. [x] Read the spec\n2. [~] "), "{plain}");
        assert!(!plain.contains('✅'), "{plain}");
    }
}
