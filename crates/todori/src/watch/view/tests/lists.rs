//! The lists themselves: those of sessions, an empty one, a very long one.

use super::{check, drawn, press};
use crate::watch::keys::Key;
use crate::watch::testing::{FULL, project, session, snapshot, state, tasks};

#[test]
fn the_lists_of_sessions_are_behind_tab() {
    let mut state = state(FULL, project(), vec![session()]);
    press(&mut state, "\t");
    check(
        &mut state,
        40,
        12,
        r"
 shop         2 in progress · 3 held up
 Progress: 1/6 completed  █░░░░░░░  16%
─ Project  Sessions ────────────────────
 claude-code-1f3a9c02  claude-cod…  1/3
   1. ✅ Read the code
   2. 🔧 Running tests
   3. ❌ Fix what fails




 Enter details  ? help  q quit
",
    );
    check(
        &mut state,
        80,
        12,
        r"
 shop                                                 2 in progress · 3 held up
 Progress: 1/6 completed  ████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%
─ Project  Sessions ────────────────────────────────────────────────────────────
 claude-code-1f3a9c02  claude-code 2.1.325                                  1/3
   1. ✅ Read the code
   2. 🔧 Running tests
   3. ❌ Fix what fails




 Enter details  Tab switch  / filter  a all/open  b held up  ? help  q quit
",
    );
}

#[test]
fn an_empty_board_says_what_to_do() {
    check(
        &mut state(FULL, snapshot(vec![]), vec![]),
        80,
        10,
        r#"
 shop
 Progress: 0/0 completed  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0%
─ Project ──────────────────────────────────────────────────────────────────────
 No tasks yet.
 Add one: todori add "Run the tests"
 Connect an agent: todori install claude-code



 Enter details  / filter  d done  s start  a all/open  ? help  q quit
"#,
    );
}

#[test]
fn of_ten_thousand_tasks_those_at_the_cursor_are_drawn() {
    let titles: Vec<String> = (1..=10_000)
        .map(|number| format!("Task {number}"))
        .collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut state = state(FULL, snapshot(tasks(&titles)), vec![]);
    drawn(&mut state, 40, 10);
    state.key(&Key::End);
    state.key(&Key::Up);
    check(
        &mut state,
        40,
        10,
        r"
 shop
 Progress: 0/10000 completed  ░░░░   0%
─ Project ────────────── 9999 of 10000 ─
 ❌ Task 9995
 ❌ Task 9996
 ❌ Task 9997
 ❌ Task 9998
 ❌ Task 9999
 ❌ Task 10000
 Enter details  ? help  q quit
",
    );
}
