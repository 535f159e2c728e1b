//! How the process ends: when its input does, and when it is told to.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::project::Project;

fn check_signal(signal: &str) {
    let project = Project::new();
    let mut server = project.serve();
    server.initialize("2025-11-25");
    server.direct(
        "create_task",
        json!({"title": "before the end", "status": "in-progress"}),
    );
    let killed = Command::new("kill")
        .args([signal, &server.child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0), "{signal}");
    assert!(project.board_text().contains("before the end"));
    let sessions = project.path().join(".todori/sessions");
    assert_eq!(
        std::fs::read_dir(sessions).unwrap().count(),
        0,
        "the session is gone with the process"
    );
}

#[test]
fn it_ends_cleanly_when_interrupted() {
    check_signal("-INT");
}

#[test]
fn it_ends_cleanly_when_terminated() {
    check_signal("-TERM");
}

#[test]
fn it_ends_cleanly_at_the_end_of_input() {
    let project = Project::new();
    assert_eq!(
        project.serve().finish(),
        Some(0),
        "even if nobody said anything"
    );
    let mut server = project.serve();
    server.initialize("2025-06-18");
    assert_eq!(server.finish(), Some(0));
}

#[test]
fn it_reads_a_file_as_well_as_a_pipe() {
    let project = Project::new();
    let script = project.path().join("script.jsonl");
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "create_task", "params": {"title": "from a file"}});
    #[expect(clippy::disallowed_methods, reason = "this is the test's own file")]
    std::fs::write(&script, format!("{line}\n")).unwrap();
    let mut command = project.command();
    command
        .arg("serve")
        .stdin(std::fs::File::open(&script).unwrap())
        .stdout(Stdio::piped());
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("from a file")
    );
}

#[test]
fn logs_go_to_standard_error() {
    let project = Project::new();
    let mut command = project.command();
    command
        .env("TODORI_LOG", "trace")
        .arg("serve")
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(!output.stderr.is_empty());
}

#[test]
fn a_client_that_goes_away_without_its_answers_does_not_make_it_linger() {
    let project = Project::new();
    let mut child = project
        .command()
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    writeln!(input, "{ping}").unwrap();
    drop(input);
    assert!(child.wait().unwrap().code().is_some());
}
