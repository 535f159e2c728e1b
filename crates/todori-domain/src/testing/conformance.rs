//! The suite that every store must pass: the contract of [`Store`], clause by clause.

use std::sync::Arc;
use std::thread;

use super::{block_on, letter, moment};
use crate::{
    Actor, Board, BoardKey, Command, Happening, Moment, NewTask, Outcome, Priority, Refusal,
    Revision, SessionName, Snapshot, Status, Store, TaskEdit, TaskRef, Title, Want, decide,
};

/// Runs the whole suite. `fresh` gives a store that nobody has written to; `again` opens the same one a second time,
/// as another process would, or gives `None` for a store that lives in one process only.
pub fn check_store(
    fresh: impl Fn() -> Arc<dyn Store>,
    again: impl Fn(&Arc<dyn Store>) -> Option<Arc<dyn Store>>,
) {
    a_new_board_is_empty_and_listed_nowhere(&fresh());
    what_was_written_is_read(&fresh());
    a_refusal_changes_nothing(&fresh());
    a_request_is_applied_whole_or_not_at_all(&fresh());
    an_empty_change_moves_no_revision(&fresh());
    every_change_moves_the_revision(&fresh());
    a_read_sees_the_writes_before_it(&fresh());
    one_refusal_in_a_crowd_fails_alone(&fresh());
    writers_at_once_lose_nothing(&fresh());
    waiting_ends_with_the_next_change(&fresh());
    history_tells_newest_first(&fresh());
    a_snapshot_does_not_change_under_its_reader(&fresh());
    let store = fresh();
    if let Some(other) = again(&store) {
        two_openings_share_one_board(&store, &other);
        waiting_ends_when_somebody_else_writes(&store, &other);
    }
}

const BOARD: BoardKey = BoardKey::Project;

/// Adds a task called like its letter.
pub fn add(name: &str) -> Command {
    Command::Add(NewTask::titled(letter(name), Title::parse(name).unwrap()))
}

/// Sets the status of such a task.
pub fn set(name: &str, status: Status) -> Command {
    let edit = TaskEdit {
        status: Some(status),
        ..TaskEdit::default()
    };
    Command::Edit {
        task: TaskRef::from(letter(name)),
        edit,
    }
}

/// Writes and gives the outcome.
pub fn write(store: &Arc<dyn Store>, moment: &Moment, commands: Vec<Command>) -> Outcome {
    let at = moment.clone();
    let decide = Box::new(move |board: &Arc<Board>, presence: &dyn crate::Presence| {
        decide(board, &commands, &at, presence)
    });
    block_on(store.transact(&BOARD, moment, decide)).expect("the store works")
}

/// Reads the board.
pub fn read(store: &Arc<dyn Store>) -> Snapshot {
    block_on(store.read(
        &BOARD,
        Want {
            history: 10,
            presence: true,
        },
    ))
    .expect("the store works")
}

/// The titles in list order.
pub fn titles(board: &Board) -> String {
    board
        .in_order()
        .map(|task| task.title.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn a_new_board_is_empty_and_listed_nowhere(store: &Arc<dyn Store>) {
    let first = read(store);
    assert!(first.board.is_empty() && first.history.is_empty());
    assert_eq!(read(store).revision, first.revision);
}

fn what_was_written_is_read(store: &Arc<dyn Store>) {
    let outcome = write(
        store,
        &moment(1),
        vec![add("b"), add("a"), set("a", Status::InProgress)],
    );
    let change = outcome.verdict.expect("accepted");
    assert_eq!(change.tasks.len(), 2);
    assert!(
        change
            .tasks
            .iter()
            .all(|task| task.before.is_none() && task.after.is_some())
    );
    let snapshot = read(store);
    assert_eq!(snapshot.board, outcome.board);
    assert_eq!(titles(&snapshot.board), "b a");
    let task = snapshot.board.get(letter("a")).unwrap();
    assert_eq!(task.assignee, Some(SessionName::new("tester")));
    assert_eq!(
        (task.created, task.priority),
        (moment(1).at, Priority::Medium)
    );
    assert_eq!(block_on(store.boards()).unwrap(), [BOARD]);
}

fn a_refusal_changes_nothing(store: &Arc<dyn Store>) {
    write(store, &moment(1), vec![add("a")]);
    let before = read(store);
    let outcome = write(store, &moment(2), vec![set("x", Status::Done)]);
    assert!(matches!(outcome.verdict, Err(Refusal::TaskNotFound { .. })));
    assert_eq!(
        outcome.board, before.board,
        "a refusal carries the board it was decided on"
    );
    let after = read(store);
    assert_eq!(
        (after.board, after.revision),
        (before.board, before.revision)
    );
    assert_eq!(after.history, before.history);
}

fn a_request_is_applied_whole_or_not_at_all(store: &Arc<dyn Store>) {
    write(store, &moment(1), vec![add("a")]);
    let outcome = write(store, &moment(2), vec![add("b"), set("x", Status::Done)]);
    assert!(outcome.verdict.is_err());
    assert_eq!(titles(&read(store).board), "a");
}

fn an_empty_change_moves_no_revision(store: &Arc<dyn Store>) {
    write(store, &moment(1), vec![add("a"), set("a", Status::Done)]);
    let before = read(store);
    let outcome = write(store, &moment(2), vec![set("a", Status::Done)]);
    assert!(outcome.verdict.expect("accepted").is_empty());
    let after = read(store);
    assert_eq!(
        (after.board, after.revision),
        (before.board, before.revision)
    );
}

fn every_change_moves_the_revision(store: &Arc<dyn Store>) {
    let mut last = read(store).revision;
    for name in ["a", "b", "c"] {
        let outcome = write(store, &moment(1), vec![add(name)]);
        assert!(outcome.revision > last);
        last = outcome.revision;
        assert_eq!(read(store).revision, last);
    }
}

fn a_read_sees_the_writes_before_it(store: &Arc<dyn Store>) {
    let now = moment(1);
    let write = store.transact(&BOARD, &now, deciding(&now, add("a")));
    let read = store.read(&BOARD, Want::default());
    // Both are asked for before either is waited for, and the later one is waited for first.
    let read = block_on(read).expect("read");
    let write = block_on(write).expect("written");
    assert_eq!(titles(&read.board), "a");
    assert_eq!(titles(&write.board), "a");
}

fn deciding(now: &Moment, command: Command) -> crate::Decide {
    let (at, commands) = (now.clone(), vec![command]);
    Box::new(move |board, presence| decide(board, &commands, &at, presence))
}

fn one_refusal_in_a_crowd_fails_alone(store: &Arc<dyn Store>) {
    let now = moment(1);
    let asked: Vec<_> = [add("a"), set("x", Status::Done), add("b"), add("c")]
        .into_iter()
        .map(|command| store.transact(&BOARD, &now, deciding(&now, command)))
        .collect();
    let taken: Vec<bool> = asked
        .into_iter()
        .map(|promise| block_on(promise).expect("answered").verdict.is_ok())
        .collect();
    assert_eq!(taken, [true, false, true, true]);
    assert_eq!(titles(&read(store).board), "a b c");
}

fn writers_at_once_lose_nothing(store: &Arc<dyn Store>) {
    thread::scope(|scope| {
        for names in [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]] {
            scope.spawn(move || {
                for name in names {
                    write(store, &moment(1), vec![add(name)])
                        .verdict
                        .expect("accepted");
                }
            });
        }
    });
    assert_eq!(read(store).board.len(), 9);
}

fn waiting_ends_with_the_next_change(store: &Arc<dyn Store>) {
    let before = read(store).revision;
    thread::scope(|scope| {
        let waiting = scope.spawn(|| block_on(store.wait_past(&BOARD, before)).expect("woken"));
        let written = write(store, &moment(1), vec![add("a")]).revision;
        assert!(waiting.join().unwrap() >= written);
    });
    // A change that was there before the wait began ends it at once.
    let now = block_on(store.wait_past(&BOARD, before)).expect("woken");
    assert!(now > before);
}

fn history_tells_newest_first(store: &Arc<dyn Store>) {
    write(store, &moment(1), vec![add("a")]);
    let actor = Actor {
        client: Some("codex 1".to_owned()),
        ..Actor::session("other")
    };
    write(
        store,
        &Moment { actor, ..moment(2) },
        vec![set("a", Status::Done)],
    );
    write(
        store,
        &moment(3),
        vec![Command::Delete {
            task: TaskRef::from(letter("a")),
        }],
    );
    let history = read(store).history;
    let told: Vec<_> = history
        .iter()
        .map(|event| (event.by.as_str(), event.happening()))
        .collect();
    let expected = [
        ("tester", Happening::Deleted),
        ("other", Happening::StatusChanged(Status::Done)),
        ("tester", Happening::Created),
    ];
    assert_eq!(told, expected);
    assert_eq!(history[1].client.as_deref(), Some("codex 1"));
    assert_eq!(
        history[1].change.before.as_ref().unwrap().status,
        Status::Pending
    );
    let two = block_on(store.read(
        &BOARD,
        Want {
            history: 2,
            presence: false,
        },
    ))
    .unwrap();
    assert_eq!(two.history, history[..2]);
}

fn a_snapshot_does_not_change_under_its_reader(store: &Arc<dyn Store>) {
    write(store, &moment(1), vec![add("a")]);
    let snapshot = read(store);
    write(store, &moment(2), vec![add("b")]);
    assert_eq!(titles(&snapshot.board), "a");
}

fn two_openings_share_one_board(store: &Arc<dyn Store>, other: &Arc<dyn Store>) {
    write(store, &moment(1), vec![add("a")]);
    assert_eq!(titles(&read(other).board), "a");
    write(other, &moment(2), vec![add("b")]);
    write(store, &moment(3), vec![add("c")]);
    assert_eq!(titles(&read(store).board), "a b c");
    assert_eq!(read(other).board, read(store).board);
}

fn waiting_ends_when_somebody_else_writes(store: &Arc<dyn Store>, other: &Arc<dyn Store>) {
    let before: Revision = read(store).revision;
    thread::scope(|scope| {
        let waiting = scope.spawn(|| block_on(store.wait_past(&BOARD, before)).expect("woken"));
        write(other, &moment(4), vec![add("d")]);
        assert!(waiting.join().unwrap() > before);
    });
    assert!(read(store).board.get(letter("d")).is_some());
}
