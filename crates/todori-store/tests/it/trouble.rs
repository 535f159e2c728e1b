//! Broken files, vanished files, links, full disks: nothing is lost, and what is wrong is said.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, read, set, titles, work, write};
use todori_domain::testing::{block_on, moment};
use todori_domain::{BoardKey, Command, Status, Store, StoreError, Want, Work};

use crate::opening::open;

const BOARD: BoardKey = BoardKey::Project;

fn project_with_a_task() -> (TempDir, PathBuf) {
    let project = TempDir::new().unwrap();
    write(&open(&project), &moment(1), vec![add("a")]);
    let file = project.path().join(".todori/tasks.yaml");
    (project, file)
}

fn try_read(store: &Arc<dyn Store>) -> Result<String, StoreError> {
    block_on(store.read(&BOARD, Want::default())).map(|read| titles(&read.board))
}

fn asking_for(command: Command) -> Work {
    work(&moment(2), vec![command])
}

fn try_add(store: &Arc<dyn Store>, name: &str) -> Result<String, StoreError> {
    let now = moment(2);
    let outcome = block_on(store.transact(&BOARD, &now, asking_for(add(name))));
    outcome.map(|outcome| titles(&outcome.board))
}

#[expect(clippy::disallowed_methods, reason = "this plays somebody else")]
fn put(file: &PathBuf, text: impl AsRef<[u8]>) {
    fs::write(file, text).unwrap();
}

#[test]
fn a_broken_file_is_reported_left_alone_and_read_again_once_it_is_mended() {
    let (project, file) = project_with_a_task();
    let store = open(&project);
    let good = fs::read(&file).unwrap();
    let mut invalid = good.clone();
    invalid.extend(b"\xff\xfe");
    let broken: Vec<Vec<u8>> = vec![
        b"version: 1\ntasks:\n<<<<<<< HEAD\n=======\n>>>>>>> x\n".to_vec(),
        b"version: 1\ntasks:\n\tx: y\n".to_vec(),
        b"[".repeat(1_000_000),
        b"a: &a [x]\nb: [*a, *a]\n".to_vec(),
        good[..good.len() - 20].to_vec(),
        invalid,
        good.repeat(2),
    ];
    for text in broken {
        put(&file, &text);
        let error = try_read(&store).unwrap_err();
        let StoreError::Broken {
            what,
            at: Some(at),
            reason,
            ..
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!(what, ".todori/tasks.yaml");
        assert!(at.line >= 1 && at.column >= 1 && !reason.is_empty());
        assert_eq!(try_add(&store, "b").unwrap_err(), error);
        assert_eq!(
            try_read(&open(&project)).unwrap_err(),
            error,
            "a fresh process says the same"
        );
        assert_eq!(fs::read(&file).unwrap(), text, "the file is left alone");
    }
    put(&file, &good);
    assert_eq!(try_add(&store, "b").unwrap(), "a b");
}

#[test]
fn a_board_that_vanished_is_not_replaced_by_an_empty_one() {
    let (project, file) = project_with_a_task();
    for store in [open(&project), open(&project)] {
        let text = fs::read(&file).unwrap();
        read(&store);
        fs::remove_file(&file).unwrap();
        assert!(matches!(try_read(&store), Err(StoreError::Vanished { .. })));
        assert!(matches!(
            try_add(&store, "b"),
            Err(StoreError::Vanished { .. })
        ));
        assert!(matches!(
            try_add(&open(&project), "b"),
            Err(StoreError::Vanished { .. })
        ));
        assert!(!file.exists());
        put(&file, text);
        assert_eq!(try_read(&store).unwrap(), "a");
    }
    // Whoever wants a new one says so.
    fs::remove_file(&file).unwrap();
    let store = open(&project);
    assert!(block_on(store.create()).unwrap().is_new);
    assert!(!block_on(store.create()).unwrap().is_new);
    assert_eq!(try_add(&open(&project), "b").unwrap(), "b");
}

#[test]
fn a_file_that_is_gone_for_a_moment_is_waited_for() {
    let (project, file) = project_with_a_task();
    let store = open(&project);
    read(&store);
    let text = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| try_read(&store));
        put(&file, text);
        assert_eq!(reading.join().unwrap().unwrap(), "a");
    });
}

#[test]
fn a_file_that_is_gone_for_a_moment_is_waited_for_also_without_a_history() {
    let (project, file) = project_with_a_task();
    let text = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::remove_file(project.path().join(".todori/history.jsonl")).unwrap();
    let store = open(&project);
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| try_add(&store, "b"));
        put(&file, text);
        assert_eq!(adding.join().unwrap().unwrap(), "a b");
    });
}

#[test]
fn no_link_leads_out_of_the_project() {
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("secret");
    put(&secret, "version: 1\ntasks: {}\n");
    let project = TempDir::new().unwrap();
    fs::create_dir(project.path().join(".todori")).unwrap();
    symlink(&secret, project.path().join(".todori/tasks.yaml")).unwrap();
    assert!(try_read(&open(&project)).is_err());
    let linked_folder = TempDir::new().unwrap();
    symlink(outside.path(), linked_folder.path().join(".todori")).unwrap();
    assert!(try_read(&open(&linked_folder)).is_err());
    // A link that is put there later is not followed either.
    let (project, file) = project_with_a_task();
    let store = open(&project);
    fs::remove_file(&file).unwrap();
    symlink(&secret, &file).unwrap();
    assert!(try_add(&store, "b").is_err());
    assert_eq!(
        fs::read_to_string(&secret).unwrap(),
        "version: 1\ntasks: {}\n"
    );
}

#[test]
fn a_link_inside_the_project_is_kept() {
    let (project, file) = project_with_a_task();
    let real = project.path().join("board.yaml");
    #[expect(clippy::disallowed_methods, reason = "this plays a person")]
    fs::rename(&file, &real).unwrap();
    symlink("../board.yaml", &file).unwrap();
    assert_eq!(try_add(&open(&project), "b").unwrap(), "a b");
    assert!(file.is_symlink() && fs::read_to_string(&real).unwrap().contains("title: b"));
}

#[test]
fn traps_in_the_folder_are_not_stepped_into() {
    let (project, file) = project_with_a_task();
    let outside = TempDir::new().unwrap();
    let victim = outside.path().join("victim");
    put(&victim, "precious");
    // A link in the place of the temporary file is removed, not written through.
    symlink(&victim, project.path().join(".todori/.tasks.yaml.tmp")).unwrap();
    assert_eq!(try_add(&open(&project), "b").unwrap(), "a b");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    // Nor is one in the place of the history followed; the history is left out.
    let history = project.path().join(".todori/history.jsonl");
    fs::remove_file(&history).unwrap();
    symlink(&victim, &history).unwrap();
    assert_eq!(try_add(&open(&project), "c").unwrap(), "a b c");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    // A pipe or a folder in the place of the board is an error, not a hang.
    fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(&file)
        .status()
        .unwrap();
    assert!(made.success());
    assert!(matches!(
        try_read(&open(&project)),
        Err(StoreError::Unreadable { .. })
    ));
}

#[test]
fn where_nothing_can_be_written_nothing_is_applied_and_the_next_call_works() {
    let (project, file) = project_with_a_task();
    let store = open(&project);
    let temporary = project.path().join(".todori/.tasks.yaml.tmp");
    // A folder in the place of the temporary file can't be removed or written: works for root too.
    fs::create_dir_all(temporary.join("full")).unwrap();
    let before = fs::read(&file).unwrap();
    assert!(matches!(
        try_add(&store, "b"),
        Err(StoreError::NotApplied { .. })
    ));
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(try_read(&store).unwrap(), "a");
    fs::remove_dir_all(&temporary).unwrap();
    assert_eq!(try_add(&store, "b").unwrap(), "a b");
}

#[test]
fn a_panic_while_deciding_is_answered_and_the_store_lives_on() {
    let (project, _) = project_with_a_task();
    let store = open(&project);
    let now = moment(2);
    let panics = Work::on_board(|_| panic!("a bug"));
    let answer = block_on(store.transact(&BOARD, &now, panics));
    assert!(matches!(answer, Err(StoreError::OutcomeUnknown { .. })));
    assert_eq!(try_add(&store, "b").unwrap(), "a b");
}

#[test]
fn half_a_line_of_history_does_no_harm() {
    let (project, _) = project_with_a_task();
    let history = project.path().join(".todori/history.jsonl");
    let mut text = fs::read_to_string(&history).unwrap();
    text.push_str("{\"at\":\"2026-");
    put(&history, text);
    let store = open(&project);
    try_add(&store, "b").unwrap();
    let events = read(&store).history.events;
    assert_eq!(
        events
            .iter()
            .map(|event| event.title().unwrap().as_str())
            .collect::<Vec<_>>(),
        ["b", "a"]
    );
}

/// Keeps the board locked as another process would.
fn lock(project: &TempDir) -> fs::File {
    let file = fs::File::open(project.path().join(".todori/.lock")).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn a_change_that_waits_for_the_lock_is_given_up_when_the_store_is_dropped() {
    let (project, file) = project_with_a_task();
    let before = fs::read(&file).unwrap();
    let held = lock(&project);
    let store = open(&project);
    let now = moment(2);
    drop(store.transact(&BOARD, &now, asking_for(add("b"))));
    drop(store);
    drop(held);
    assert_eq!(fs::read(&file).unwrap(), before, "not applied");
}

#[test]
fn a_task_that_cannot_be_written_is_refused_alone() {
    let (project, file) = project_with_a_task();
    let store = open(&project);
    try_add(&store, "b").unwrap();
    // A key that is spelt out as one is read, but can't be moved to another place.
    let text = fs::read_to_string(&file).unwrap();
    put(
        &file,
        text.replace("    title: b\n", "    title: b\n    ? x\n    : y\n"),
    );
    let held = lock(&project);
    let now = moment(2);
    // The first waits for the lock, the others wait together behind it.
    let done = |name: &str| store.transact(&BOARD, &now, asking_for(set(name, Status::Done)));
    let asked = [
        done("a"),
        done("b"),
        store.transact(&BOARD, &now, asking_for(add("c"))),
    ];
    drop(held);
    let [a, b, c] = asked.map(block_on);
    assert!(a.is_ok() && c.is_ok());
    assert!(matches!(b, Err(StoreError::NotApplied { .. })));
    let now = fs::read_to_string(&file).unwrap();
    assert!(
        now.contains("    ? x\n    : y\n") && now.contains("title: c\n"),
        "{now}"
    );
    assert_eq!(now.matches("status: done").count(), 1);
}

#[test]
fn a_task_that_cannot_be_moved_keeps_nobody_from_writing() {
    let project = TempDir::new().unwrap();
    let file = project.path().join(".todori/tasks.yaml");
    fs::create_dir(project.path().join(".todori")).unwrap();
    let item = |letter: &str, more: &str| {
        format!(
            "  - id: {}-0000-0000-0000-000000000000\n    title: x\n{more}",
            letter.repeat(4)
        )
    };
    put(
        &file,
        format!(
            "tasks:\n{}{}",
            item("61", "    ? x\n    : y\n"),
            item("62", "")
        ),
    );
    let store = open(&project);
    assert_eq!(try_add(&store, "c").unwrap(), "x x c");
    let now = fs::read_to_string(&file).unwrap();
    assert!(now.contains("? x") && now.contains(": y"), "{now}");
    assert_eq!(try_read(&open(&project)).unwrap(), "x x c");
}

#[test]
fn git_is_told_what_not_to_see_wherever_nobody_has_told_it() {
    let (project, _) = project_with_a_task();
    let ignored = project.path().join(".todori/.gitignore");
    let text = fs::read_to_string(&ignored).unwrap();
    let store = open(&project);
    // Somebody else made the folder, or a crash came before the file.
    fs::remove_file(&ignored).unwrap();
    assert_eq!(try_read(&store).unwrap(), "a");
    assert!(!ignored.exists(), "reading makes nothing");
    try_add(&store, "b").unwrap();
    assert_eq!(fs::read_to_string(&ignored).unwrap(), text);
    // What somebody wrote there stays.
    put(&ignored, "# mine\n");
    try_add(&store, "c").unwrap();
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "# mine\n");
    fs::remove_file(&ignored).unwrap();
    fs::remove_file(project.path().join(".todori/tasks.yaml")).unwrap();
    let store = open(&project);
    assert!(block_on(store.create()).unwrap().is_new);
    assert_eq!(fs::read_to_string(&ignored).unwrap(), text);
}

#[test]
fn files_that_others_can_write_to_are_worth_a_warning() {
    let (project, file) = project_with_a_task();
    let store = open(&project);
    let warnings = || {
        let found = block_on(store.describe()).unwrap().warnings;
        let told = found.into_iter().map(|finding| {
            let advice = finding.advice.unwrap_or_default();
            format!("{}: {advice}", finding.says)
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(warnings(), [""; 0]);
    let folder = project.path().join(".todori");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(
        warnings(),
        [
            ".todori is writable by others: chmod go-w .todori",
            ".todori/tasks.yaml is writable by others: chmod go-w .todori/tasks.yaml"
        ]
    );
}

#[test]
fn a_board_never_grows_so_large_that_it_could_not_be_read_again() {
    let (project, file) = project_with_a_task();
    let mut text = fs::read_to_string(&file).unwrap();
    let room = 64 * 1024 * 1024 - 100 - text.len();
    text.push_str(&format!("{}\n", "# filled up\n".repeat(room / 12)));
    put(&file, &text);
    let store = open(&project);
    assert_eq!(try_read(&store).unwrap(), "a");
    assert!(
        matches!(try_add(&store, "b"), Err(StoreError::NotApplied { reason }) if reason.contains("64 MB"))
    );
    assert!(
        fs::read_to_string(&file).unwrap() == text,
        "the file is left alone"
    );
    assert_eq!(try_read(&open(&project)).unwrap(), "a");
}
