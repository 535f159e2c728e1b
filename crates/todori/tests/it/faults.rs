//! A bad disk, played by `strace`, which makes chosen system calls fail. Needs strace; `./test` installs it.

use std::process::Command;

use serde_json::json;

use crate::project::{Printed, Project};

/// Runs `todori add` with a fault in some system call, three times over so that "the n-th" means something.
fn add_with_fault(project: &Project, inject: &str) -> Printed {
    let mut command = Command::new("strace");
    command.args([
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        &format!("inject={inject}"),
    ]);
    command
        .arg(env!("CARGO_BIN_EXE_todori"))
        .args(["add", "under", "fault"]);
    command
        .env_clear()
        .env("USER", "ada")
        .env("LANG", "C.UTF-8")
        .current_dir(project.path());
    let output = command
        .output()
        .expect("strace is installed (apt-get install strace)");
    Printed {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap_or(-1),
    }
}

fn project_with_one_task() -> Project {
    let project = Project::new();
    assert_eq!(project.run(["add", "first"]).code, 0);
    project
}

#[test]
fn a_full_disk_means_not_applied_and_the_next_call_works() {
    for inject in [
        "fdatasync:error=ENOSPC",
        "writev:error=ENOSPC",
        "rename:error=EROFS",
        "fdatasync:error=EIO",
    ] {
        let project = project_with_one_task();
        let before = project.board_text();
        let printed = add_with_fault(&project, inject);
        assert_eq!(printed.code, 3, "{inject}: {printed:?}");
        assert!(
            printed.err.contains("not applied: "),
            "{inject}: {printed:?}"
        );
        assert!(
            printed.err.contains("nothing was changed"),
            "{inject}: {printed:?}"
        );
        assert_eq!(project.board_text(), before, "{inject}");
        assert!(
            !project.path().join(".todori/.tasks.yaml.tmp").exists(),
            "{inject}"
        );
        assert_eq!(project.run(["add", "second"]).code, 0);
        assert_eq!(project.json(["stats"])["total"], 2);
    }
}

#[test]
fn an_error_that_passes_is_tried_again() {
    for inject in [
        "fdatasync:error=EIO:when=1",
        "writev:error=EIO:when=1",
        "rename:error=EBUSY:when=1",
        "flock:error=EINTR:when=1",
    ] {
        let project = project_with_one_task();
        let printed = add_with_fault(&project, inject);
        assert_eq!(
            (printed.code, printed.err.as_str()),
            (0, ""),
            "{inject}: {printed:?}"
        );
        assert_eq!(project.json(["stats"])["total"], 2, "{inject}");
    }
}

#[test]
fn what_may_or_may_not_have_survived_is_said_to_be_unknown() {
    let project = project_with_one_task();
    let printed = add_with_fault(&project, "fsync:error=EIO");
    assert_eq!(printed.code, 3);
    assert!(printed.err.contains("outcome unknown: "), "{printed:?}");
    assert_eq!(
        project.json(["stats"])["total"],
        2,
        "it is there, as far as anybody can see"
    );
}

#[test]
fn a_lock_that_cannot_be_had_is_an_error() {
    let project = project_with_one_task();
    let printed = add_with_fault(&project, "flock:error=ENOLCK");
    assert_eq!(printed.code, 3);
    assert!(printed.err.contains("not applied"), "{printed:?}");
}

/// Killed at each system call that has to do with files, one after the other: the board is whole every time, and has
/// the new task if and only if that was said.
#[test]
fn killed_at_any_system_call_the_board_is_whole() {
    for call in [
        "openat",
        "flock",
        "writev",
        "fdatasync",
        "rename",
        "fsync",
        "unlink",
        "write",
    ] {
        for number in 1..=4 {
            let project = project_with_one_task();
            let printed = add_with_fault(&project, &format!("{call}:signal=KILL:when={number}"));
            let stats = project.json(["stats"]);
            let total = stats["total"].as_u64().unwrap();
            assert!(total == 1 || total == 2, "{call} {number}: {stats}");
            if printed.code == 0 {
                assert_eq!(total, 2, "{call} {number}: acknowledged");
            }
            let mut server = project.serve();
            server.direct("create_task", json!({"title": "after"}));
            assert_eq!(
                server.direct("get_task_stats", json!({}))["total"],
                total + 1
            );
        }
    }
}
