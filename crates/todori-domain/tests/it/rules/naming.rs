//! Which task is meant: by the beginning of its id, its place or its title.

use std::sync::Arc;

use todori_domain::testing::{letter, moment, task};
use todori_domain::{Board, Command, NobodyElse, Status, TaskId, TaskRef, Title, Which, decide};

use super::{show, told, words};

#[test]
fn a_prefix_names_a_task_if_it_is_the_only_one() {
    let two = |first, second| {
        let mut other = task(first);
        other.id = TaskId::parse(second).unwrap();
        Board::from_tasks([Arc::new(task(first)), Arc::new(other)])
    };
    let board = two("a", "61616161-1111-4111-8111-111111111111");
    let found = |given: &str| {
        board
            .resolve(&TaskRef::new(given))
            .map(|task| task.id)
            .map_err(|refusal| words(&refusal))
    };
    assert_eq!(found("61616161-0"), Ok(letter("a")));
    assert_eq!(found("6161"), Err("6161 means 2: a a".to_owned()));
    assert_eq!(found("616"), Err("no task 616".to_owned()));
    assert_eq!(found("7777"), Err("no task 7777".to_owned()));
    assert_eq!(board.short_id(letter("a"), 6), "61616161-0");
}

#[test]
fn a_task_is_completed_by_id_place_or_title() {
    let complete = |which| Command::Complete {
        which,
        completed: true,
    };
    assert_eq!(
        told("a b-", complete(Which::Id(letter("a").into()))),
        "a+ b-"
    );
    assert_eq!(
        told("a- b c", complete(Which::Place(1))),
        "a- b+ c",
        "places count what can be seen"
    );
    assert_eq!(
        told("a b", complete(Which::Place(3))),
        "refused: place 3 of 2"
    );
    assert_eq!(
        told("a b", complete(Which::Place(0))),
        "refused: place 0 of 2"
    );
    assert_eq!(told("a b", complete(Which::Title("A".to_owned()))), "a+ b");
    assert_eq!(
        told("a b", complete(Which::Title("z".to_owned()))),
        "refused: no title z"
    );
    let reopen = Command::Complete {
        which: Which::Place(1),
        completed: false,
    };
    assert_eq!(told("a+ b", reopen.clone()), "a b");
    assert_eq!(
        told("a# b", reopen),
        "a# b",
        "what is not done stays as it is"
    );
}

#[test]
fn a_title_is_exact_or_the_only_one_that_contains_it() {
    let titled = |name: &str, title: &str| {
        let mut made = task(name);
        made.title = Title::parse(title).unwrap();
        made
    };
    let mut done = titled("c", "Buy oat milk");
    done.status = Status::Done;
    let tasks = [
        titled("a", "Buy milk"),
        titled("b", "Buy milk and bread"),
        done,
    ];
    let board = Arc::new(Board::from_tasks(tasks.map(Arc::new)));
    let check = |given: &str, expected: &str| {
        let command = Command::Complete {
            which: Which::Title(given.to_owned()),
            completed: true,
        };
        let told = match decide(&board, &[command], &moment(1), &NobodyElse) {
            Ok(decision) => show(&decision.board),
            Err(refusal) => format!("refused: {}", words(&refusal)),
        };
        assert_eq!(told, expected, "{given}");
    };
    check("buy milk", "a+ b c+");
    check("BREAD", "a b+ c+");
    check("Buy milk", "a+ b c+");
    check("milk", "refused: milk could be 2: a b");
    check("oat", "a b c+");
}
