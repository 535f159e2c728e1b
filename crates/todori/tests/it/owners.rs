//! Whose the files are that the program makes, and what it says to those who may not use them. What takes several users
//! needs root to play them.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::project::{Printed, Project, printed};

/// Users and a group that need not be known to the system.
const ADA: u32 = 41_000;
const BOB: u32 = 41_001;
const TEAM: u32 = 42_000;

/// Whether this test may play several users.
fn is_root(test: &str) -> bool {
    let own = fs::metadata("/proc/self").map(|own| own.uid());
    let is_root = own.is_ok_and(|uid| uid == 0);
    if !is_root {
        println!("{test}: skipped, since only root can play several users");
    }
    is_root
}

/// The program where every user may run it.
fn program(project: &Project) -> Command {
    let copy = project.path().join("todori");
    if !copy.exists() {
        fs::copy(env!("CARGO_BIN_EXE_todori"), &copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new(copy);
    command
        .env_clear()
        .env("USER", "ada")
        .env("LANG", "C.UTF-8");
    command.current_dir(project.path().join("work"));
    command
}

fn run_as(project: &Project, (user, group): (u32, u32), arguments: &[&str]) -> Printed {
    let mut command = program(project);
    command.uid(user).gid(group);
    printed(command.args(arguments).output().unwrap())
}

/// A folder for the work of a user, below one that everybody may pass through.
fn work_of(user: u32, group: u32, mode: u32) -> Project {
    let project = Project::nowhere();
    fs::set_permissions(project.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let work = project.path().join("work");
    fs::create_dir_all(work.join(".git")).unwrap();
    if user != 0 {
        chown(&work, Some(user), Some(group)).unwrap();
    }
    fs::set_permissions(&work, fs::Permissions::from_mode(mode)).unwrap();
    project
}

/// Everything below a folder: its path, user, group and mode.
fn everything(folder: &Path) -> Vec<(String, u32, u32, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let about = entry.metadata().unwrap();
        let name = entry.path().display().to_string();
        found.push((name, about.uid(), about.gid(), about.mode() & 0o7777));
        if about.is_dir() {
            found.extend(everything(&entry.path()));
        }
    }
    found
}

#[test]
fn what_root_makes_belongs_to_whoever_has_the_folder() {
    if !is_root("what_root_makes_belongs_to_whoever_has_the_folder") {
        return;
    }
    let project = work_of(ADA, ADA, 0o755);
    for title in ["first", "second"] {
        let printed = run_as(&project, (0, 0), &["add", title]);
        assert_eq!(printed.code, 0, "{printed:?}");
    }
    let started = run_as(&project, (0, 0), &["start", "first"]);
    assert_eq!(started.code, 0, "{started:?}");
    let folder = project.path().join("work/.todori");
    assert_eq!(folder.metadata().unwrap().uid(), ADA);
    for (name, user, group, mode) in everything(&folder) {
        assert_eq!((user, group), (ADA, ADA), "{name}");
        assert_eq!(mode & 0o077, 0, "{name} is for its owner alone");
    }
    let printed = run_as(&project, (ADA, ADA), &["add", "third"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
}

#[test]
fn a_folder_that_a_group_shares_stays_shared() {
    // Who owns the folder can always share it with the own group, root or not.
    let project = work_of(0, 0, 0o2775);
    let printed = printed(program(&project).args(["add", "first"]).output().unwrap());
    assert_eq!(printed.code, 0, "{printed:?}");
    let folder = project.path().join("work/.todori");
    assert_eq!(folder.metadata().unwrap().mode() & 0o7777, 0o2770);
    for (name, _, _, mode) in everything(&folder) {
        let expected = if Path::new(&name).is_dir() {
            0o2770
        } else {
            0o660
        };
        assert_eq!(mode, expected, "{name}");
    }
    // That is no danger to warn of.
    let doctor = crate::project::printed(program(&project).arg("doctor").output().unwrap());
    assert!(!doctor.out.contains("writable by others"), "{doctor:?}");
}

#[test]
fn two_people_of_one_group_share_a_board() {
    if !is_root("two_people_of_one_group_share_a_board") {
        return;
    }
    let project = work_of(ADA, TEAM, 0o2775);
    for (user, title) in [(ADA, "first"), (BOB, "second"), (ADA, "third")] {
        let printed = run_as(&project, (user, TEAM), &["add", title]);
        assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{title}");
    }
    let printed = run_as(&project, (BOB, TEAM), &["log"]);
    assert_eq!(printed.out.lines().count(), 3, "{printed:?}");
}

#[test]
fn who_is_locked_out_is_told_whose_the_file_is_and_what_to_type() {
    if !is_root("who_is_locked_out_is_told_whose_the_file_is_and_what_to_type") {
        return;
    }
    // As an older version run by root has left it.
    let project = work_of(ADA, ADA, 0o755);
    assert_eq!(run_as(&project, (ADA, ADA), &["add", "first"]).code, 0);
    let folder = project.path().join("work/.todori");
    for file in ["tasks.yaml", ".lock", "history.jsonl"] {
        chown(folder.join(file), Some(0), Some(0)).unwrap();
    }
    for arguments in [&["add", "second"][..], &["list"], &["doctor"]] {
        let printed = run_as(&project, (ADA, ADA), arguments);
        let said = format!("{}{}", printed.out, printed.err);
        assert_ne!(printed.code, 0, "{arguments:?}: {said}");
        assert!(
            said.contains(".todori/tasks.yaml belongs to root"),
            "{arguments:?}: {said}"
        );
        assert!(
            said.contains("sudo chown -R \"$(id -un)\" .todori"),
            "{arguments:?}: {said}"
        );
        assert!(!said.contains("chmod"), "that is not theirs to do: {said}");
    }
    // A folder of one's own that is closed can be opened.
    for file in ["tasks.yaml", ".lock", "history.jsonl"] {
        chown(folder.join(file), Some(ADA), Some(ADA)).unwrap();
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let printed = run_as(&project, (ADA, ADA), &["add", "second"]);
    assert!(
        printed.err.contains("chmod -R u+rwX .todori"),
        "{printed:?}"
    );
}
