//! Two branches that change the board, merged by git with `todori merge` as its driver.

use std::process::Command;

use crate::project::Project;

fn git(project: &Project, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new("git");
    command.current_dir(project.path()).args(arguments);
    let nobody = [
        "GIT_AUTHOR_NAME",
        "GIT_COMMITTER_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_EMAIL",
    ];
    command.envs(nobody.map(|name| (name, "somebody")));
    command
        .env("HOME", project.path())
        .env("GIT_CONFIG_NOSYSTEM", "1");
    let ended = command.output().unwrap();
    let told = [ended.stdout, ended.stderr].concat();
    (ended.status.success(), String::from_utf8(told).unwrap())
}

fn commit(project: &Project) {
    git(project, &["add", "-A"]);
    let (ended, told) = git(project, &["commit", "-qm", "x"]);
    assert!(ended, "{told}");
}

#[test]
fn git_merges_tasks_that_both_branches_changed() {
    let project = Project::new();
    git(&project, &["init", "-q", "-b", "main"]);
    let driver = format!("{} merge %O %A %B", env!("CARGO_BIN_EXE_todori"));
    git(&project, &["config", "merge.todori.driver", &driver]);
    let attributes = project.path().join(".gitattributes");
    let mut file = std::fs::File::create(attributes).unwrap();
    std::io::Write::write_all(&mut file, b".todori/tasks.yaml merge=todori\n").unwrap();
    project.run(["add", "one"]);
    commit(&project);
    git(&project, &["checkout", "-qb", "side"]);
    project.run(["edit", "one", "--title", "uno", "-p", "high"]);
    commit(&project);
    git(&project, &["checkout", "-q", "main"]);
    project.run(["done", "one"]);
    project.run(["edit", "one", "--title", "ein"]);
    commit(&project);
    let (merged, told) = git(&project, &["merge", "-q", "side"]);
    assert!(merged, "{told}");
    assert!(
        told.contains("both changed the title; the later change counts"),
        "{told}"
    );
    let task = project.json(["show", "ein"]);
    assert_eq!(task["status"], "done");
    assert_eq!(task["priority"], "high");
    assert_eq!(task["description"], "From the other branch:\nuno");
}

#[test]
fn a_file_that_cannot_be_read_is_left_for_people() {
    let project = Project::nowhere();
    let path = |name: &str| project.path().join(name).display().to_string();
    let write = |name: &str, text: &str| {
        let mut file = std::fs::File::create(project.path().join(name)).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    };
    write("base", "");
    write("ours", "version: 1\ntasks: {}\n");
    write("theirs", "tasks: [");
    let refused = project.run(["merge", &path("base"), &path("ours"), &path("theirs")]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("theirs: broken at line 1"),
        "{}",
        refused.err
    );
    // A part of a file must not pass for the whole.
    let huge = std::fs::OpenOptions::new()
        .append(true)
        .open(project.path().join("ours"))
        .unwrap();
    huge.set_len(64 * 1024 * 1024 + 1).unwrap();
    let large = project.run(["merge", &path("base"), &path("ours"), &path("base")]);
    assert_eq!(large.code, 1);
    assert!(
        large.err.contains("ours holds more than 64 MB"),
        "{}",
        large.err
    );
    let missing = project.run(["merge", &path("none"), &path("ours"), &path("theirs")]);
    assert_eq!(missing.code, 3);
}
