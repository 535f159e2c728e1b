//! What goes wrong is said, with what to do next; nothing is changed by it.

use std::process::Stdio;

use serde_json::Value;

use crate::project::Project;

fn check(project: &Project, arguments: &[&str], code: i32, words: &str) {
    let before = std::fs::read(project.board_file()).ok();
    let printed = project.run(arguments);
    assert_eq!(
        (printed.code, printed.out.as_str()),
        (code, ""),
        "{arguments:?}: {printed:?}"
    );
    assert!(
        printed.err.contains(words),
        "{arguments:?}: {}",
        printed.err
    );
    assert_eq!(std::fs::read(project.board_file()).ok(), before);
}

#[test]
fn refusals_end_with_1_usage_with_2_and_the_store_with_3() {
    let project = Project::new();
    project.run(["add", "one"]);
    check(
        &project,
        &["show", "ffff"],
        1,
        "no task has the id or title ffff\n  `todori list --all` shows them",
    );
    check(
        &project,
        &["done", "ffff"],
        1,
        "no task has the id or title ffff",
    );
    check(
        &project,
        &["add", "two", "--after", "ffff"],
        1,
        "no task has the id or title ffff",
    );
    check(&project, &["add", "  "], 2, "the title must not be blank");
    check(&project, &["add"], 2, "required");
    check(
        &project,
        &["add", "x", "-p", "urgent"],
        2,
        "expected high, medium or low",
    );
    check(
        &project,
        &["list", "--status", "open"],
        2,
        "expected one of pending, in-progress",
    );
    check(&project, &["frobnicate"], 2, "unrecognized subcommand");
    check(
        &project,
        &["call", "nope"],
        2,
        "there is no tool nope\n  known: get_tasks",
    );
    check(
        &project,
        &["call", "get_tasks", "[]"],
        2,
        "must be a JSON object",
    );
    check(&project, &["call", "get_tasks", "{"], 2, "not JSON");
    check(
        &project,
        &["list", "--project", "/nonexistent"],
        1,
        "there is no folder /nonexistent",
    );
    project.write_board("version: 1\ntasks: [\n");
    check(
        &project,
        &["list"],
        3,
        ".todori/tasks.yaml is broken at line",
    );
    check(&project, &["add", "x"], 3, "mend the file by hand");
}

#[test]
fn without_a_project_it_says_how_to_make_one() {
    let nowhere = Project::nowhere();
    check(&nowhere, &["list"], 1, "there is no project here");
    check(&nowhere, &["add", "x"], 1, "run `todori init`");
    assert_eq!(std::fs::read_dir(nowhere.path()).unwrap().count(), 0);
}

#[test]
fn several_tasks_that_begin_alike_are_named() {
    let project = Project::new();
    project.write_board(
        "version: 1\ntasks:\n  61616161-0000-4000-8000-000000000001:\n    title: one\n  \
        61616161-0000-4000-8000-000000000002:\n    title: two\n",
    );
    let printed = project.run(["show", "6161"]);
    assert_eq!(printed.code, 1);
    assert!(
        printed.err.starts_with(
            "todori: 2 tasks could be meant by 6161\n  give more of the id or of the title:\n"
        ),
        "{}",
        printed.err
    );
    assert!(
        printed.err.contains("000000000001 one (pending)\n")
            && printed.err.contains("000000000002 two (pending)\n"),
        "{}",
        printed.err
    );
}

#[test]
fn titles_cannot_drive_the_terminal() {
    let project = Project::new();
    project.run(["add", "red \u{1b}[31m alert \u{202e} txt.exe"]);
    for arguments in [&["list"][..], &[], &["next"], &["list", "--json"]] {
        let out = project.run(arguments).out;
        assert!(
            out.contains("txt.exe") && !out.contains(['\u{1b}', '\u{202e}']),
            "{arguments:?}: {out:?}"
        );
    }
}

#[test]
fn neither_errors_nor_hooks_drive_the_terminal() {
    let project = Project::new();
    let title = "red \u{1b}[31m \u{7}\u{9b}31m \u{202e}txt.exe";
    project.run(["add", title]);
    project.run(["add", title]);
    let call = format!(r#"{{"id": "{}"}}"#, "\u{9b}\u{202e}");
    for arguments in [
        &["hook", "session-start"][..],
        &["--json", "hook", "session-start"],
        &["show", "red"],
        &["--json", "show", "red"],
        &["--json", "show", "\u{9b}\u{202e}\u{7}"],
        &["call", "get_task", &call],
        &["--json", "\u{9b}\u{202e}"],
    ] {
        let printed = project.run(arguments);
        let text = printed.out + &printed.err;
        assert!(
            !text.is_empty()
                && !text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{202d}']),
            "{arguments:?}: {text:?}"
        );
    }
    let folder = project.path().join("\u{1b}[31m\u{202e}");
    std::fs::create_dir(&folder).unwrap();
    let made = project.run(["init", "--project", folder.to_str().unwrap()]);
    assert!(
        made.code == 0 && !made.out.contains(['\u{1b}', '\u{202e}']),
        "{made:?}"
    );
    let told = project.run(["hook", "session-start"]).out;
    assert!(told.lines().count() > 1, "lines stay lines: {told:?}");
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let project = Project::new();
    for number in 0..50 {
        project.run(["add", &format!("task {number}")]);
    }
    let mut child = project
        .command()
        .arg("list")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn output_that_is_lost_is_an_error() {
    let project = Project::new();
    project.run(["add", "one"]);
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    for arguments in [
        &["list"][..],
        &["--help"],
        &["add", "--help"],
        &["--version"],
    ] {
        let full = full.try_clone().unwrap();
        let mut command = project.command();
        let output = command.args(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        assert!(
            String::from_utf8(output.stderr)
                .unwrap()
                .contains("could not be written")
        );
    }
}

#[test]
fn what_is_not_understood_is_json_too_if_json_is_wanted() {
    let project = Project::new();
    for arguments in [
        &["frobnicate", "--json"][..],
        &["--json", "add"],
        &["list", "--status", "open", "--json"],
        &["edit", "--json", "--no-such-option"],
    ] {
        let printed = project.run(arguments);
        assert_eq!((printed.code, printed.out.as_str()), (2, ""));
        let told: Value = serde_json::from_str(&printed.err).unwrap();
        let error = &told["error"];
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
                && error["hint"]
                    .as_str()
                    .is_some_and(|text| text.contains("--help")),
            "{told}"
        );
    }
}
