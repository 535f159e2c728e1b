//! A file that is emptied is not an empty board: editors do that for a moment before they write.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, read, set, titles, work, write};
use todori_domain::testing::{block_on, letter, moment};
use todori_domain::{BoardKey, Command, Status, Store, StoreError, Want};

use crate::opening::open;

const BLANK: [&str; 5] = ["", "\n", "  \n\n", "# nothing\n", "{}\n"];

fn project_with_a_task() -> (TempDir, PathBuf) {
    let project = TempDir::new().unwrap();
    write(&open(&project), &moment(1), vec![add("a")]);
    let file = project.path().join(".todori/tasks.yaml");
    (project, file)
}

#[expect(clippy::disallowed_methods, reason = "this plays the editor")]
fn put(file: &Path, text: impl AsRef<[u8]>) {
    fs::write(file, text).unwrap();
}

fn try_read(store: &Arc<dyn Store>) -> Result<String, StoreError> {
    let read = block_on(store.read(&BoardKey::Project, Want::default()));
    read.map(|read| titles(&read.board))
}

fn try_add(store: &Arc<dyn Store>, name: &str) -> Result<String, StoreError> {
    let now = moment(2);
    let work = work(&now, vec![add(name)]);
    let outcome = block_on(store.transact(&BoardKey::Project, &now, work));
    outcome.map(|outcome| titles(&outcome.board))
}

fn is_vanished<T>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Vanished { .. }))
}

#[test]
fn an_emptied_file_is_a_vanished_board() {
    let (project, file) = project_with_a_task();
    let good = fs::read(&file).unwrap();
    let store = open(&project);
    for blank in BLANK {
        assert_eq!(try_read(&store).unwrap(), "a");
        put(&file, blank);
        assert!(is_vanished(&try_read(&store)), "{blank:?}");
        assert!(is_vanished(&try_add(&store, "b")), "{blank:?}");
        assert!(
            is_vanished(&try_add(&open(&project), "b")),
            "a fresh process knows from the history: {blank:?}"
        );
        assert_eq!(fs::read(&file).unwrap(), blank.as_bytes());
        put(&file, &good);
    }
    // Without a history, this process still knows.
    assert_eq!(try_read(&store).unwrap(), "a");
    fs::remove_file(project.path().join(".todori/history.jsonl")).unwrap();
    put(&file, "");
    assert!(is_vanished(&try_add(&store, "b")));
    assert!(is_vanished(&try_add(&store, "b")));
    put(&file, &good);
    assert_eq!(try_add(&store, "b").unwrap(), "a b");
}

#[test]
fn an_editor_that_empties_the_file_before_it_writes_is_waited_for() {
    let (project, file) = project_with_a_task();
    let store = open(&project);
    read(&store);
    let text = fs::read(&file).unwrap();
    put(&file, "");
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| try_add(&store, "b"));
        put(&file, text);
        assert_eq!(writing.join().unwrap().unwrap(), "a b");
    });
}

#[test]
fn where_no_board_was_an_empty_file_is_one() {
    for blank in BLANK {
        let project = TempDir::new().unwrap();
        let file = project.path().join(".todori/tasks.yaml");
        fs::create_dir(project.path().join(".todori")).unwrap();
        put(&file, blank);
        let store = open(&project);
        assert_eq!(try_read(&store).unwrap(), "");
        assert_eq!(try_add(&store, "a").unwrap(), "a");
        let kept = blank.contains('#');
        assert_eq!(
            fs::read_to_string(&file).unwrap().contains("# nothing"),
            kept
        );
    }
}

#[test]
fn a_board_whose_last_task_was_deleted_may_be_emptied() {
    let (project, file) = project_with_a_task();
    let store = open(&project);
    let delete = Command::Delete {
        task: letter("a").into(),
    };
    write(&store, &moment(2), vec![delete]);
    put(&file, "# gone\n");
    assert_eq!(try_add(&store, "b").unwrap(), "b");
}

#[test]
fn whoever_wants_a_new_board_in_an_emptied_file_says_so() {
    let (project, file) = project_with_a_task();
    put(&file, "# my words\n");
    let store = open(&project);
    assert!(block_on(store.create()).unwrap().is_new);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "# my words\nversion: 1\ntasks: {}\n"
    );
    assert!(!block_on(store.create()).unwrap().is_new);
    let store = open(&project);
    assert_eq!(try_add(&store, "b").unwrap(), "b");
    write(&store, &moment(3), vec![set("b", Status::Done)]);
}
