//! What is open above the lists: details, help, and a filter that is being typed.

use super::{check, press};
use crate::watch::testing::{FULL, project, session, state};

#[test]
fn everything_about_a_task() {
    let mut state = state(FULL, project(), vec![session()]);
    press(&mut state, "\n");
    check(
        &mut state,
        80,
        28,
        r"
 shop                                                 2 in progress · 3 held up
 Progress: 1/6 completed  ████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%

 🔧 Implement API endpoints

 doing       Implementing API endpoints
 status      in-progress for 4 min
 session     claude-code-1f3a9c02 (claude-code 2.1.325)
 priority    high
 id          abc00002
 created     60 min ago, 2026-11-15 11:00 UTC
 updated     60 min ago, 2026-11-15 11:00 UTC

 GET and POST for orders.

 Errors are JSON.

 Subtasks 1/2
   1. ✅ Routes
   2. ❌ Validation

 These wait for it
 ❌ abc00003 Add authentication middleware
 ❌ abc00004 Write integration tests

 History
 2 more
 Esc back  d done  s start  o reopen  j/k scroll
",
    );
    check(
        &mut state,
        40,
        10,
        r"
 shop         2 in progress · 3 held up
 Progress: 1/6 completed  █░░░░░░░  16%

 🔧 Implement API endpoints

 doing       Implementing API endpoints
 status      in-progress for 4 min
 session     claude-code-1f3a9c02
 24 more
 Esc back  d done  s start  o reopen
",
    );
}

#[test]
fn help_fits_40_columns() {
    let mut state = state(FULL, project(), vec![]);
    press(&mut state, "?");
    check(
        &mut state,
        40,
        12,
        r"
 shop         2 in progress · 3 held up
 Progress: 1/6 completed  █░░░░░░░  16%
 Keys

  j k, arrows       move
  PgUp PgDn, Space  move by a page
  Home End, g G     first and last
  Tab               switch between the
                    project's list and
                    those of sessions
 26 more
 Esc back  j/k scroll
",
    );
}

#[test]
fn a_filter_is_typed() {
    let mut state = state(FULL, project(), vec![session()]);
    press(&mut state, "/api");
    check(
        &mut state,
        40,
        10,
        r"
 shop         2 in progress · 3 held up
 Progress: 1/6 completed  █░░░░░░░  16%
─ Project  Sessions ───────── /api · 1 ─
 🔧 high Implementing API …  claud…9c02





 /api           Enter keeps, Esc clears
",
    );
    check(
        &mut state,
        80,
        10,
        r"
 shop                                                 2 in progress · 3 held up
 Progress: 1/6 completed  ████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%
─ Project  Sessions ───────────────────────────────────────────────── /api · 1 ─
 🔧 high Implementing API endpoints         claude-code-1f3a9c02 · 1/2 subtasks





 /api                                                   Enter keeps, Esc clears
",
    );
    press(&mut state, " zzz\n");
    check(
        &mut state,
        80,
        10,
        r"
 shop                                                 2 in progress · 3 held up
 Progress: 1/6 completed  ████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%
─ Project  Sessions ───────────────────────────────────────────── /api zzz · 0 ─
 No task is like that. Esc clears the filter, a shows everything.





 Enter details  Tab switch  / filter  d done  s start  ? help  q quit
",
    );
}
