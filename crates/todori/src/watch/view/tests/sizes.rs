//! A whole project at 40, 80 and 120 columns, with and without pictures, and at any other size.

use super::{check, drawn, press};
use crate::watch::appearance::Appearance;
use crate::watch::testing::{FULL, project, session, state};

#[test]
fn a_project_in_80_columns() {
    check(
        &mut state(FULL, project(), vec![session()]),
        80,
        24,
        r"
 shop                                                 2 in progress · 3 held up
 Progress: 1/6 completed  ████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%
─ Now ──────────────────────────────────────────────────────────────────────────
 🔧 Implementing API endpoints                     claude-code-1f3a9c02   4 min
 🔧 Update documentation                       codex-77d0a1b2 has ended     3 h
 🔧 Running tests            claude-code-1f3a9c02 (claude-code 2.1.325)   3 min
─ Project  Sessions ────────────────────────────────────────────────────────────
 ✅ Create database schema
 🔧 high Implementing API endpoints         claude-code-1f3a9c02 · 1/2 subtasks
 ❌ Add authentication middleware             waits for Implement API endpoints
 ❌ Write integration tests  waits for 2: Implement API endpoints, Add authent…
 🔧 Update documentation                                         codex-77d0a1b2
 ⛔ Choose a payment provider





─ Recent changes ───────────────────────────────────────────────────────────────
   2 min  blocked    Choose a payment provider                              ada
   4 min  started    Implement API endpoints               claude-code-1f3a9c02
   9 min  done       Create database schema                claude-code-1f3a9c02
  60 min  created    Create database schema                                 ada
 Enter details  Tab switch  / filter  d done  s start  ? help  q quit
",
    );
}

#[test]
fn a_project_in_120_columns() {
    check(
        &mut state(FULL, project(), vec![session()]),
        120,
        20,
        r"
 shop                                                                                         2 in progress · 3 held up
 Progress: 1/6 completed  ██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%
─ Project ─────────────────────────────────────────────────────────────┬─ Now ──────────────────────────────────────────
 ✅ Create database schema                                             │ 🔧 Implementing API endpoints            4 min
 🔧 high Implementing API endpoints        claude-…9c02 · 1/2 subtasks │    claude-code-1f3a9c02 (claude-code 2.1.325)
 ❌ Add authentication middleware    waits for Implement API endpoints │ 🔧 Update documentation                    3 h
 ❌ Write integration tests  waits for 2: Implement API endpoints, Ad… │    codex-77d0a1b2 has ended
 🔧 Update documentation                                codex-77d0a1b2 │ 🔧 Running tests                         3 min
 ⛔ Choose a payment provider                                          │    claude-code-1f3a9c02 (claude-code 2.1.325)
                                                                       ├─ Sessions ─────────────────────────────────────
                                                                       │ claude-code-1f3a9c02  claude-code 2.1.325  1/3
                                                                       │   1. ✅ Read the code
                                                                       │   2. 🔧 Running tests
                                                                       │   3. ❌ Fix what fails
                                                                       ├─ Recent changes ───────────────────────────────
                                                                       │   2 min  blocked    Choose a payment pro…  ada
                                                                       │   4 min  started    Implement A…  claude-…9c02
                                                                       │   9 min  done       Create data…  claude-…9c02
                                                                       │  60 min  created    Create database sche…  ada
 Enter details  Tab switch  / filter  d done  s start  a all/open  b held up  ? help  q quit
",
    );
}

#[test]
fn a_project_in_40_columns() {
    check(
        &mut state(FULL, project(), vec![session()]),
        40,
        12,
        r"
 shop         2 in progress · 3 held up
 Progress: 1/6 completed  █░░░░░░░  16%
─ Project  Sessions ────────────────────
 ✅ Create database schema
 🔧 high Implementing API …  claud…9c02
 ❌ Add authentication mi…  waits for 1
 ❌ Write integration tes…  waits for 2
 🔧 Update documentation   codex-7…a1b2
 ⛔ Choose a payment provider


 Enter details  ? help  q quit
",
    );
}

#[test]
fn without_pictures_and_lines() {
    let look = Appearance {
        color: false,
        pictures: false,
        lines: false,
    };
    check(
        &mut state(look, project(), vec![session()]),
        80,
        20,
        r"
 shop                                                  2 in progress, 3 held up
 Progress: 1/6 completed  ########........................................  16%
- Now --------------------------------------------------------------------------
 [~] Implementing API endpoints                    claude-code-1f3a9c02   4 min
 [~] Update documentation                      codex-77d0a1b2 has ended     3 h
 [~] Running tests           claude-code-1f3a9c02 (claude-code 2.1.325)   3 min
- Project  Sessions ------------------------------------------------------------
 [x] Create database schema
 [~] high Implementing API endpoints         claude-code-1f3a9c02, 1/2 subtasks
 [ ] Add authentication middleware            waits for Implement API endpoints
 [ ] Write integration tests  waits for 2: Implement API endpoints, Add authen~
 [~] Update documentation                                        codex-77d0a1b2
 [!] Choose a payment provider






 Enter details  Tab switch  / filter  d done  s start  ? help  q quit
",
    );
    check(
        &mut state(look, project(), vec![session()]),
        120,
        14,
        r"
 shop                                                                                          2 in progress, 3 held up
 Progress: 1/6 completed  ##########..................................................  16%
- Project -------------------------------------------------------------+- Now --------------------------------- 1 more -
 [x] Create database schema                                            | [~] Implementing API endpoints           4 min
 [~] high Implementing API endpoints        claude-~9c02, 1/2 subtasks |     claude-code-1f3a9c02 (claude-code 2.1.325)
 [ ] Add authentication middleware   waits for Implement API endpoints | [~] Update documentation                   3 h
 [ ] Write integration tests  waits for 2: Implement API endpoints, A~ |     codex-77d0a1b2 has ended
 [~] Update documentation                               codex-77d0a1b2 +- Sessions ---------------------------- 1 of 3 -
 [!] Choose a payment provider                                         | claude-code-1f3a9c02  claude-code 2.1.325  1/3
                                                                       |   1. [x] Read the code
                                                                       +- Recent changes -------------------------------
                                                                       |   2 min  blocked    Choose a payment pro~  ada
                                                                       |   4 min  started    Implement A~  claude-~9c02
 Enter details  Tab switch  / filter  d done  s start  a all/open  b held up  ? help  q quit
",
    );
}

#[test]
fn too_small_a_screen_says_so() {
    check(
        &mut state(FULL, project(), vec![]),
        30,
        5,
        r"
Too small: 30x5,
needs 40x10. q quits



",
    );
    check(
        &mut state(FULL, project(), vec![]),
        3,
        1,
        r"
Too
",
    );
}

#[test]
fn any_size_can_be_drawn() {
    let mut state = state(FULL, project(), vec![session()]);
    for keys in ["", "\t", "\n", "?", "/abc", "\n"] {
        press(&mut state, keys);
        for columns in [1, 2, 39, 40, 41, 79, 99, 100, 101, 300] {
            for rows in [1, 2, 9, 10, 11, 12, 13, 16, 24, 80] {
                let seen = drawn(&mut state, columns, rows);
                assert!(seen.content().iter().any(|cell| cell.symbol() != " "));
            }
        }
    }
}
