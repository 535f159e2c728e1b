//! A bad disk, played by `strace`, which makes chosen system calls fail. Needs strace; `./test` installs it.

use std::fs;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::project::{Printed, Project, printed};

/// Runs `todori add` with a fault in some system call; also tells whether that call was made at all.
fn add_with_fault(project: &Project, inject: &str) -> (Printed, bool) {
    let folder = TempDir::new().unwrap();
    let traced = folder.path().join("trace");
    let (call, _) = inject.split_once(':').unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", &format!("trace={call}")]);
    command.args(["-e", &format!("inject={inject}"), "-o"]);
    command.arg(&traced);
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
    let trace = fs::read_to_string(traced).unwrap();
    let hit = trace.contains("(INJECTED)") || trace.contains("+++ killed by SIGKILL");
    (printed(output), hit)
}

/// The same, where the call must have been made: else nothing would be proved.
fn add_with_this_fault(project: &Project, inject: &str) -> Printed {
    let (printed, hit) = add_with_fault(project, inject);
    assert!(hit, "there was no such call: {inject}");
    printed
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
        let printed = add_with_this_fault(&project, inject);
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
        let printed = add_with_this_fault(&project, inject);
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
    let printed = add_with_this_fault(&project, "fsync:error=EIO");
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
    let printed = add_with_this_fault(&project, "flock:error=ENOLCK");
    assert_eq!(printed.code, 3);
    assert!(printed.err.contains("not applied"), "{printed:?}");
}

/// Killed at each system call that has to do with files, one after the other: the board is whole every time, and has
/// the new task if that was said.
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
            let inject = format!("{call}:signal=KILL:when={number}");
            let (printed, hit) = add_with_fault(&project, &inject);
            assert!(hit || number > 1, "{call} is never called");
            assert_eq!(printed.code == 0, !hit, "{call} {number}: {printed:?}");
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
