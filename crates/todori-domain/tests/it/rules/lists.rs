//! The order of a list, and a list that is replaced as a whole.

use std::sync::Arc;

use todori_domain::testing::{letter, moment, task};
use todori_domain::{Board, Command, Item, NobodyElse, Rank, Stage, Title, decide};

use super::{board, show, told};

#[test]
fn a_new_order_names_every_task_that_can_be_seen_once() {
    let order = |names: &str| Command::Reorder {
        order: names.split(' ').map(|name| letter(name).into()).collect(),
        new: vec![letter("d")],
    };
    assert_eq!(told("a b c", order("c a b")), "c a b");
    assert_eq!(
        told("a b- c e", order("e c a")),
        "e b- c a",
        "what can't be seen stays where it is"
    );
    assert_eq!(
        told("a b c d", order("b a c")),
        "b a c d",
        "what is new may be left out, and goes last"
    );
    assert_eq!(told("a d e", order("e a")), "e a d");
    assert_eq!(
        told("a b c", order("a b")),
        "refused: order lacks c repeats "
    );
    assert_eq!(
        told("a b", order("a b a")),
        "refused: order lacks  repeats a"
    );
    assert_eq!(
        told("a b", order("a b z")),
        format!("refused: no task {}", letter("z"))
    );
}

#[test]
fn moving_one_task_changes_one_task() {
    let order = ["c", "a", "b", "d"]
        .map(|name| letter(name).into())
        .to_vec();
    let command = Command::Reorder {
        order,
        new: Vec::new(),
    };
    let decision = decide(&board("a b c d"), &[command], &moment(1), &NobodyElse).unwrap();
    assert_eq!(decision.change.tasks.len(), 1);
    assert_eq!(show(&decision.board), "c a b d");
}

#[test]
fn an_order_among_equal_ranks_ranks_that_run_anew() {
    let same = |name: &str| {
        let mut made = task(name);
        made.rank = Rank::parse("a5").unwrap();
        Arc::new(made)
    };
    let board = Arc::new(Board::from_tasks(["a", "b", "c"].map(same)));
    let order = ["b", "c", "a"].map(|name| letter(name).into()).to_vec();
    let command = Command::Reorder {
        order,
        new: Vec::new(),
    };
    let decision = decide(&board, &[command], &moment(1), &NobodyElse).unwrap();
    assert_eq!(show(&decision.board), "b c a");
}

#[test]
fn a_whole_list_is_replaced_and_what_was_there_stays_the_same_task() {
    let item = |name: &str, id: &str, stage| Item {
        id: letter(id),
        title: Title::parse(name).unwrap(),
        active_form: None,
        stage,
    };
    let replace = |items: Vec<Item>| Command::Replace { items };
    let items = vec![
        item("c", "x", Stage::Completed),
        item("n", "n", Stage::InProgress),
        item("a", "y", Stage::Pending),
    ];
    assert_eq!(told("a b c", replace(items)), "c+ n* a");
    assert_eq!(told("a b", replace(Vec::new())), "");
    let same = vec![
        item("a", "x", Stage::Pending),
        item("a", "y", Stage::Pending),
    ];
    assert_eq!(
        told("", replace(same)),
        "x y",
        "the same words twice are two items"
    );
    let two = vec![
        item("a", "x", Stage::InProgress),
        item("b", "y", Stage::InProgress),
    ];
    assert_eq!(told("c", replace(two)), "refused: 2 in progress");
}
