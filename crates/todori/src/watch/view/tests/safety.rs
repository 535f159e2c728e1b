//! What must never reach a terminal: what it obeys, what it measures differently, colours that nobody wants.

use ratatui_core::style::Color;

use super::{drawn, press, text};
use crate::text::is_unsafe;
use crate::watch::appearance::Appearance;
use crate::watch::testing::{FULL, project, session, snapshot, state, tasks};

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
fn colours_are_few_and_none_where_nobody_wants_them() {
    let colors = |look: Appearance| {
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
    let plain = Appearance {
        color: false,
        ..FULL
    };
    assert_eq!(colors(plain), []);
}
