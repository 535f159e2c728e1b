//! Tasks that are added: where they go, what they bring along, and what is there already.

use std::sync::Arc;

use todori_domain::testing::{letter, moment, second, task};
use todori_domain::{
    Board, Command, NewTask, NobodyElse, OnDuplicate, Past, Rank, SessionName, Status, Subtask,
    Title, decide,
};

use super::{board, check, command, show, told};

#[test]
fn what_is_added_goes_last() {
    check("", "?a ?b", "a b");
    check("a b", "?0", "a b 0");
}

#[test]
fn tasks_without_a_rank_get_one_before_something_is_added_behind_them() {
    let mut by_hand = task("b");
    by_hand.rank = Rank::unset();
    let mut board = Board::clone(&board("a"));
    board.put(Arc::new(by_hand));
    let decision = decide(&Arc::new(board), &[command("?c")], &moment(1), &NobodyElse).unwrap();
    assert_eq!(show(&decision.board), "a b c");
    assert!(decision.board.in_order().all(|task| !task.rank.is_unset()));
    let filled = decision.board.get(letter("b")).unwrap();
    assert_eq!(filled.updated, task("b").updated, "nobody changed it");
}

#[test]
fn what_is_on_the_board_already_is_not_added_again_if_so_asked() {
    let add = |name: &str, id: &str| {
        let new = NewTask::titled(letter(id), Title::parse(name).unwrap());
        Command::Add(NewTask {
            on_duplicate: OnDuplicate::Skip,
            ..new
        })
    };
    assert_eq!(told("a b+", add("a", "x")), "a b+");
    assert_eq!(
        told("a b+", add("b", "x")),
        "a b+ x",
        "what is done may be wanted again"
    );
}

#[test]
fn a_task_that_is_there_is_not_added_over_itself() {
    check("a+ b>a", "?a", "a+ b>a");
}

/// A task with a past: two subtasks, done long ago.
fn with_past(name: &str) -> NewTask {
    let subtask = |number, title: &str| Subtask {
        number,
        title: Title::parse(title).unwrap(),
        description: None,
        status: Status::Done,
    };
    NewTask {
        active_form: Some(Title::parse("Doing it").unwrap()),
        status: Status::Done,
        subtasks: vec![
            subtask(4, "four"),
            subtask(2, "two"),
            subtask(2, "two again"),
        ],
        past: Some(Past {
            created: Some(second(1)),
            updated: Some(second(3)),
            completed: Some(second(2)),
            assignee: Some(SessionName::new("somebody")),
            next_subtask: 9,
        }),
        ..NewTask::titled(letter(name), Title::parse(name).unwrap())
    }
}

#[test]
fn a_task_may_bring_its_past_along() {
    let before = board("a");
    // What it waits for may come after it; that is no later change.
    let commands = [
        Command::Add(with_past("x")),
        Command::Add(NewTask::titled(letter("y"), Title::parse("y").unwrap())),
        command("x>y"),
    ];
    let decision = decide(&before, &commands, &moment(9), &NobodyElse).unwrap();
    assert_eq!(show(&decision.board), "a x+>y y");
    let task = decision.board.get(letter("x")).unwrap();
    assert_eq!(
        (task.created, task.updated, task.completed),
        (second(1), second(3), Some(second(2)))
    );
    let numbers: Vec<u32> = task.subtasks.iter().map(|subtask| subtask.number).collect();
    assert_eq!((numbers, task.next_subtask), (vec![2, 4], 9));
    assert_eq!(task.active_form.as_ref().unwrap().as_str(), "Doing it");
    assert_eq!(task.assignee, None, "nobody has what is done");
}

#[test]
fn what_was_begun_elsewhere_is_not_taken_by_who_adds_it() {
    let begun = |assignee: Option<&str>| {
        let mut new = with_past("x");
        new.status = Status::InProgress;
        new.past.as_mut().unwrap().assignee = assignee.map(SessionName::new);
        let decision = decide(&board(""), &[Command::Add(new)], &moment(9), &NobodyElse).unwrap();
        let task = decision.board.get(letter("x")).unwrap();
        assert_eq!(task.completed, None);
        task.assignee.clone()
    };
    assert_eq!(begun(None), None);
    assert_eq!(begun(Some("them")), Some(SessionName::new("them")));
}

#[test]
fn what_is_not_known_of_a_past_is_now() {
    let new = NewTask {
        past: Some(Past::default()),
        status: Status::Done,
        ..NewTask::titled(letter("x"), Title::parse("x").unwrap())
    };
    let decision = decide(&board(""), &[Command::Add(new)], &moment(9), &NobodyElse).unwrap();
    let task = decision.board.get(letter("x")).unwrap();
    assert_eq!(
        (
            task.created,
            task.updated,
            task.completed,
            task.next_subtask
        ),
        (second(9), second(9), Some(second(9)), 1)
    );
}
