//! The full screen, in a real terminal.

use std::process::Command;
use std::time::{Duration, Instant};

use super::terminal::Terminal;
use crate::project::Project;

/// A project with two tasks, and the screen of it.
fn watching(columns: u16, rows: u16) -> (Project, Terminal) {
    let project = Project::new();
    project.run(["add", "Run the tests"]);
    project.run(["add", "Write the guide"]);
    let terminal = Terminal::open(project.path(), columns, rows);
    watch(&terminal);
    terminal.wait_for("Progress: 0/2 completed");
    (project, terminal)
}

/// Starts the screen; its process id goes into a file.
fn watch(terminal: &Terminal) {
    let program = env!("CARGO_BIN_EXE_todori");
    let command = format!("sh -c 'echo $$ > pid; exec {program} watch'");
    terminal.press(&[&command, "Enter"]);
}

fn signal(project: &Project, name: &str) {
    let pid = std::fs::read_to_string(project.path().join("pid")).unwrap();
    let sent = Command::new("kill").args([name, pid.trim()]).status();
    assert!(sent.unwrap().success());
}

/// Whether the process still runs.
fn lives(project: &Project) -> bool {
    let pid = std::fs::read_to_string(project.path().join("pid")).unwrap();
    let found = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    found.is_ok_and(|stat| !stat.contains(") Z "))
}

fn first_id(project: &Project) -> String {
    project.json(["list"])[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_others_change_appears_and_q_gives_the_terminal_back() {
    let (project, terminal) = watching(80, 24);
    let seen = terminal.seen();
    assert!(seen.contains(" ❌ Run the tests"), "{seen}");
    project.run(["done", &first_id(&project)]);
    let seen = terminal.wait_for("Progress: 1/2 completed");
    assert!(seen.contains(" ✅ Run the tests"), "{seen}");
    terminal.wait("who did it", |seen| {
        let mut lines = seen.lines();
        lines.any(|line| line.contains("done       Run the tests") && line.ends_with("ada"))
    });
    terminal.press(&["q"]);
    terminal.wait_until_given_back();
}

#[test]
fn a_person_filters_opens_and_marks_a_task() {
    let (project, terminal) = watching(80, 24);
    terminal.press(&["/", "guide", "Enter"]);
    terminal.wait("the filter", |seen| {
        seen.contains("/guide · 1") && !seen.contains("❌ Run the tests")
    });
    terminal.press(&["Enter"]);
    terminal.wait_for("priority    medium");
    terminal.press(&["d"]);
    terminal.wait_for("Done; todori undo takes it back: Write the guide");
    terminal.wait_for("status      done");
    let tasks = project.json(["list", "--all"]);
    assert_eq!(tasks[1]["status"], "done");
    assert_eq!(project.json(["log"])[0]["by"], "person:ada");
    terminal.press(&["Escape"]);
    // The title stands in the details too; two Escapes at once would be another key.
    terminal.wait("the list", |seen| {
        seen.contains("✅ Write the guide") && !seen.contains("priority ")
    });
    terminal.press(&["Escape"]);
    terminal.wait_for("❌ Run the tests");
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let (_project, terminal) = watching(80, 24);
    terminal.resize(120, 30);
    terminal.wait("two columns", |seen| seen.contains("┬─ Now"));
    terminal.resize(39, 10);
    terminal.wait_for("Too small: 39x10");
    terminal.resize(40, 10);
    terminal.wait_for("❌ Run the tests");
}

#[test]
fn a_broken_board_is_said_and_a_mended_one_shown() {
    let (project, terminal) = watching(80, 24);
    let board = project.board_text();
    project.write_board(format!("{board}more: [\n"));
    terminal.wait_for(".todori/tasks.yaml is broken at line");
    terminal.press(&["d"]);
    terminal.wait("a refusal", |seen| {
        seen.matches("is broken at line").count() == 2
    });
    project.write_board(board.replace("Run the tests", "Run all tests"));
    terminal.wait("the board", |seen| {
        seen.contains("❌ Run all tests") && seen.matches("is broken").count() <= 1
    });
}

#[test]
fn whatever_ends_it_gives_the_terminal_back() {
    for name in ["-TERM", "-INT", "-HUP", "-QUIT"] {
        let (project, terminal) = watching(80, 24);
        signal(&project, name);
        terminal.wait_until_given_back();
        assert!(!lives(&project));
    }
    let (_project, terminal) = watching(80, 24);
    terminal.press(&["C-c"]);
    terminal.wait_until_given_back();
}

#[test]
fn it_can_be_suspended_and_comes_back() {
    let (project, terminal) = watching(80, 24);
    terminal.press(&["C-z"]);
    terminal.wait_until_given_back();
    project.run(["done", &first_id(&project)]);
    terminal.press(&["fg", "Enter"]);
    terminal.wait_for("Progress: 1/2 completed");
    // And the same if somebody else asks for it.
    signal(&project, "-TSTP");
    // The first time stands there, too.
    terminal.wait("the shell", |seen| seen.matches("Stopped").count() == 2);
    terminal.wait_until_given_back();
    terminal.press(&["fg", "Enter"]);
    terminal.wait_for("Progress: 1/2 completed");
    terminal.press(&["q"]);
    terminal.wait_until_given_back();
}

#[test]
fn it_ends_with_its_terminal() {
    let (project, terminal) = watching(80, 24);
    terminal.close();
    let begun = Instant::now();
    while lives(&project) {
        assert!(begun.elapsed() < Duration::from_mins(1), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn pictures_of_several_characters_leave_nothing_behind() {
    let (project, terminal) = watching(80, 24);
    project.run([
        "add",
        "🇩🇪 Translate 👨\u{200d}👩\u{200d}👧 1\u{fe0f}\u{20e3} ❤\u{fe0f} end",
    ]);
    let shown = "❌ DE Translate 👨 1 ❤ end";
    terminal.wait_for(shown);
    terminal.press(&["G"]);
    terminal.press(&["Enter"]);
    terminal.wait_for("priority    medium");
    terminal.press(&["Escape"]);
    terminal.wait("the list, with nothing beside it", |seen| {
        let mut lines = seen.lines();
        let clean = lines.any(|line| line.trim().trim_start_matches(['>', '▌', ' ']) == shown);
        clean && !seen.contains("priority ")
    });
}
