//! `todori hook` and `todori statusline`, as Claude Code runs them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::project::{Printed, Project, printed};

fn run(mut command: Command, arguments: &[&str], input: &[u8]) -> Printed {
    let mut child = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take().unwrap().write_all(input));
    printed(child.wait_with_output().unwrap())
}

/// What Claude Code tells, run from somewhere else.
fn told(project: &Project, arguments: &[&str]) -> Printed {
    let mut command = project.command();
    command.current_dir("/").env("COLUMNS", "70");
    let input =
        json!({"session_id": "6be7d751-70c5-4a3d-8000-ac417e10d7b8", "cwd": project.path()});
    run(command, arguments, input.to_string().as_bytes())
}

const HOOK: &[&str] = &["hook", "session-start"];

#[test]
fn a_session_that_starts_hears_where_the_project_stands() {
    let project = Project::new();
    assert_eq!(told(&project, HOOK).out, "");
    project.run(["add", "Read the spec"]);
    let heard = told(&project, HOOK);
    assert_eq!((heard.code, heard.err.as_str()), (0, ""));
    assert!(
        heard
            .out
            .starts_with("# Project Status\n\nTotal Tasks: 1\n- Pending: 1\n"),
        "{}",
        heard.out
    );
    assert!(
        heard
            .out
            .contains("## Next Task to Work On\nRead the spec (priority: medium)\n")
    );
    let told_json: Value =
        serde_json::from_str(&told(&project, &["--json", "hook", "session-start"]).out).unwrap();
    assert_eq!(
        told_json["hookSpecificOutput"]["additionalContext"],
        heard.out
    );
    // A project that the environment names goes before the folder that is told.
    let mut command = project.command();
    command
        .env("CLAUDE_PROJECT_DIR", project.path())
        .current_dir("/");
    let elsewhere = json!({"cwd": "/"}).to_string();
    assert_eq!(run(command, HOOK, elsewhere.as_bytes()).out, heard.out);
    // Nothing is left to do: nothing to say.
    let id = project.json(["list"])[0]["id"].as_str().unwrap().to_owned();
    project.run(["done", &id]);
    assert_eq!(told(&project, HOOK).out, "");
}

#[test]
fn a_session_is_never_failed_by_it() {
    let project = Project::new();
    project.run(["add", "Read the spec"]);
    let binary = run(project.command(), HOOK, b"\xff\x00\x01{");
    assert_eq!((binary.code, binary.err.as_str()), (0, ""));
    assert!(binary.out.contains("Read the spec"));
    let unknown = told(&project, &["hook", "pre-compact"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (0, ""));
    assert_eq!(
        unknown.err,
        "todori: there is no hook pre-compact; known: session-start\n"
    );
    project.write_board("version: 1\ntasks: [\n");
    for arguments in [HOOK, &["statusline"]] {
        let broken = told(&project, arguments);
        assert_eq!((broken.code, broken.out.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(broken.err.lines().count(), 1, "{}", broken.err);
        assert!(broken.err.contains("is broken at line 2"), "{}", broken.err);
    }
    let nowhere = Project::nowhere();
    for arguments in [HOOK, &["statusline"]] {
        let nothing = told(&nowhere, arguments);
        assert_eq!(
            (nothing.code, nothing.out.as_str(), nothing.err.as_str()),
            (0, "", "")
        );
    }
}

#[test]
fn a_long_board_is_told_in_short() {
    let project = Project::new();
    let mut board = String::from("version: 1\ntasks:\n");
    for number in 0..500 {
        board += &format!(
            "  61616161-0000-4000-8000-{number:012}:\n    title: {}\n",
            "long ".repeat(30)
        );
    }
    project.write_board(board);
    let heard = told(&project, HOOK);
    assert!(heard.out.len() > 100 && heard.out.chars().count() <= 10_000);
}

#[test]
fn the_status_line_says_how_far_it_is_and_what_is_next() {
    let project = Project::new();
    assert_eq!(told(&project, &["statusline"]).out, "");
    project.run(["add", "Read the spec"]);
    project.run(["add", "Run the \u{1b}[31mtests"]);
    let plain = |columns: &str| {
        let mut command = project.command();
        command
            .current_dir("/")
            .env("COLUMNS", columns)
            .env("NO_COLOR", "1");
        let input = json!({
            "session_id": "6be7d751-70c5-4a3d-8000-ac417e10d7b8", "cwd": "/nonexistent",
            "workspace": {"project_dir": project.path(), "current_dir": "/"},
        });
        run(command, &["statusline"], input.to_string().as_bytes()).out
    };
    assert_eq!(plain("80"), "0/2 done · next: Read the spec\n");
    // The server that this session started calls it by this name.
    let first = project.json(["list"])[0]["id"].as_str().unwrap().to_owned();
    let mut command = project.command();
    command.env(
        "CLAUDE_CODE_SESSION_ID",
        "6be7d751-70c5-4a3d-8000-ac417e10d7b8",
    );
    let mut server = crate::project::Server::start(command);
    server.ask(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "2"}}),
    );
    server.call("update_task", json!({"id": first, "status": "in-progress"}));
    assert_eq!(
        plain("80"),
        "0/2 done · Read the spec · next: Run the \\u{1b}[31mtests\n"
    );
    assert_eq!(plain("30"), "0/2 done · Read the spec\n");
    let colored = told(&project, &["statusline"]).out;
    assert_eq!(
        colored,
        "\u{1b}[32m0/2 done\u{1b}[0m · \u{1b}[33mRead the spec\u{1b}[0m · \u{1b}[2mnext: Run the \\u{1b}[31mtests\u{1b}[0m\n"
    );
    let told: Value = serde_json::from_str(&told(&project, &["--json", "statusline"]).out).unwrap();
    assert_eq!(
        (&told["doing"], &told["total"]),
        (&"Read the spec".into(), &2.into())
    );
    project.run(["start", &first]);
    drop(server);
}
