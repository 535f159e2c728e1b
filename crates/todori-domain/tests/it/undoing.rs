//! Moving tasks, and taking changes back without losing what others did since.

use std::sync::Arc;

use todori_domain::testing::{events_of, letter, moment};
use todori_domain::{
    Board, Command, NewTask, NobodyElse, Place, Priority, Refusal, Status, TaskChange, TaskEdit,
    Title, decide, decide_undo,
};

fn titled(name: &str) -> Command {
    Command::Add(NewTask::titled(letter(name), Title::parse(name).unwrap()))
}

fn board(names: &str) -> Arc<Board> {
    let commands: Vec<Command> = names.split_whitespace().map(titled).collect();
    let empty = Arc::new(Board::default());
    decide(&empty, &commands, &moment(1), &NobodyElse)
        .unwrap()
        .board
}

fn edit(name: &str, change: impl FnOnce(&mut TaskEdit)) -> Command {
    let mut edit = TaskEdit::default();
    change(&mut edit);
    Command::Edit {
        task: letter(name).into(),
        edit,
    }
}

fn done(name: &str) -> Command {
    edit(name, |edit| edit.status = Some(Status::Done))
}

/// The titles in order; what is done has a mark, and so has what matters most.
fn show(board: &Board) -> String {
    let show = |task: &Arc<todori_domain::Task>| {
        let done = if task.status == Status::Done { "+" } else { "" };
        let high = if task.priority == Priority::High {
            "!"
        } else {
            ""
        };
        let waits = task.waits_for.len();
        let waits = if waits > 0 { ">" } else { "" };
        format!("{}{done}{high}{waits}", task.title.as_str())
    };
    board.in_order().map(show).collect::<Vec<_>>().join(" ")
}

fn check_move(name: &str, to: Place, expected: &str) {
    let task = letter(name).into();
    let moved = decide(
        &board("a b c d"),
        &[Command::Move { task, to }],
        &moment(2),
        &NobodyElse,
    )
    .unwrap();
    assert_eq!(show(&moved.board), expected);
    let changed = moved.change.tasks.iter();
    assert!(
        changed
            .map(TaskChange::id)
            .all(|id| id == Some(letter(name))),
        "moving a task changes that task only"
    );
}

#[test]
fn a_task_goes_where_it_is_told() {
    check_move("c", Place::First, "c a b d");
    check_move("b", Place::Last, "a c d b");
    check_move("d", Place::Before(letter("b").into()), "a d b c");
    check_move("a", Place::After(letter("c").into()), "b c a d");
    check_move("a", Place::After(letter("a").into()), "a b c d");
    check_move("a", Place::First, "a b c d");
}

/// Does `first`, then `later`, and takes `first` back.
fn check_undo(first: &[Command], later: &[Command], expected: &str) {
    let before = board("a b c");
    let one = decide(&before, first, &moment(2), &NobodyElse).unwrap();
    let two = decide(&one.board, later, &moment(3), &NobodyElse).unwrap();
    let past = events_of(&one.change);
    let told = match decide_undo(&two.board, &past, &moment(4), &NobodyElse) {
        Ok(decision) => show(&decision.board),
        Err(Refusal::ChangedSince { tasks }) => {
            let names = ["a", "b", "c", "d"].into_iter();
            let lost: Vec<&str> = names.filter(|name| tasks.contains(&letter(name))).collect();
            format!("changed since: {}", lost.join(" "))
        }
        Err(other) => format!("{other:?}"),
    };
    assert_eq!(told, expected);
}

fn delete(name: &str) -> Command {
    Command::Delete {
        task: letter(name).into(),
    }
}

fn wait(name: &str, other: &str) -> Command {
    edit(name, |edit| {
        edit.waits_also_for = vec![letter(other).into()];
    })
}

#[test]
fn a_change_is_taken_back_and_what_others_did_to_other_fields_stays() {
    check_undo(&[done("a")], &[], "a b c");
    let high = edit("a", |edit| edit.priority = Some(Priority::High));
    check_undo(&[done("a")], &[high], "a! b c");
    check_undo(&[done("a")], &[titled("d"), delete("b")], "a c d");
}

#[test]
fn nothing_is_taken_back_that_would_undo_what_came_later() {
    let again = edit("a", |edit| edit.status = Some(Status::Blocked));
    check_undo(&[done("a")], &[again], "changed since: a");
    check_undo(&[done("a"), done("b")], &[delete("b")], "changed since: b");
    check_undo(&[titled("d")], &[done("d")], "changed since: d");
    // The one that has come to wait for it.
    check_undo(&[titled("d")], &[wait("a", "d")], "changed since: a");
}

#[test]
fn what_was_deleted_comes_back_with_everything_that_waited_for_it() {
    check_undo(&[delete("a")], &[], "a b c");
    let before = [wait("b", "a"), delete("a")];
    let linked = decide(&board("a b c"), &before[..1], &moment(2), &NobodyElse).unwrap();
    let gone = decide(&linked.board, &before[1..], &moment(3), &NobodyElse).unwrap();
    assert_eq!(show(&gone.board), "b c");
    let past = events_of(&gone.change);
    let back = decide_undo(&gone.board, &past, &moment(4), &NobodyElse);
    assert_eq!(show(&back.unwrap().board), "a b> c");
}

#[test]
fn a_cycle_is_not_brought_back() {
    let free = edit("a", |edit| {
        edit.waits_no_longer_for = vec![letter("b").into()];
    });
    let linked = decide(&board("a b c"), &[wait("a", "b")], &moment(2), &NobodyElse).unwrap();
    let freed = decide(&linked.board, &[free], &moment(3), &NobodyElse).unwrap();
    let turned = decide(&freed.board, &[wait("b", "a")], &moment(4), &NobodyElse).unwrap();
    let past = events_of(&freed.change);
    let back = decide_undo(&turned.board, &past, &moment(5), &NobodyElse);
    assert!(matches!(back, Err(Refusal::Cycle { .. })));
}
