//! What `todori doctor` finds, and how it ends.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::Value;

use crate::project::Project;

/// All findings, as `level about says`, and the exit code. With git and without anybody's clients.
fn examine(project: &Project) -> (Vec<String>, i32) {
    let mut command = project.command();
    command
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", project.path());
    let output = command.args(["doctor", "--json"]).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = told["findings"].as_array().unwrap().iter().map(|finding| {
        let text = |name: &str| finding[name].as_str().unwrap().to_owned();
        format!("{} {} {}", text("level"), text("about"), text("says"))
    });
    (findings.collect(), output.status.code().unwrap())
}

fn check(project: &Project, expected: &[&str], code: i32) {
    let (findings, ended) = examine(project);
    for line in expected {
        assert!(
            findings.iter().any(|found| found.starts_with(line)),
            "{line} in {findings:#?}"
        );
    }
    assert_eq!(ended, code, "{findings:#?}");
}

fn git(project: &Project, arguments: &[&str]) {
    let status = Command::new("git")
        .args(arguments)
        .current_dir(project.path())
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_sound_project_has_no_problems() {
    let project = Project::nowhere();
    git(&project, &["init", "--quiet"]);
    project.run(["init"]);
    project.run(["add", "Fix the login"]);
    git(&project, &["add", ".todori"]);
    check(
        &project,
        &[
            "ok project ",
            "ok board 1 task, 1 open",
            "ok store .todori/tasks.yaml can be written to",
            "ok history 2 lines, ",
            "ok git .todori/tasks.yaml is tracked",
            "ok context the largest reply on this board is of ",
            "ok context tasks: 11 tools, ",
            "ok program todori ",
            "note program there is no `todori` on the PATH",
            "note clients no client was found",
        ],
        0,
    );
    let text = project.run(["doctor"]).out;
    assert!(
        text.lines().all(|line| line.is_empty()
            || line.starts_with("ok ")
            || line.starts_with("note ")
            || line.starts_with("No problems")),
        "{text}"
    );
}

#[test]
fn what_people_and_merges_leave_in_a_board_is_found() {
    let project = Project::new();
    project.write_board(
        "version: 1\ntasks:\n  11111111-1111-4111-8111-111111111111:\n    title: a\n    dependencies: [22222222-2222-4222-8222-222222222222]\n  \
        22222222-2222-4222-8222-222222222222:\n    title: b\n    status: in-progress\n    assignee: ghost\n    \
        dependencies: [11111111-1111-4111-8111-111111111111, 33333333-3333-4333-8333-333333333333]\n",
    );
    let before = project.board_text();
    check(
        &project,
        &[
            "problem board these wait for each other for ever: 11111111 a -> 22222222 b",
            "note board 1 task waiting for tasks that are gone: 22222222 b",
            "note board 1 task in progress without anybody there who works on it: 22222222 b",
            "note store .todori/.gitignore lacks ",
        ],
        1,
    );
    assert_eq!(project.board_text(), before, "it only looks");
    project.write_board("version: 1\n<<<<<<< HEAD\ntasks: {}\n=======\ntasks:\n>>>>>>> theirs\n");
    check(
        &project,
        &["problem board .todori/tasks.yaml holds a merge that was not finished, from line 2 on"],
        1,
    );
    project.write_board("version: 1\ntasks: [\n");
    check(
        &project,
        &["problem board .todori/tasks.yaml is broken at line "],
        1,
    );
}

#[test]
fn what_git_and_the_system_forbid_is_found() {
    let project = Project::nowhere();
    check(
        &project,
        &["problem project there is no project here: no .todori or .git from "],
        1,
    );
    git(&project, &["init", "--quiet"]);
    project.run(["init"]);
    project.run(["add", "x"]);
    let exclude = project.path().join(".git/info/exclude");
    fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    fs::copy(project.path().join(".todori/.gitignore"), &exclude).unwrap();
    let folder = project.path().join(".todori");
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    check(
        &project,
        &[
            "note git .todori/tasks.yaml is not tracked yet",
            "note store .todori is writable by others",
        ],
        0,
    );
    let text = "tasks.yaml\n";
    replace(&exclude, text);
    check(&project, &["problem git git ignores .todori/tasks.yaml"], 1);
    replace(&exclude, ".todori\n");
    check(&project, &["note git git ignores .todori: "], 0);
}

#[test]
fn lines_of_the_history_that_are_broken_and_sessions_that_are_gone_are_told() {
    let project = Project::new();
    project.run(["add", "x"]);
    let history = project.path().join(".todori/history.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    replace(&history, &format!("{text}{{broken\n"));
    let sessions = project.path().join(".todori/sessions");
    fs::create_dir_all(&sessions).unwrap();
    replace(&sessions.join("gone.session.lock"), "");
    check(
        &project,
        &[
            "note history 3 lines, ",
            "note sessions 1 session ended without clearing up, 0 live",
        ],
        0,
    );
}

#[test]
fn a_board_that_is_gone_is_not_called_new() {
    let project = Project::new();
    project.run(["add", "x"]);
    fs::remove_file(project.board_file()).unwrap();
    assert_ne!(
        project.run(["add", "y"]).code,
        0,
        "it refuses to begin anew"
    );
    check(&project, &["problem board "], 1);
    let (findings, _) = examine(&project);
    assert!(
        !findings
            .iter()
            .any(|found| found.contains("the first task makes it")),
        "{findings:#?}"
    );
}

#[test]
fn the_way_out_of_a_cycle_works() {
    let project = Project::new();
    project.write_board(
        "version: 1\ntasks:\n  11111111-1111-4111-8111-111111111111:\n    title: a\n    dependencies: [22222222-2222-4222-8222-222222222222]\n  \
        22222222-2222-4222-8222-222222222222:\n    title: b\n    dependencies: [11111111-1111-4111-8111-111111111111]\n",
    );
    let told = project.run(["doctor"]).out;
    let (_, advice) = told.split_once("`todori dep rm ").unwrap();
    let (ids, _) = advice.split_once('`').unwrap();
    let mut words = vec!["dep", "rm"];
    words.extend(ids.split(' '));
    assert_eq!(project.run(words).code, 0);
    assert!(!project.run(["doctor"]).out.contains("for ever"));
}

#[test]
fn clients_that_cannot_start_it_are_problems() {
    let project = Project::new();
    let file = project.path().join(".mcp.json");
    replace(&file, "{\"mcpServers\":{");
    let broken = format!(
        "problem clients Claude Code: {} is broken at line 1, column ",
        file.display()
    );
    check(&project, &[&broken], 1);
    let told = |program: &str, why: &str| {
        replace(
            &file,
            &format!(
                "{{\"mcpServers\":{{\"todori\":{{\"command\":\"{program}\",\"args\":[\"serve\"]}}}}}}"
            ),
        );
        let says = format!("problem clients Claude Code is told to start {program}, which {why} (");
        check(&project, &[&says], 1);
    };
    told("/nonexistent/todori", "is not there");
    told(file.to_str().unwrap(), "can't be run");
    told("todori", "is not on the PATH");
    // What starts is no problem.
    replace(
        &file,
        "{\"mcpServers\":{\"todori\":{\"command\":\"/bin/sh\"}}}",
    );
    check(&project, &["ok clients Claude Code knows todori ("], 0);
    let settings = project.path().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    replace(
        &settings,
        "{\"statusLine\":{\"type\":\"command\",\"command\":\"/gone/todori statusline\"}}",
    );
    let says = "problem clients Claude Code is told to start /gone/todori, which is not there (";
    check(&project, &[says], 1);
}

#[test]
fn a_clone_without_the_driver_is_told() {
    let project = Project::nowhere();
    git(&project, &["init", "--quiet"]);
    project.run(["init"]);
    replace(
        &project.path().join(".gitattributes"),
        ".todori/tasks.yaml merge=todori\n",
    );
    let says =
        "note git .gitattributes lets todori merge the board, and this clone does not know how";
    check(&project, &[says], 0);
    let mut list = project.command();
    list.env("PATH", "/usr/bin:/bin")
        .env("HOME", project.path());
    let list = crate::project::printed(list.arg("install").output().unwrap()).out;
    assert!(
        list.contains("git          in .gitattributes, but not in this clone\n"),
        "{list}"
    );
    git(
        &project,
        &["config", "merge.todori.driver", "todori merge %O %A %B"],
    );
    check(
        &project,
        &["problem git git is told to merge the board with todori, which is not on the PATH"],
        1,
    );
    let driver = format!("{} merge %O %A %B", env!("CARGO_BIN_EXE_todori"));
    git(&project, &["config", "merge.todori.driver", &driver]);
    let (findings, ended) = examine(&project);
    let told = findings
        .iter()
        .find(|found| found.contains("merge the board"));
    assert_eq!((told, ended), (None, 0));
}

#[expect(
    clippy::disallowed_methods,
    reason = "this plays somebody with an editor"
)]
fn replace(path: &std::path::Path, text: &str) {
    fs::write(path, text).unwrap();
}
