//! What a pipe gets: a block of text, or a line of JSON, for each change.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::{Project, Server};

/// A running `todori watch`, and what it prints. Ended when it goes out of scope.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut command = project.command();
        command.arg("watch").args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    fn line(&self) -> String {
        let line = self.lines.recv_timeout(Duration::from_mins(1));
        line.expect("a line")
    }

    /// The lines that come next.
    fn check(&self, expected: &str) {
        for line in expected.strip_prefix('\n').unwrap_or(expected).lines() {
            assert_eq!(self.line(), line);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn two_tasks() -> (Project, String) {
    let project = Project::new();
    let first = project.json(["add", "one"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    project.run(["add", "two \u{1b}[31m\u{202e}"]);
    (project, first)
}

#[test]
fn each_change_is_a_block() {
    let (project, first) = two_tasks();
    let watch = Watch::start(&project, &[]);
    watch.check(
        r"
Progress: 0/2 completed
Currently working on: 0 task(s)

1. ❌ one
2. ❌ two \u{1b}[31m\u{202e}
",
    );
    project.run(["start", &first]);
    watch.check(
        r"

Progress: 0/2 completed
Currently working on: 1 task(s)

1. 🔧 one
2. ❌ two \u{1b}[31m\u{202e}
",
    );
    project.run(["done", &first]);
    watch.check("\n\nProgress: 1/2 completed\nCurrently working on: 0 task(s)\n\n1. ✅ one\n");
}

#[test]
fn the_lists_of_sessions_have_a_heading_each_and_the_active_form() {
    let (project, _) = two_tasks();
    let mut command = project.command();
    command
        .env("TODORI_SESSION", "night-shift")
        .env("TODORI_TOOLSETS", "todowrite");
    let mut server = Server::start(command);
    server.initialize("2025-06-18");
    let todo = |content: &str, form: &str, status: &str| json!({"content": content, "activeForm": form, "status": status});
    let todos = [
        todo("Read", "Reading", "completed"),
        todo("Run tests", "Running tests", "in_progress"),
    ];
    server.call("TodoWrite", json!({ "todos": todos }));
    let expected = r"
Session night-shift
Progress: 1/2 completed
Currently working on: 1 task(s)

1. ✅ Read
2. 🔧 Running tests
";
    let expected = expected.trim_start();
    for scope in [&["--session", "night"][..], &["--sessions"]] {
        let printed = project.run([&["watch", "--once"], scope].concat());
        assert_eq!(printed.out, expected);
    }
    let all = project.run(["watch", "--once"]).out;
    assert!(
        all.starts_with("Progress: 0/2 completed\n") && all.ends_with(&format!("\n\n{expected}")),
        "{all}"
    );
    let own = project
        .run(["watch", "--once", "--project-only", "--ascii"])
        .out;
    assert!(
        own.contains("1. [ ] one\n") && !own.contains("Session"),
        "{own}"
    );
    let none = project.run(["watch", "--once", "--session", "day"]);
    assert_eq!(
        (none.out.as_str(), none.code),
        ("No session has a list.\n", 0)
    );
    // A list goes with its session.
    let watch = Watch::start(&project, &["--sessions"]);
    watch.check(expected);
    server.finish();
    watch.check("\n\nNo session has a list.\n");
}

#[test]
fn each_change_is_a_line_of_json() {
    let (project, first) = two_tasks();
    let watch = Watch::start(&project, &["--json"]);
    let read = |line: String| -> Value { serde_json::from_str(&line).unwrap() };
    let before = read(watch.line());
    let list = project.json(["list"]);
    assert_eq!(
        before,
        json!({
            "project": {"completed": 0, "total": 2, "tasks": list},
            "error": null,
            "sessions": [],
        })
    );
    project.run(["done", &first]);
    assert_eq!(read(watch.line())["project"]["completed"], 1);
    project.write_board("tasks: [");
    let broken = read(watch.line());
    assert_eq!(broken["project"], Value::Null);
    assert!(
        broken["error"]["message"]
            .as_str()
            .unwrap()
            .contains("is broken at")
    );
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let (project, _) = two_tasks();
    let mut command = project.command();
    command
        .arg("watch")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    drop(output);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(
        (ended.status.code(), ended.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn what_is_not_there_is_said() {
    let nowhere = Project::nowhere();
    let printed = nowhere.run(["watch", "--once"]);
    assert_eq!(printed.code, 0);
    assert_eq!(
        printed.out,
        "There is no project here, and no session has a list.\n"
    );
    let project = Project::new();
    assert_eq!(project.run(["watch", "--once"]).out, "No tasks yet.\n");
    project.write_board("tasks: [");
    let broken = project.run(["watch", "--once"]);
    assert_eq!((broken.code, broken.out.as_str()), (3, ""));
    assert!(broken.err.contains("is broken at line 1"), "{}", broken.err);
    let usage = project.run(["watch", "--sessions", "--project-only"]);
    assert_eq!((usage.code, usage.out.as_str()), (2, ""));
}

#[test]
fn where_nobody_wants_pictures_there_are_none() {
    let (project, first) = two_tasks();
    project.run(["done", &first]);
    for (name, value) in [("LANG", "C"), ("NO_COLOR", "1"), ("TERM", "dumb")] {
        let mut command = project.command();
        command.args(["watch", "--once", "--open"]).env(name, value);
        let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(
            printed.ends_with("\n2. [ ] two \\u{1b}[31m\\u{202e}\n"),
            "{printed}"
        );
        assert!(!printed.contains("one"), "{printed}");
    }
}
