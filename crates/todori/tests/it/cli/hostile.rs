//! What a repository may hold, and must not do to the person who opens it: files that are links to elsewhere, never end,
//! or wait for somebody.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::project::{Printed, Project, printed};

/// Runs a verb with little memory and an end: what reads for ever, or waits for ever, fails here.
fn run(project: &Project, verb: &[&str]) -> Printed {
    let program = project.command();
    let mut command = Command::new("sh");
    let bounded = "ulimit -v 1500000; exec timeout 60 \"$0\" \"$@\"";
    command.args(["-c", bounded]).arg(program.get_program());
    command.env_clear().env("PATH", "/usr/bin:/bin");
    for (name, value) in program.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let run = command.args(verb).current_dir(project.path()).output();
    let printed = printed(run.unwrap());
    assert!(
        (0..=3).contains(&printed.code),
        "{verb:?} did not end by itself: {printed:?}"
    );
    printed
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

const FILES: [&str; 6] = [
    "tasks.yaml",
    "history.jsonl",
    "history.1.jsonl",
    ".gitignore",
    ".lock",
    "sessions/agent-1.lock",
];

const VERBS: [&[&str]; 5] = [
    &["doctor"],
    &["list"],
    &["log"],
    &["add", "Another"],
    &["undo", "--dry-run"],
];

/// Runs every verb with each file of the project in another shape.
fn check(shape: impl Fn(&Path), look: impl Fn(&Printed)) {
    for name in FILES {
        let project = Project::new();
        project.run(["add", "First"]);
        fs::create_dir_all(project.path().join(".todori/sessions")).unwrap();
        let file = project.path().join(".todori").join(name);
        for verb in VERBS {
            drop(fs::remove_file(&file));
            shape(&file);
            look(&run(&project, verb));
        }
    }
}

#[test]
fn files_that_never_end_are_not_read() {
    check(|file| symlink("/dev/zero", file).unwrap(), |_| {});
}

#[test]
fn pipes_are_not_waited_for() {
    check(pipe, |_| {});
}

#[test]
fn what_links_lead_to_is_neither_shown_nor_changed() {
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("secret");
    let text =
        "version: 1\ntasks:\n  01890000-0000-7000-8000-000000000001:\n    title: hidden words\n";
    write(&secret, text);
    let shows = |printed: &Printed| {
        let all = format!("{}{}", printed.out, printed.err);
        assert!(!all.contains("hidden"), "{all}");
    };
    check(|file| symlink(&secret, file).unwrap(), shows);
    assert_eq!(fs::read_to_string(&secret).unwrap(), text);
}

#[test]
fn git_is_not_waited_for_either() {
    let project = Project::nowhere();
    let made = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(project.path())
        .status();
    assert!(made.unwrap().success());
    project.run(["add", "First"]);
    for file in [".todori/.gitignore", ".gitignore"] {
        let file = project.path().join(file);
        drop(fs::remove_file(&file));
        pipe(&file);
        let told = run(&project, &["doctor"]);
        assert!(
            told.out
                .contains("git does not say what it makes of the board"),
            "{told:?}"
        );
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_git_folder_that_was_made_up_is_not_followed() {
    let outside = Project::new();
    outside.run(["add", "hidden words"]);
    let before = outside.board_text();
    for endless in ["commondir", "gitdir"] {
        let project = Project::nowhere();
        let made_up = project.path().join("made-up");
        fs::create_dir(&made_up).unwrap();
        write(&project.path().join(".git"), "gitdir: made-up\n");
        let common = outside.path().join(".git").display().to_string();
        fs::create_dir_all(&common).unwrap();
        write(&made_up.join("commondir"), &common);
        write(&made_up.join("gitdir"), "../.git");
        assert!(!run(&project, &["list"]).out.contains("hidden"));
        fs::remove_file(made_up.join(endless)).unwrap();
        pipe(&made_up.join(endless));
        for verb in VERBS {
            assert!(!run(&project, verb).out.contains("hidden"));
        }
        fs::remove_file(made_up.join(endless)).unwrap();
        symlink("/dev/zero", made_up.join(endless)).unwrap();
        run(&project, &["doctor"]);
    }
    assert_eq!(outside.board_text(), before);
}

#[expect(
    clippy::disallowed_methods,
    reason = "this plays whoever made the repository"
)]
fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}
