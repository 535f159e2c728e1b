//! The boards of sessions: private to a session, shown to others while it lives, gone with it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, titles, write_to};
use todori_domain::testing::{block_on, moment};
use todori_domain::{BoardKey, SessionEnd, SessionName, Store, Want};
use todori_store::{Lifetime, Origin};

use crate::opening::open_at;

fn open(folder: &Path, lifetime: Lifetime) -> Arc<dyn Store> {
    let origin = Origin::From(folder.to_owned());
    open_at(origin, lifetime, &folder.join("elsewhere"))
}

fn board(name: &str) -> BoardKey {
    BoardKey::Session(SessionName::new(name))
}

fn write(store: &Arc<dyn Store>, name: &str, title: &str) {
    let outcome = write_to(store, &board(name), &moment(1), vec![add(title)]);
    outcome.verdict.unwrap();
}

fn read(store: &Arc<dyn Store>, name: &str) -> String {
    titles(
        &block_on(store.read(&board(name), Want::default()))
            .unwrap()
            .board,
    )
}

fn shown(store: &Arc<dyn Store>) -> Vec<BoardKey> {
    let sessions = block_on(store.sessions()).unwrap().sessions;
    let names = sessions.into_iter().map(|session| session.name);
    names.map(BoardKey::Session).collect()
}

#[test]
fn sessions_have_lists_of_their_own_and_need_no_project() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), Lifetime::Process);
    write(&store, "one", "a");
    write(&store, "two", "b");
    assert_eq!(
        (read(&store, "one"), read(&store, "two")),
        ("a".to_owned(), "b".to_owned())
    );
    assert!(
        !folder.path().join(".todori").exists(),
        "showing a board never makes a project"
    );
    assert_eq!(
        std::fs::read_dir(folder.path().join("elsewhere"))
            .unwrap()
            .count(),
        4
    );
}

#[test]
fn a_board_is_shown_with_the_project_while_its_session_lives() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join(".todori")).unwrap();
    let (store, watcher) = (
        open(folder.path(), Lifetime::Process),
        open(folder.path(), Lifetime::Process),
    );
    write(&store, "agent: 7", "a");
    assert!(
        folder
            .path()
            .join(".todori/sessions/agent%3a%207.session.yaml")
            .exists()
    );
    assert_eq!(shown(&watcher), [board("agent: 7")]);
    assert_eq!(read(&watcher, "agent: 7"), "a");
    drop(store);
    let shown_file = folder
        .path()
        .join(".todori/sessions/agent%3a%207.session.yaml");
    assert!(!shown_file.exists(), "nobody needs to look for it to go");
    assert_eq!(shown(&open(folder.path(), Lifetime::Process)), []);
    assert_eq!(
        std::fs::read_dir(folder.path().join(".todori/sessions"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn what_a_killed_process_left_is_stale_and_swept() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join(".todori")).unwrap();
    let store = open(folder.path(), Lifetime::Process);
    write(&store, "gone", "a");
    // A killed process leaves its files, but not its lock.
    let sessions = folder.path().join(".todori/sessions");
    let left = std::fs::read(sessions.join("gone.session.yaml")).unwrap();
    drop(store);
    #[expect(
        clippy::disallowed_methods,
        reason = "this plays the process that was killed"
    )]
    std::fs::write(sessions.join("gone.session.yaml"), left).unwrap();
    let store = open(folder.path(), Lifetime::Process);
    assert_eq!(read(&store, "gone"), "");
    assert_eq!(shown(&store), []);
    assert!(!sessions.join("gone.session.yaml").exists());
}

#[test]
fn a_board_that_outlives_its_process_is_there_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let lifetime = Lifetime::Idle(Duration::from_mins(10));
    let store = open(folder.path(), lifetime);
    write(&store, "http", "a");
    drop(store);
    let store = open(folder.path(), lifetime);
    assert_eq!(read(&store, "http"), "a");
    write(&store, "http", "b");
    assert_eq!(read(&open(folder.path(), lifetime), "http"), "a b");
}

#[test]
fn there_are_never_too_many() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), Lifetime::Idle(Duration::from_mins(10)));
    for number in 0..1_005 {
        write(&store, &format!("s{number}"), "a");
    }
    assert_eq!(
        std::fs::read_dir(folder.path().join("elsewhere"))
            .unwrap()
            .count(),
        1_000
    );
    assert_eq!(read(&store, "s0"), "", "the oldest went first");
    assert_eq!(read(&store, "s1004"), "a");
}

#[test]
fn a_board_that_nobody_uses_expires() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), Lifetime::Idle(Duration::ZERO));
    write(&store, "old", "a");
    write(&store, "new", "b");
    assert!(!folder.path().join("elsewhere/old.session.yaml").exists());
}

#[test]
fn a_list_is_read_as_another_process_shows_it_now() {
    let folder = TempDir::new().unwrap();
    let agent = open(folder.path(), Lifetime::Process);
    let watcher = open(folder.path(), Lifetime::Idle(Duration::from_mins(1)));
    write(&agent, "one", "a");
    assert_eq!(read(&watcher, "one"), "a");
    write(&agent, "one", "b");
    assert_eq!(read(&watcher, "one"), "a b", "not as it was at first");
    drop(agent);
    assert_eq!(read(&watcher, "one"), "", "it ended with its process");
}

#[test]
fn two_servers_show_one_list_under_one_name() {
    let folder = TempDir::new().unwrap();
    let kept = Lifetime::Idle(Duration::from_mins(1));
    let (one, two) = (open(folder.path(), kept), open(folder.path(), kept));
    write(&one, "same", "a");
    write(&two, "same", "b");
    write(&one, "same", "c");
    assert_eq!(read(&two, "same"), "a b c");
}

#[test]
fn a_list_that_began_before_the_project_is_shown_as_it_is_now_and_can_be_ended() {
    for lifetime in [Lifetime::Process, Lifetime::Idle(Duration::from_mins(1))] {
        let folder = TempDir::new().unwrap();
        let (store, watcher) = (open(folder.path(), lifetime), open(folder.path(), lifetime));
        let listed = || {
            let sessions = block_on(watcher.sessions()).unwrap().sessions;
            let lists = sessions.iter().filter_map(|session| session.list.as_ref());
            lists.map(|list| titles(list)).collect::<Vec<_>>()
        };
        let key = board("one");
        let identity = || block_on(store.identify(&key)).unwrap();
        write(&store, "one", "a");
        let before = identity();
        assert_eq!(listed(), ["a"]);
        std::fs::create_dir(folder.path().join(".todori")).unwrap();
        write(&store, "one", "b");
        assert_eq!(listed(), ["a b"]);
        assert_eq!(identity(), before, "it is the same list");
        block_on(store.end_sessions("one", SessionEnd::Over)).unwrap();
        assert_eq!(listed(), [""; 0]);
        drop(store);
        assert_eq!(listed(), [""; 0]);
    }
}
