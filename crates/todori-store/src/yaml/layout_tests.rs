//! Texts that people and other programs write and we would not: everything around the changed task stays, byte for byte.

use std::sync::Arc;

use todori_domain::testing::conformance::{add, set};
use todori_domain::testing::{letter, moment};
use todori_domain::{Board, Command, NobodyElse, Status, Timestamp, decide};

use super::blocks::Loaded;
use super::emit;

const WRITTEN: Timestamp = Timestamp::UNIX_EPOCH;
pub(super) const A: &str = "61616161-0000-0000-0000-000000000000";
pub(super) const B: &str = "62626262-0000-0000-0000-000000000000";
const C: &str = "63636363-0000-0000-0000-000000000000";

pub(super) fn read(text: &str) -> Loaded {
    Loaded::read(text.to_owned(), WRITTEN).unwrap_or_else(|fault| panic!("{fault:?} in\n{text}"))
}

/// Makes a change and gives the file as it is then, after checking that it is read back.
pub(super) fn written(text: &str, commands: &[Command]) -> String {
    let mut loaded = read(text);
    let decision = decide(&loaded.board, commands, &moment(5), &NobodyElse).unwrap();
    let plan = loaded.plan(
        &decision.change,
        &decision.board,
        &std::collections::BTreeMap::new(),
    );
    let plan = plan.unwrap_or_else(|id| panic!("{id} can't be written in\n{text}"));
    let pieces = loaded.pieces(&plan).concat();
    loaded.apply(plan, decision.board);
    assert_eq!(
        loaded.bytes(),
        pieces,
        "what is in memory is what is written"
    );
    let bytes = String::from_utf8(pieces).unwrap();
    let again = read(&bytes);
    assert_eq!(again.board, loaded.board, "{bytes}");
    assert!(again.is_ours(), "{bytes}");
    bytes
}

/// A task in canonical form.
fn block(id: &str, title: &str, rank: &str) -> String {
    let time = "2026-11-15T07:00:00.000Z";
    format!(
        "  {id}:\n    created: {time}\n    title: {title}\n    status: pending\n    priority: medium\n    rank: \"{rank}\"\n    updated: {time}\n"
    )
}

/// The same after it was set to done.
fn done(block: &str) -> String {
    let at = "2026-11-15T07:00:05.000Z";
    block.replace("status: pending", "status: done").replace(
        "    updated: 2026-11-15T07:00:00.000Z",
        &format!("    completed: {at}\n    updated: {at}"),
    )
}

/// Whatever is done to task `a`, all other bytes stay.
fn check_stays(before: &str, after: &str) {
    let a = block(A, "a", "a0");
    assert!(read(&format!("{before}{a}{after}")).is_ours(), "{before}");
    assert_eq!(
        written(&format!("{before}{a}{after}"), &[set("a", Status::Done)]),
        format!("{before}{}{after}", done(&a))
    );
    let b = block(B, "b", "a1").replace("2026-11-15T07:00:00.000Z", "2026-11-15T07:00:05.000Z");
    assert_eq!(
        written(&format!("{before}{a}{after}"), &[add("b")]),
        format!("{before}{a}{b}{after}")
    );
}

#[test]
fn what_stands_around_the_tasks_stays() {
    check_stays("version: 1\ntasks:\n", "");
    check_stays("version: 1\ntasks:   \n", "");
    check_stays("version: 1\ntasks:  # all that is to do\n", "");
    check_stays("tasks:\n", "");
    check_stays("# top\n\ntasks:\n", "");
    check_stays("version: 1\ntasks:\n", "# the end\n");
    check_stays("version: 1\ntasks:\n", "\n\n# the end\n\n");
    check_stays(
        "version: 1\ntasks:\n",
        "# now the team\nteam: [x, y]  # us\n",
    );
    check_stays("tasks:\n", "version: 1\n");
    check_stays(
        "version: 1\nteam:\n  - x\ntasks:\n",
        "more: |\n  text\n  # text\n",
    );
    check_stays("version: 1\ntasks:\n# above\n  # the\n\n     # first\n", "");
    check_stays("---\nversion: 1\ntasks:\n", "...\n");
    check_stays("\u{feff}version: 1\ntasks:\n", "");
}

#[test]
fn a_last_line_without_an_end_gets_one() {
    let a = block(A, "a", "a0");
    let text = format!("version: 1\ntasks:\n{a}");
    let unended = text.trim_end();
    assert!(read(unended).is_ours());
    assert_eq!(read(unended).bytes(), unended.as_bytes());
    assert_eq!(
        written(unended, &[set("a", Status::Done)]),
        format!("version: 1\ntasks:\n{}", done(&a))
    );
    let remarked = format!("{text}# the end");
    assert_eq!(
        written(&remarked, &[set("a", Status::Done)]),
        format!("version: 1\ntasks:\n{}# the end\n", done(&a))
    );
}

#[test]
fn lines_of_windows_stay_so() {
    let (a, b) = (block(A, "a", "a0"), block(B, "b  # why", "a1"));
    let text = |a: &str| format!("# ours\nversion: 1\ntasks: # all\n# first\n{a}{b}# the end\n");
    let windows = |text: String| text.replace('\n', "\r\n");
    assert!(read(&windows(text(&a))).is_ours());
    assert_eq!(
        written(&windows(text(&a)), &[set("a", Status::Done)]),
        windows(text(&done(&a)))
    );
    // Where the ends are mixed, they all become ours; nothing else changes.
    let mixed = text(&a).replace("status: pending\n", "status: pending\r\n");
    assert_eq!(written(&mixed, &[set("a", Status::Done)]), text(&done(&a)));
}

#[test]
fn the_last_task_to_go_leaves_the_remarks() {
    let a = block(A, "a", "a0");
    let delete = Command::Delete {
        task: letter("a").into(),
    };
    let text = format!("version: 1\ntasks:  # all\n  # first\n{a}# the end\n");
    let empty = "version: 1\ntasks: {}  # all\n  # first\n# the end\n";
    assert_eq!(written(&text, &[delete]), empty);
    assert!(read(empty).is_ours());
    let again = written(empty, &[add("a")]);
    assert!(
        again.starts_with("version: 1\ntasks:  # all\n  61616161-")
            && again.ends_with("\n  # first\n# the end\n"),
        "{again}"
    );
}

#[test]
fn a_file_without_tasks_keeps_its_words() {
    for text in [
        "# nothing yet\n",
        "# nothing\n\n# yet",
        "version: 1  # one\n# more\n",
        "team: us  # we\n",
        "version: 1\ntasks: []  # none\n# end\n",
        "version: 1\ntasks: ~  # none\nteam: us\n",
    ] {
        let now = written(text, &[add("c")]);
        let words = text
            .split('#')
            .skip(1)
            .map(|rest| rest.lines().next().unwrap());
        for comment in words {
            assert!(
                now.contains(&format!("#{comment}\n")),
                "{comment} in\n{now}"
            );
        }
        assert_eq!(now.contains("team: us"), text.contains("team: us"));
        assert!(now.contains(C));
    }
}

#[test]
fn blanks_that_are_part_of_a_text_stay() {
    let a = block(A, "a", "a0").replace(
        "    status:",
        "    description: |\n      one\n          \n      two\n       \n    status:",
    );
    let text = format!("version: 1\ntasks:\n{a}");
    assert_eq!(
        written(&text, &[set("a", Status::Done)]),
        format!("version: 1\ntasks:\n{}", done(&a))
    );
}

#[test]
fn blank_lines_that_a_text_keeps_are_its_own() {
    let text = format!(
        "version: 1\ntasks:\n  {A}:\n    title: a\n    description: |+\n      one\n\n\n  {B}:\n    title: b\n    description: >+\n      two\n\n"
    );
    let loaded = read(&text);
    assert!(loaded.is_ours());
    let description = |loaded: &Loaded, name: &str| {
        let task = loaded.board.get(letter(name)).unwrap();
        task.description.as_ref().unwrap().as_str().to_owned()
    };
    assert_eq!(description(&loaded, "a"), "one\n\n\n");
    assert_eq!(description(&loaded, "b"), "two\n\n");
    for name in ["a", "b"] {
        let now = written(&text, &[set(name, Status::Done), add("c")]);
        assert_eq!(description(&read(&now), "a"), "one\n\n\n", "{now}");
        assert_eq!(description(&read(&now), "b"), "two\n\n", "{now}");
    }
    // A difference that makes the blank lines at the end a part of the text is read as all of it is.
    let plain = text.replace(">+", ">");
    let again = read(&plain).read_again(text, WRITTEN).unwrap();
    assert_eq!(description(&again, "b"), "two\n\n");
}

#[test]
fn a_comment_beside_a_value_that_changes_stays_beside_it() {
    let a = block(A, "a", "a0").replace("pending\n", "pending  # until Monday\n");
    let text = format!("version: 1\ntasks:\n{a}");
    assert_eq!(
        written(&text, &[set("a", Status::Done)]),
        format!("version: 1\ntasks:\n{}", done(&a))
    );
}

#[test]
fn comments_within_a_list_that_changes_stay_with_the_task() {
    let subtasks = "    subtasks:  # in order
      1:
        title: one  # first
        status: pending
        # so far
      2: two
    next_subtask: 3
";
    let a = block(A, "a", "a0").replace("    updated:", &format!("{subtasks}    updated:"));
    let text = format!("version: 1\ntasks:\n{a}");
    let subtask = todori_domain::SubtaskRef {
        task: letter("a").into(),
        number: 2,
    };
    let now = written(&text, &[Command::DeleteSubtask { subtask }]);
    for mark in ["# in order", "# first", "# so far"] {
        assert!(now.contains(mark), "{mark} is lost in\n{now}");
    }
}

#[test]
fn a_field_whose_old_text_no_longer_fits_is_written_anew() {
    // A number that is too low is read as the next free one; with the last subtask gone it would be read as another.
    let subtasks = "    subtasks:\n      1: one\n      2: two\n    next_subtask: 1  # so low\n    effort: 010\n";
    let a = block(A, "a", "a0").replace("    updated:", &format!("{subtasks}    updated:"));
    let subtask = todori_domain::SubtaskRef {
        task: letter("a").into(),
        number: 2,
    };
    let now = written(
        &format!("version: 1\ntasks:\n{a}"),
        &[Command::DeleteSubtask { subtask }],
    );
    for mark in ["next_subtask: 3\n", "# so low\n", "effort: 010\n"] {
        assert!(now.contains(mark), "{mark} is lost in\n{now}");
    }
}

#[test]
fn an_id_that_somebody_put_into_a_task_stays() {
    let a = block(A, "a", "a0").replace("    status:", "    id: 12  # theirs\n    status:");
    let text = format!("version: 1\ntasks:\n{a}");
    assert_eq!(
        written(&text, &[set("a", Status::Done)]),
        format!("version: 1\ntasks:\n{}", done(&a))
    );
}

#[test]
fn many_changes_at_once_come_to_the_same_as_one_after_the_other() {
    let tasks = ["a", "b", "c", "d", "e"].map(|name| Arc::new(todori_domain::testing::task(name)));
    let start = Board::from_tasks(tasks);
    let mut text = String::from("version: 1\ntasks:\n");
    start.by_id().for_each(|task| emit::task(&mut text, task));
    let all = ["a", "b", "c", "d", "e"].map(|name| set(name, Status::Done));
    let once = written(&text, &all);
    let one_by_one = all.iter().fold(text, |text, command| {
        written(&text, std::slice::from_ref(command))
    });
    assert_eq!(once, one_by_one);
}
