//! What the screen looks like, as text: a state in, a buffer out. A file for each idea.

mod lists;
mod overlays;
mod safety;
mod sizes;
mod trouble;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::draw;
use crate::watch::keys::Key;
use crate::watch::state::State;

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
