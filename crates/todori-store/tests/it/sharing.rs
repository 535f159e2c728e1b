//! The board is shared: with other processes, with editors, with git.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, read, set, titles, work, write};
use todori_domain::testing::{block_on, letter, moment};
use todori_domain::{Actor, BoardKey, Happening, Moment, SessionName, Status};

use crate::opening::open;

fn file(project: &TempDir) -> PathBuf {
    project.path().join(".todori/tasks.yaml")
}

fn text(project: &TempDir) -> String {
    fs::read_to_string(file(project)).unwrap()
}

/// Replaces the file as an editor does that knows nothing of locks.
#[expect(clippy::disallowed_methods, reason = "this plays the editor")]
fn edit(project: &TempDir, from: &str, to: &str) {
    let text = text(project);
    assert!(text.contains(from), "{text}");
    fs::write(file(project), text.replace(from, to)).unwrap();
}

#[test]
fn reading_creates_nothing_and_refusing_creates_nothing() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    assert!(read(&store).board.is_empty());
    assert!(
        write(&store, &moment(1), vec![set("x", Status::Done)])
            .verdict
            .is_err()
    );
    assert_eq!(fs::read_dir(project.path()).unwrap().count(), 0);
}

#[test]
fn the_first_write_makes_a_folder_that_git_sees_only_the_board_of() {
    let project = TempDir::new().unwrap();
    write(
        &open(&project),
        &moment(1),
        vec![add("a"), set("a", Status::InProgress)],
    );
    let git = |arguments: &[&str]| {
        let run = std::process::Command::new("git")
            .current_dir(project.path())
            .args(arguments)
            .output();
        String::from_utf8(run.unwrap().stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    assert_eq!(
        git(&["diff", "--cached", "--name-only"]),
        ".todori/.gitignore\n.todori/tasks.yaml\n"
    );
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file(&project)), 0o600);
    assert_eq!(mode(&project.path().join(".todori")), 0o700);
}

#[test]
fn the_mode_that_git_gave_the_file_stays() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a")]);
    fs::set_permissions(file(&project), fs::Permissions::from_mode(0o644)).unwrap();
    write(&store, &moment(2), vec![add("b")]);
    assert_eq!(
        file(&project).metadata().unwrap().permissions().mode() & 0o777,
        0o644
    );
}

#[test]
fn what_an_editor_changes_is_seen_at_once_and_kept() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a"), add("b")]);
    edit(
        &project,
        "title: a\n",
        "title: Changed by hand  # and why\n    estimate: 010\n",
    );
    assert_eq!(titles(&read(&store).board), "Changed by hand b");
    write(&store, &moment(2), vec![set("a", Status::Done), add("c")]);
    let text = text(&project);
    assert!(
        text.contains("title: Changed by hand  # and why\n    estimate: 010\n"),
        "{text}"
    );
    assert_eq!(titles(&read(&store).board), "Changed by hand b c");
}

#[test]
fn what_was_changed_outside_is_in_the_history_of_the_next_writer() {
    for cold in [false, true] {
        let project = TempDir::new().unwrap();
        let store = open(&project);
        write(&store, &moment(1), vec![add("a"), add("b")]);
        edit(&project, "title: a\n", "title: Renamed\n");
        let store = if cold { open(&project) } else { store };
        read(&store);
        write(&store, &moment(2), vec![add("c")]);
        write(&store, &moment(3), vec![set("b", Status::Done)]);
        let told: Vec<_> = read(&store)
            .history
            .events
            .iter()
            .map(|event| {
                (
                    event.by.as_str().to_owned(),
                    event.happening(),
                    event.title().unwrap().as_str().to_owned(),
                )
            })
            .collect();
        let event = |by: &str, happening, title: &str| (by.to_owned(), happening, title.to_owned());
        let expected = [
            event("tester", Happening::StatusChanged(Status::Done), "b"),
            event("tester", Happening::Created, "c"),
            event("file", Happening::Edited, "Renamed"),
            event("tester", Happening::Created, "b"),
            event("tester", Happening::Created, "a"),
        ];
        assert_eq!(told, expected, "cold: {cold}");
    }
}

#[test]
fn an_editor_wakes_those_who_wait() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a")]);
    let before = read(&store).revision;
    std::thread::scope(|scope| {
        let waiting =
            scope.spawn(|| block_on(store.wait_past(&BoardKey::Project, before)).unwrap());
        edit(&project, "title: a\n", "title: b\n");
        assert!(waiting.join().unwrap() > before);
    });
}

#[test]
fn those_who_wait_for_a_board_that_is_not_there_yet_are_woken_too() {
    let project = TempDir::new().unwrap();
    let (store, other) = (open(&project), open(&project));
    let before = read(&store).revision;
    std::thread::scope(|scope| {
        let waiting =
            scope.spawn(|| block_on(store.wait_past(&BoardKey::Project, before)).unwrap());
        write(&other, &moment(1), vec![add("a")]);
        assert!(waiting.join().unwrap() > before);
    });
    assert_eq!(titles(&read(&store).board), "a");
}

#[test]
fn a_session_is_alive_while_its_process_is() {
    let project = TempDir::new().unwrap();
    let (first, second) = (open(&project), open(&project));
    write(
        &first,
        &moment(1),
        vec![add("a"), set("a", Status::InProgress)],
    );
    let tester = SessionName::new("tester");
    assert!(read(&second).live.contains(&tester));
    // The other session starts it too: it stays with the one that has it.
    let other = Moment {
        actor: Actor::session("other"),
        ..moment(2)
    };
    let outcome = write(&second, &other, vec![set("a", Status::InProgress)]);
    assert!(outcome.verdict.unwrap().is_empty());
    drop(first);
    assert!(!read(&second).live.contains(&tester));
    let outcome = write(&second, &other, vec![set("a", Status::InProgress)]);
    assert_eq!(
        outcome.board.get(letter("a")).unwrap().assignee,
        Some(SessionName::new("other"))
    );
}

#[test]
fn a_folder_that_is_removed_and_made_again_is_watched_again() {
    let project = TempDir::new().unwrap();
    let (store, other) = (open(&project), open(&project));
    write(&other, &moment(1), vec![add("a")]);
    let before = read(&store).revision;
    let saved = text(&project);
    std::thread::scope(|scope| {
        let waiting =
            scope.spawn(|| block_on(store.wait_past(&BoardKey::Project, before)).unwrap());
        fs::remove_dir_all(project.path().join(".todori")).unwrap();
        fs::create_dir(project.path().join(".todori")).unwrap();
        #[expect(clippy::disallowed_methods, reason = "this plays git")]
        fs::write(file(&project), saved.replace("title: a", "title: z")).unwrap();
        assert!(waiting.join().unwrap() > before);
    });
    assert_eq!(titles(&read(&store).board), "z");
}

#[test]
fn a_read_does_not_wait_for_a_change_that_waits_for_another_process() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a")]);
    let lock = fs::File::open(project.path().join(".todori/.lock")).unwrap();
    lock.lock().unwrap();
    let now = moment(2);
    let waiting = store.transact(&BoardKey::Project, &now, work(&now, vec![add("b")]));
    assert_eq!(titles(&read(&store).board), "a");
    assert_eq!(titles(&read(&store).board), "a");
    drop(lock);
    let made = block_on(waiting).unwrap();
    assert_eq!(titles(&made.board), "a b");
    assert_eq!(titles(&read(&store).board), "a b");
}
