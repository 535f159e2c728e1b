//! What tasks wait for, and what happens to a request that has a part that is refused.

use todori_domain::testing::letter;

use super::check;

#[test]
fn a_task_may_not_wait_for_itself_through_others() {
    check("a>b b>c c", "c>a", "refused: cycle c a b");
    check("a", "a>a", "refused: cycle a");
    check("a>b b c", "c>a", "a>b b c>a");
}

#[test]
fn a_task_waits_only_for_tasks_that_exist() {
    check(
        "a",
        "a>z",
        &format!("refused: no dependency {}", letter("z")),
    );
}

#[test]
fn what_was_waited_for_and_is_gone_may_stay() {
    check("a>z", "a>z", "a>z");
    check("a>z b", "a>z,b", "a>z,b b");
}

#[test]
fn the_same_dependency_twice_counts_once() {
    check("a b", "a>b,b", "a>b b");
}

#[test]
fn deleting_a_task_frees_those_that_wait_for_it() {
    check("a b>a c>a,b", "~a", "b c>b");
    check("a", "~a ~a", &format!("refused: no task {}", letter("a")));
}

#[test]
fn one_refusal_refuses_the_whole_request() {
    let nobody = format!("refused: no task {}", letter("x"));
    check("a", "?b ~x", &nobody);
    check("a", "~x ?b", &nobody);
}
