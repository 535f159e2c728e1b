//! Who is there: shown by files that are made, read and swept only where they are ours.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, read, set, write, write_to};
use todori_domain::testing::{block_on, moment};
use todori_domain::{Actor, BoardKey, Moment, SessionName, Status, Store, Want};
use todori_store::{Lifetime, Origin};

use crate::opening::{open, open_at};

fn open_sessions(project: &Path, elsewhere: &Path) -> Arc<dyn Store> {
    let origin = Origin::From(project.to_owned());
    open_at(origin, Lifetime::Process, elsewhere)
}

/// Changes the list of a session.
fn plan(store: &Arc<dyn Store>, session: &str) {
    let board = BoardKey::Session(SessionName::new(session));
    let outcome = write_to(store, &board, &moment(1), vec![add("a")]);
    assert_eq!(outcome.board.len(), 1);
}

fn start(store: &Arc<dyn Store>, name: &str, session: &str) {
    let by = Moment {
        actor: Actor::session(session),
        ..moment(1)
    };
    let commands = vec![add(name), set(name, Status::InProgress)];
    assert!(write(store, &by, commands).verdict.is_ok());
}

fn is_live(store: &Arc<dyn Store>, session: &str) -> bool {
    read(store).live.contains(&SessionName::new(session))
}

#[expect(clippy::disallowed_methods, reason = "this plays somebody else")]
fn put(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_link_in_the_place_of_the_sessions_is_not_followed() {
    let outside = TempDir::new().unwrap();
    for within in [true, false] {
        let project = TempDir::new().unwrap();
        let target = if within {
            project.path().join("target")
        } else {
            outside.path().join("target")
        };
        fs::create_dir_all(&target).unwrap();
        for name in ["Cargo.lock", "x.session.lock", "x.session.yaml"] {
            put(&target.join(name), "precious");
        }
        let before = names(&target);
        fs::create_dir(project.path().join(".todori")).unwrap();
        symlink(&target, project.path().join(".todori/sessions")).unwrap();
        start(&open(project.path()), "a", "agent");
        let sessions = open_sessions(project.path(), &project.path().join("elsewhere"));
        plan(&sessions, "agent");
        block_on(sessions.sessions()).unwrap();
        assert_eq!(names(&target), before, "within: {within}");
        drop(sessions);
        assert_eq!(names(&target), before, "within: {within}");
    }
}

#[test]
fn a_folder_that_became_a_link_later_is_not_followed_either() {
    let (project, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = open(project.path());
    start(&store, "a", "one");
    let sessions = project.path().join(".todori/sessions");
    fs::remove_dir_all(&sessions).unwrap();
    put(&outside.path().join("gone.session.lock"), "precious");
    symlink(outside.path(), &sessions).unwrap();
    start(&store, "b", "two");
    drop(store);
    assert_eq!(names(outside.path()), ["gone.session.lock"]);
}

#[test]
fn only_what_sessions_left_is_swept() {
    let project = TempDir::new().unwrap();
    let folder = project.path().join(".todori/sessions");
    fs::create_dir_all(&folder).unwrap();
    let others = [
        "Cargo.lock",
        "notes.yaml",
        "other.session.yaml",
        ".session.lock",
    ];
    for name in others {
        put(&folder.join(name), "precious: yes\n");
    }
    put(&folder.join("gone.session.lock"), "");
    let store = open_sessions(project.path(), &project.path().join("elsewhere"));
    plan(&store, "agent");
    block_on(store.sessions()).unwrap();
    let left = names(&folder);
    assert!(
        others
            .iter()
            .all(|name| left.iter().any(|left| left == name))
    );
    assert!(!folder.join("gone.session.lock").exists());
    assert!(folder.join("agent.session.lock").exists());
    assert!(folder.join("agent.session.yaml").exists());
}

#[test]
fn a_runtime_folder_that_is_not_ours_alone_is_not_used() {
    let folder = TempDir::new().unwrap();
    let (real, linked) = (folder.path().join("real"), folder.path().join("linked"));
    let elsewhere = folder.path().join("above/elsewhere");
    fs::create_dir(&real).unwrap();
    symlink(&real, &linked).unwrap();
    let store = open_sessions(folder.path(), &linked);
    plan(&store, "agent");
    assert_eq!(names(&real), [""; 0]);
    // The folder itself, or the one above it, may be written to by others.
    fs::create_dir_all(&elsewhere).unwrap();
    for open in [&elsewhere, elsewhere.parent().unwrap()] {
        fs::set_permissions(open, fs::Permissions::from_mode(0o777)).unwrap();
        let store = open_sessions(folder.path(), &elsewhere);
        plan(&store, "agent");
        assert_eq!(names(&elsewhere), [""; 0]);
        fs::set_permissions(open, fs::Permissions::from_mode(0o700)).unwrap();
    }
    let store = open_sessions(folder.path(), &elsewhere);
    plan(&store, "agent");
    assert_eq!(names(&elsewhere).len(), 2);
    let made = open_sessions(folder.path(), &folder.path().join("new/elsewhere"));
    plan(&made, "agent");
    let mode = |path: &str| folder.path().join(path).metadata().unwrap().permissions();
    assert_eq!(mode("new/elsewhere").mode() & 0o777, 0o700);
    assert_eq!(mode("new").mode() & 0o777, 0o700);
}

#[test]
fn a_session_whose_file_was_removed_is_announced_again_when_it_writes() {
    let project = TempDir::new().unwrap();
    let (store, other) = (open(project.path()), open(project.path()));
    start(&store, "a", "tester");
    fs::remove_dir_all(project.path().join(".todori/sessions")).unwrap();
    assert!(!is_live(&other, "tester"));
    write(&store, &moment(2), vec![add("b")]);
    assert!(is_live(&other, "tester"));
}

#[test]
fn two_processes_with_one_session_both_count() {
    let project = TempDir::new().unwrap();
    let (first, second) = (open(project.path()), open(project.path()));
    let watcher = open(project.path());
    start(&first, "a", "agent");
    start(&second, "b", "agent");
    assert!(is_live(&watcher, "agent"));
    drop(first);
    assert!(is_live(&watcher, "agent"));
    drop(second);
    assert!(!is_live(&watcher, "agent"));
    assert_eq!(names(&project.path().join(".todori/sessions")), [""; 0]);
}

#[test]
fn looking_at_the_same_moment_disturbs_nobody() {
    let project = TempDir::new().unwrap();
    let store = open(project.path());
    start(&store, "a", "agent");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let watcher = open(project.path());
                for _ in 0..200 {
                    assert!(is_live(&watcher, "agent"));
                }
            });
        }
        scope.spawn(|| {
            // Meanwhile others come and go.
            for number in 0..50 {
                let store = open(project.path());
                start(&store, "b", &format!("s{number}"));
                assert!(is_live(&open(project.path()), &format!("s{number}")));
                write(
                    &store,
                    &moment(1),
                    vec![todori_domain::Command::Delete {
                        task: todori_domain::testing::letter("b").into(),
                    }],
                );
            }
        });
    });
}

#[test]
fn who_only_looks_takes_nothing_away() {
    let project = TempDir::new().unwrap();
    fs::create_dir(project.path().join(".todori")).unwrap();
    let elsewhere = project.path().join("elsewhere");
    let store = open_sessions(project.path(), &elsewhere);
    plan(&store, "agent");
    let board = BoardKey::Session(SessionName::new("agent"));
    let watcher = open_sessions(project.path(), &elsewhere);
    let seen = block_on(watcher.read(&board, Want::default())).unwrap();
    assert_eq!(seen.board.len(), 1);
    drop(watcher);
    let sessions = block_on(store.sessions()).unwrap().sessions;
    let names: Vec<_> = sessions.into_iter().map(|session| session.name).collect();
    assert_eq!(names, [SessionName::new("agent")]);
}
