//! What the screen looks like, at 40, 80 and 120 columns.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use todori_domain::{Position, StoreError};
use unicode_width::UnicodeWidthStr as _;

use super::draw;
use crate::overview::Overview;
use crate::text::is_unsafe;
use crate::watch::keys::Key;
use crate::watch::look::Look;
use crate::watch::state::State;
use crate::watch::testing::{FULL, nothing, project, session, snapshot, state, tasks};

fn drawn(state: &mut State, columns: u16, rows: u16) -> Buffer {
    state.resize(columns, rows);
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    draw(state, &mut buffer);
    buffer
}

fn text(buffer: &Buffer) -> String {
    let area = *buffer.area();
    let mut text = String::new();
    for y in area.top()..area.bottom() {
        let mut line = String::new();
        let mut x = area.left();
        while x < area.right() {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(symbol.width().max(1)).unwrap();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn check(state: &mut State, columns: u16, rows: u16, expected: &str) {
    let seen = text(&drawn(state, columns, rows));
    let expected = expected.strip_prefix('\n').unwrap_or(expected);
    assert_eq!(seen, expected, "\n{seen}");
}

fn press(state: &mut State, keys: &str) {
    for c in keys.chars() {
        state.key(&match c {
            '\n' => Key::Enter,
            '\t' => Key::Tab,
            c => Key::Char(c),
        });
    }
}

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
 🔧 high Implementing API endpoints            claude-code-1f3a9c02 · 1/2 steps
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
 🔧 high Implementing API endpoints   claude-code-1f3a9c02 · 1/2 steps │    claude-code-1f3a9c02 (claude-code 2.1.325)
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
    let look = Look {
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
 [~] high Implementing API endpoints            claude-code-1f3a9c02, 1/2 steps
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
 [~] high Implementing API endpoints   claude-code-1f3a9c02, 1/2 steps |     claude-code-1f3a9c02 (claude-code 2.1.325)
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

 Steps 1/2
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
 🔧 high Implementing API endpoints            claude-code-1f3a9c02 · 1/2 steps





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

#[test]
fn a_board_that_breaks_is_still_shown_as_it_was() {
    let mut state = state(FULL, project(), vec![]);
    state.see(broken(), Some("shop".to_owned()));
    check(
        &mut state,
        80,
        14,
        r"
 shop                                                 2 in progress · 3 held up
 Progress: 1/6 completed  ████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  16%
 .todori/tasks.yaml is broken at line 3, column 7: no task has a status like
 \u{1b}[31m
 mend the file by hand; todori leaves it as it is until it can be read
─ Project ──────────────────────────────────────────────────────────────────────
 ✅ Create database schema
 🔧 high Implementing API endpoints            claude-code-1f3a9c02 · 1/2 steps
 ❌ Add authentication middleware             waits for Implement API endpoints
 ❌ Write integration tests  waits for 2: Implement API endpoints, Add authent…
 🔧 Update documentation                                         codex-77d0a1b2
 ⛔ Choose a payment provider

 Enter details  / filter  d done  s start  a all/open  ? help  q quit
",
    );
    state.see(
        Overview {
            project: Ok(project()),
            sessions: vec![],
        },
        Some("shop".to_owned()),
    );
    assert!(!text(&drawn(&mut state, 80, 14)).contains("broken"));
}

#[test]
fn without_a_project_there_are_lists_of_sessions() {
    let mut state = nothing(FULL);
    state.see(nowhere(vec![session()]), None);
    check(
        &mut state,
        80,
        12,
        r"
 Lists of sessions                                                1 in progress
 Progress: 1/3 completed  ████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  33%
 there is no project here: no .todori or .git from /home/ada/shop upwards
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
 there is no project here: no .todori or .git from /home/ada/shop upwards
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
    state.see(nowhere(vec![]), None);
    check(
        &mut state,
        40,
        10,
        r"
 Lists of sessions
 Progress: 0/0 completed  ░░░░░░░░   0%
 there is no project here: no .todori
 or .git from /home/ada/shop upwards
 run `todori init` in the project's
 folder, or use --project DIR
─ Sessions ─────────────────────────────
 No session has a list now.

 Enter details  ? help  q quit
",
    );
}

#[test]
fn no_cell_holds_a_picture_that_terminals_measure_differently() {
    let titles = [
        "🇩🇪 flag",
        "👨\u{200d}👩\u{200d}👧 family",
        "1\u{fe0f}\u{20e3} key ❤\u{fe0f} heart",
    ];
    let mut state = state(FULL, snapshot(tasks(&titles)), vec![]);
    let buffer = drawn(&mut state, 80, 24);
    let seen = text(&buffer);
    for shown in ["❌ DE flag", "❌ 👨 family", "❌ 1 key ❤ heart"] {
        assert!(seen.contains(shown), "{seen}");
    }
    let odd = |cell: &&ratatui_core::buffer::Cell| cell.symbol().chars().count() > 1;
    assert_eq!(buffer.content().iter().find(odd), None);
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

fn broken() -> Overview {
    let at = Position { line: 3, column: 7 };
    let project = Err(StoreError::Broken {
        file: ".todori/tasks.yaml".to_owned(),
        at,
        reason: "no task has a status like \u{1b}[31m".to_owned(),
    });
    Overview {
        project,
        sessions: vec![],
    }
}

fn nowhere(sessions: Vec<crate::overview::SessionList>) -> Overview {
    let from = "/home/ada/shop".to_owned();
    Overview {
        project: Err(StoreError::NoProject { from }),
        sessions,
    }
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

#[test]
fn nothing_that_a_terminal_obeys_is_drawn() {
    let evil = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}evil\u{2066}\r\n\u{200b}x".to_owned();
    let long = "wide 日本語 عربي ".repeat(140);
    let mut project = snapshot(tasks(&[&evil, &long]));
    project.history = crate::watch::testing::project().history;
    let mut session = session();
    session.name = todori_domain::SessionName::new("\u{202e}live\u{2067}");
    let mut state = state(FULL, project, vec![session]);
    for keys in ["", "\t", "\n", "\n/\u{202e}\u{1b}"] {
        press(&mut state, keys);
        for (columns, rows) in [(40, 10), (80, 24), (120, 30), (200, 60)] {
            let seen = drawn(&mut state, columns, rows);
            let obeyed = seen.content().iter().flat_map(|cell| cell.symbol().chars());
            let obeyed: Vec<char> = obeyed.filter(|&c| is_unsafe(c)).collect();
            assert!(obeyed.is_empty(), "{obeyed:?}");
        }
    }
}

#[test]
fn colours_are_few_and_none_where_nobody_wants_them() {
    let colors = |look: Look| {
        let mut state = state(look, project(), vec![session()]);
        let seen = drawn(&mut state, 120, 30);
        let cells = seen.content().iter().flat_map(|cell| [cell.fg, cell.bg]);
        cells
            .filter(|&color| color != Color::Reset)
            .collect::<Vec<_>>()
    };
    let seen = colors(FULL);
    assert!(!seen.is_empty());
    assert!(
        seen.iter()
            .all(|color| [Color::Green, Color::Red].contains(color))
    );
    let plain = Look {
        color: false,
        ..FULL
    };
    assert_eq!(colors(plain), []);
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
