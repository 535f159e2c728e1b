//! A board that breaks, and no project at all.

use todori_domain::{Position, StoreError};

use super::{check, drawn, text};
use crate::overview::{Overview, SessionList};
use crate::watch::testing::{FULL, nothing, project, session, state};

#[test]
fn a_board_that_breaks_is_still_shown_as_it_was() {
    let mut state = state(FULL, project(), vec![]);
    state.see(broken());
    check(
        &mut state,
        80,
        14,
        r"
 shop                                                 2 in progress · 3 held up
 Progress: 1/6 completed  ████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%
 the board of /shop is broken at line 3, column 7: no task has a status like
 \u{1b}[31m
 mend the file by hand; todori leaves it as it is until it can be read
─ Project ──────────────────────────────────────────────────────────────────────
 ✅ Create database schema
 🔧 high Implementing API endpoints         claude-code-1f3a9c02 · 1/2 subtasks
 ❌ Add authentication middleware             waits for Implement API endpoints
 ❌ Write integration tests  waits for 2: Implement API endpoints, Add authent…
 🔧 Update documentation                                         codex-77d0a1b2
 ⛔ Choose a payment provider

 Enter details  / filter  d done  s start  a all/open  ? help  q quit
",
    );
    state.see(Overview::of(Some("shop"), Ok(project()), vec![]));
    assert!(!text(&drawn(&mut state, 80, 14)).contains("broken"));
}

#[test]
fn without_a_project_there_are_lists_of_sessions() {
    let mut state = nothing(FULL);
    state.see(nowhere(vec![session()]));
    check(
        &mut state,
        80,
        12,
        r"
 Lists of sessions                                                1 in progress
 Progress: 1/3 completed  ████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  33%
 there is no project here: nothing to be seen from /home/ada/shop upwards
 run `todori init` in the project's folder, or use --project DIR
─ Sessions ─────────────────────────────────────────────────────────────────────
 claude-code-1f3a9c02                                                       1/3
   1. ✅ Read the code
   2. 🔧 Running tests
   3. ❌ Fix what fails


 Enter details  / filter  a all/open  b held up  ? help  q quit
",
    );
    check(
        &mut state,
        120,
        12,
        r"
 Lists of sessions                                                                                        1 in progress
 Progress: 1/3 completed  ████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  33%
 there is no project here: nothing to be seen from /home/ada/shop upwards
 run `todori init` in the project's folder, or use --project DIR
─ Sessions ────────────────────────────────────────────────────────────┬─ Now ──────────────────────────────────────────
 claude-code-1f3a9c02                                              1/3 │ 🔧 Running tests                         3 min
   1. ✅ Read the code                                                 │    claude-code-1f3a9c02
   2. 🔧 Running tests                                                 │
   3. ❌ Fix what fails                                                │
                                                                       │
                                                                       │
 Enter details  / filter  a all/open  b held up  ? help  q quit
",
    );
    state.see(nowhere(vec![]));
    check(
        &mut state,
        40,
        10,
        r"
 Lists of sessions
 Progress: 0/0 completed  ░░░░░░░░   0%
 there is no project here: nothing to
 be seen from /home/ada/shop upwards
 run `todori init` in the project's
 folder, or use --project DIR
─ Sessions ─────────────────────────────
 No session has a list now.

 Enter details  ? help  q quit
",
    );
}

fn broken() -> Overview {
    let at = Position { line: 3, column: 7 };
    let project = Err(StoreError::Broken {
        what: "the board of /shop".to_owned(),
        at: Some(at),
        reason: "no task has a status like \u{1b}[31m".to_owned(),
        advice: "mend the file by hand; todori leaves it as it is until it can be read".to_owned(),
    });
    Overview::of(Some("shop"), project, vec![])
}

fn nowhere(sessions: Vec<SessionList>) -> Overview {
    let reason = "there is no project here: nothing to be seen from /home/ada/shop upwards";
    let advice = "run `todori init` in the project's folder, or use --project DIR";
    let error = StoreError::NoBoard {
        reason: reason.to_owned(),
        advice: advice.to_owned(),
    };
    Overview::of(None, Err(error), sessions)
}
