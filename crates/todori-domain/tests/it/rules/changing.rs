//! Tasks and subtasks that change: who has them, and what counts as a change.

use std::collections::BTreeSet;
use std::sync::Arc;

use todori_domain::testing::{letter, moment};
use todori_domain::{
    Actor, Board, Command, Description, Moment, NobodyElse, SessionName, Stage, Status,
    SubtaskEdit, SubtaskRef, Task, TaskEdit, Title, decide,
};

use super::{board, command, told, words};

#[test]
fn starting_a_task_gives_it_to_the_session_and_leaving_frees_it() {
    let start = decide(&board("a"), &[command("a*")], &moment(1), &NobodyElse).unwrap();
    let task = start.board.get(letter("a")).unwrap();
    assert_eq!(task.assignee, Some(SessionName::new("tester")));
    let done = decide(&start.board, &[command("a+")], &moment(2), &NobodyElse).unwrap();
    let task = done.board.get(letter("a")).unwrap();
    assert_eq!(
        (task.assignee.clone(), task.completed),
        (None, Some(moment(2).at))
    );
    let reopened = decide(&done.board, &[command("a")], &moment(3), &NobodyElse).unwrap();
    assert_eq!(reopened.board.get(letter("a")).unwrap().completed, None);
}

#[test]
fn a_started_task_stays_with_a_live_session_and_is_taken_over_from_a_dead_one() {
    let start = decide(&board("a"), &[command("a*")], &moment(1), &NobodyElse).unwrap();
    let second = Moment {
        actor: Actor::session("second"),
        ..moment(2)
    };
    let live: BTreeSet<_> = [SessionName::new("tester")].into();
    let kept = decide(&start.board, &[command("a*")], &second, &live).unwrap();
    assert!(kept.change.is_empty());
    let taken = decide(&start.board, &[command("a*")], &second, &NobodyElse).unwrap();
    let task = taken.board.get(letter("a")).unwrap();
    assert_eq!(task.assignee, Some(SessionName::new("second")));
}

#[test]
fn what_is_set_to_what_it_is_does_not_change() {
    let board = board("a+ b>a");
    let same = [command("a+"), command("b>a")];
    let mut done = Task::clone(board.get(letter("a")).unwrap());
    done.completed = Some(moment(1).at);
    let mut with_time = Board::clone(&board);
    with_time.put(Arc::new(done));
    let decision = decide(&Arc::new(with_time), &same, &moment(5), &NobodyElse).unwrap();
    assert!(decision.change.is_empty(), "{:?}", decision.change);
}

#[test]
fn what_is_changed_back_within_a_request_is_no_change() {
    let decision = decide(
        &board("a"),
        &[command("a*"), command("a")],
        &moment(5),
        &NobodyElse,
    )
    .unwrap();
    assert!(decision.change.is_empty());
}

#[test]
fn a_state_of_three_leaves_what_already_looks_so() {
    let edit = |stage| Command::Edit {
        task: letter("a").into(),
        edit: TaskEdit {
            stage: Some(stage),
            ..TaskEdit::default()
        },
    };
    assert_eq!(told("a#", edit(Stage::Pending)), "a#");
    assert_eq!(told("a#", edit(Stage::Completed)), "a+");
    assert_eq!(told("a-", edit(Stage::Pending)), "a");
}

#[test]
fn numbers_of_subtasks_are_never_reused() {
    let add = |title: &str| Command::AddSubtask {
        task: letter("a").into(),
        title: Title::parse(title).unwrap(),
        description: Description::parse("more").unwrap(),
    };
    let subtask = |number| SubtaskRef {
        task: letter("a").into(),
        number,
    };
    let delete = |number| Command::DeleteSubtask {
        subtask: subtask(number),
    };
    let commands = [add("one"), add("two"), delete(2), add("three")];
    let decision = decide(&board("a"), &commands, &moment(1), &NobodyElse).unwrap();
    let numbers = |board: &Board| {
        let task = board.get(letter("a")).unwrap();
        task.subtasks
            .iter()
            .map(|subtask| subtask.number)
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&decision.board), [1, 3]);
    let edit = SubtaskEdit {
        status: Some(Status::Done),
        ..SubtaskEdit::default()
    };
    let edit = |number| Command::EditSubtask {
        subtask: subtask(number),
        edit: edit.clone(),
    };
    let refused = decide(&decision.board, &[edit(2)], &moment(2), &NobodyElse).unwrap_err();
    assert_eq!(words(&refused), "no subtask 2 in [1, 3]");
    let edited = decide(&decision.board, &[edit(3)], &moment(2), &NobodyElse).unwrap();
    assert_eq!(edited.board.get(letter("a")).unwrap().open_subtasks(), 1);
}
