//! Which task comes next and why, and the figures about a board.

use std::collections::BTreeSet;
use std::sync::Arc;

use todori_domain::testing::name_of;
use todori_domain::{Board, NextFilter, SessionName, Stats, Status, Task, recommend};

use super::board;

/// What is recommended to session `tester`, while session `live` is alive; tasks in progress belong to `holder`.
fn check_next(tasks: &str, holder: &str, expected: &str) {
    let mut board = Board::clone(&board(tasks));
    let started = board
        .in_order()
        .filter(|task| task.status == Status::InProgress);
    let started: Vec<Task> = started.map(|task| Task::clone(task)).collect();
    for mut task in started {
        task.assignee = Some(SessionName::new(holder));
        board.put(Arc::new(task));
    }
    let live: BTreeSet<_> = [SessionName::new("live"), SessionName::new("tester")].into();
    let next = recommend(
        &board,
        &NextFilter::default(),
        &SessionName::new("tester"),
        &live,
    );
    let name = next.task.map_or("none".to_owned(), |task| name_of(task.id));
    assert_eq!(format!("{name}: {}", next.rationale), expected);
}

#[test]
fn the_next_task_is_the_best_one_that_is_free() {
    check_next(
        "a! b",
        "",
        "a: Recommended: high priority, no dependencies, topologically first",
    );
    check_next(
        "a b!",
        "",
        "b: Recommended: high priority, no dependencies, topologically first",
    );
    check_next(
        "a b>a c+",
        "",
        "a: Recommended: medium priority, no dependencies, topologically first, 1 task waits for it",
    );
    check_next(
        "a+ b>a",
        "",
        "b: Recommended: medium priority, all dependencies completed",
    );
    check_next(
        "a- b>a",
        "",
        "b: Recommended: medium priority, all dependencies completed",
    );
    check_next(
        "x a b>a c>a",
        "",
        "a: Recommended: medium priority, no dependencies, topologically first, 2 tasks wait for it",
    );
}

#[test]
fn what_was_begun_comes_first_unless_somebody_else_has_it() {
    let own = "b: Recommended: you have it in progress, medium priority, no dependencies, topologically first";
    check_next("a! b*", "tester", own);
    let left = "b: Recommended: left in progress by a session that ended, medium priority, no dependencies, topologically first";
    check_next("a! b*", "gone", left);
    check_next(
        "a b!*",
        "live",
        "a: Recommended: medium priority, no dependencies, topologically first",
    );
    check_next(
        "a b!*",
        "person:ada",
        "a: Recommended: medium priority, no dependencies, topologically first",
    );
}

#[test]
fn where_nothing_is_ready_the_reason_is_said() {
    check_next("", "", "none: No task is ready: the list is empty");
    check_next("a+ b-", "", "none: No task is ready: everything is done");
    check_next(
        "a# b>a",
        "",
        "none: No task is ready: 1 waits for open dependencies",
    );
    check_next("a#", "", "none: No task is ready: 1 is blocked");
    check_next(
        "a* b>a c>a",
        "live",
        "none: No task is ready: 2 wait for open dependencies, 1 is in progress in another session",
    );
}

#[test]
fn stats_count_what_is_held_up_and_how_deep() {
    let stats = Stats::of(&board("a b>a c>b d# e>d+ f+ g+>a"));
    assert_eq!(stats.progress.held_up, 4, "b, c, d and e");
    assert_eq!(stats.max_depth, 2);
    assert!((stats.average_dependencies - 0.6).abs() < 1e-9);
    assert!(stats.average_completion_days.abs() < 1e-9);
}
