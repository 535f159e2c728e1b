//! A terminal of its own for a command, and what fits on it.

use std::process::{Command, Stdio};

use unicode_width::UnicodeWidthStr as _;

use crate::project::{Printed, Project, printed};

/// A command on a terminal that is so wide.
pub(super) fn on_terminal(project: &Project, columns: usize, arguments: &[&str]) -> Command {
    let words = [env!("CARGO_BIN_EXE_todori")].into_iter();
    let words: Vec<String> = words
        .chain(arguments.iter().copied())
        .map(|word| format!("'{word}'"))
        .collect();
    let line = format!("stty cols {columns} rows 40; {}", words.join(" "));
    let mut command = Command::new("script");
    if cfg!(target_os = "macos") {
        command.args(["-q", "/dev/null", "sh", "-c", &line]);
    } else {
        command.args(["-q", "-e", "-c", &line, "/dev/null"]);
    }
    command
        .env_clear()
        .current_dir(project.path())
        .env("PATH", "/usr/bin:/bin")
        .env("SHELL", "/bin/sh")
        .env("USER", "ada")
        .env("LANG", "C.UTF-8")
        .env("TERM", "dumb")
        .stdin(Stdio::null());
    command
}

#[test]
fn rows_and_sentences_fit_a_narrow_terminal() {
    let project = Project::new();
    project.run([
        "add",
        "Fix the login of everybody who comes in",
        "-p",
        "high",
    ]);
    project.run(["add", "Write the docs about all of it", "--after", "login"]);
    project.run(["add", "日本語日本語日本語日本語日本語", "--after", "login"]);
    for task in ["login", "docs"] {
        project.run(["sub", "add", task, "a subtask"]);
        let mut other = project.command();
        other
            .env("TODORI_SESSION", "claude-code-d85cb012")
            .args(["start", task]);
        assert!(other.output().unwrap().status.success());
    }
    // One that is free, so that there is something to recommend.
    project.run(["add", "Answer the mail"]);
    for columns in [40, 80] {
        for arguments in [&["list"][..], &["list", "--all"], &["next"], &[]] {
            let mut command = on_terminal(&project, columns, arguments);
            let Printed {
                out: shown, code, ..
            } = printed(command.output().unwrap());
            assert!(
                code == 0 && shown.lines().count() > 1,
                "{arguments:?}: {shown}"
            );
            for line in shown.lines() {
                assert!(
                    line.width() <= columns,
                    "{arguments:?} in {columns}: {line:?}"
                );
            }
            // Sentences are broken between words, and nothing of them is lost.
            let words: Vec<&str> = shown.split_whitespace().collect();
            let plain = project.run(arguments).out;
            let sentence = plain.lines().find(|line| line.starts_with("Recommended"));
            let recommends = arguments.first() != Some(&"list");
            assert_eq!(sentence.is_some(), recommends, "{arguments:?}: {plain}");
            assert!(
                words.join(" ").contains(sentence.unwrap_or_default()),
                "{shown}"
            );
        }
    }
    let listed = printed(on_terminal(&project, 40, &["list"]).output().unwrap()).out;
    assert!(listed.contains("Fix the log"), "the title stays: {listed}");
}
