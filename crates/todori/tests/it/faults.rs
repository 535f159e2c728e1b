//! A bad disk, played by `strace`, which makes chosen system calls fail. Needs strace; `./test` installs it.

use std::fs;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::faulty_disk::{
    ALWAYS, EINVAL, EIO, ENOENT, ENOLCK, ENOSYS, EOPNOTSUPP, EPERM, ETIMEDOUT, Fault,
};
use crate::project::{Printed, Project, Server, printed};

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

fn add_on(project: &Project, faults: &[Fault]) -> Printed {
    let mut command = project.command_with(faults);
    printed(command.args(["add", "second"]).output().unwrap())
}

#[test]
fn a_rename_that_happened_is_not_taken_for_one_that_did_not() {
    // So answers a network drive that had to repeat the request.
    for error in [ENOENT, ETIMEDOUT, EIO] {
        let project = project_with_one_task();
        let printed = add_on(&project, &[("RENAME_DONE", error, ALWAYS)]);
        assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{error}");
        assert_eq!(project.json(["stats"])["total"], 2, "{error}");
    }
    // One that did not happen is said not to have happened.
    for error in [ENOENT, ETIMEDOUT] {
        let project = project_with_one_task();
        let printed = add_on(&project, &[("RENAME", error, ALWAYS)]);
        assert_eq!(printed.code, 3, "{printed:?}");
        assert!(printed.err.contains("not applied"), "{printed:?}");
        assert_eq!(project.json(["stats"])["total"], 1, "{error}");
    }
}

#[test]
fn where_a_disk_confirms_nothing_changes_are_made_and_it_is_said_once() {
    for error in [EINVAL, EOPNOTSUPP, ENOSYS] {
        for fault in ["FSYNC_FOLDER", "FDATASYNC"] {
            let project = project_with_one_task();
            let faults = [(fault, error, ALWAYS)];
            let printed = add_on(&project, &faults);
            assert_eq!(printed.code, 0, "{fault}: {printed:?}");
            assert_eq!(
                printed.err.matches("does not confirm").count(),
                1,
                "{printed:?}"
            );
            assert_eq!(project.json(["stats"])["total"], 2);
        }
        let project = project_with_one_task();
        let mut doctor = project.command_with(&[("FSYNC_FOLDER", error, ALWAYS)]);
        let said = printed(doctor.arg("doctor").output().unwrap());
        assert!(
            said.out.contains("a power cut may take the last changes"),
            "{said:?}"
        );
    }
    // A disk that failed is another matter.
    let project = project_with_one_task();
    let printed = add_on(&project, &[("FSYNC_FOLDER", EIO, ALWAYS)]);
    assert!(printed.err.contains("outcome unknown"), "{printed:?}");
}

#[test]
fn where_there_are_no_locks_a_file_stands_in_and_it_is_said_once() {
    for error in [ENOLCK, ENOSYS, EOPNOTSUPP] {
        let project = project_with_one_task();
        let faults = [("FLOCK", error, ALWAYS)];
        let printed = add_on(&project, &faults);
        assert_eq!(printed.code, 0, "{printed:?}");
        assert_eq!(
            printed.err.matches("offers no locks").count(),
            1,
            "{printed:?}"
        );
        assert_eq!(project.json(["stats"])["total"], 2);
        assert!(!project.path().join(".todori/.lock.exclusive").exists());
        let mut doctor = project.command_with(&faults);
        let said = crate::project::printed(doctor.arg("doctor").output().unwrap());
        assert!(said.out.contains("offers no locks"), "{said:?}");
    }
}

#[test]
fn several_writers_without_locks_lose_nothing() {
    let project = project_with_one_task();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let project = &project;
            scope.spawn(move || {
                let command = project.command_with(&[("FLOCK", ENOLCK, ALWAYS)]);
                let mut server = Server::start(command);
                for number in 0..10 {
                    let title = format!("{writer}/{number}");
                    server.direct("create_task", json!({"title": title}));
                }
            });
        }
    });
    assert_eq!(project.json(["stats"])["total"], 41);
}

#[test]
fn a_lock_file_that_was_left_behind_is_taken_over() {
    let project = project_with_one_task();
    let left = project.path().join(".todori/.lock.exclusive");
    let file = fs::File::create(&left).unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    file.set_modified(long_ago).unwrap();
    let printed = add_on(&project, &[("FLOCK", ENOLCK, ALWAYS)]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(!left.exists());
    // Those who can lock are not kept out by it either.
    fs::File::create(&left)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    assert_eq!(project.run(["add", "third"]).code, 0);
}

#[test]
fn where_modes_cannot_be_set_changes_are_made() {
    let project = project_with_one_task();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(project.board_file(), mode).unwrap();
    let printed = add_on(&project, &[("FCHMOD", EPERM, ALWAYS)]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    assert_eq!(project.json(["stats"])["total"], 2);
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
