//! What each agent is doing now.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::Span;
use todori_domain::Status;
use unicode_width::UnicodeWidthStr as _;

use super::{heading, line, lines, title};
use crate::text::{age, steady};
use crate::watch::appearance::{FAINT, STRONG};
use crate::watch::current_work::CurrentWork;
use crate::watch::state::State;

/// How many lines the panel needs for what somebody does.
pub(super) const fn lines_each(is_wide: bool) -> u16 {
    if is_wide { 2 } else { 1 }
}

pub(super) fn draw(state: &State, area: Rect, is_wide: bool, buffer: &mut Buffer) {
    let each = usize::from(lines_each(is_wide));
    let room = usize::from(area.height.saturating_sub(1)) / each;
    let hidden = state.doing.len().saturating_sub(room);
    let note = if hidden > 0 {
        format!("{hidden} more")
    } else {
        String::new()
    };
    let area = heading(state, vec![title("Now")], &note, area, buffer);
    if state.doing.is_empty() {
        let text = " Nobody is at work.";
        buffer.set_stringn(area.x, area.y, text, usize::from(area.width), FAINT);
    }
    let mut rows = lines(area);
    for doing in state.doing.iter().take(room) {
        let Some(row) = rows.next() else {
            return;
        };
        let second = if is_wide { rows.next() } else { None };
        one(state, doing, row, second, buffer);
    }
}

/// What somebody does, and since when; who it is on a second line if there is one.
fn one(state: &State, doing: &CurrentWork, first: Rect, second: Option<Rect>, buffer: &mut Buffer) {
    let look = state.look;
    let since = format!("{:>8} ", age(state.now, doing.since));
    let label = steady(doing.task.label().as_str());
    let room = usize::from(first.width).saturating_sub(1 + look.sign_width() + 1 + since.len());
    let (who, label) = if second.is_some() {
        (Vec::new(), look.cut(&label, room))
    } else {
        let who = who(
            state,
            doing,
            room.saturating_sub(label.width() + 2),
            room * 2 / 5,
        );
        let width: usize = who.iter().map(Span::width).sum();
        let label = look.cut(&label, room.saturating_sub(width + 2));
        (who, label)
    };
    let left = vec![
        Span::raw(format!(" {} ", look.sign(Status::InProgress))),
        Span::styled(label, STRONG),
    ];
    let mut right = who;
    right.push(Span::styled(since, FAINT));
    line(left, right, first, buffer);
    if let Some(area) = second {
        let room = usize::from(area.width).saturating_sub(look.sign_width() + 3);
        let mut spans = vec![Span::raw(" ".repeat(look.sign_width() + 2))];
        spans.extend(who_in_full(state, doing, room));
        line(spans, Vec::new(), area, buffer);
    }
}

/// Who it is: in full where that fits, else the name only, in at least so many columns.
fn who(state: &State, doing: &CurrentWork, room: usize, least: usize) -> Vec<Span<'static>> {
    let all = who_in_full(state, doing, usize::MAX);
    if all.iter().map(Span::width).sum::<usize>() <= room {
        return all;
    }
    let name = name(
        state,
        doing,
        room.max(least).saturating_sub(ended(doing).len()),
    );
    vec![
        Span::raw(name),
        Span::styled(ended(doing), state.look.bad()),
    ]
}

fn who_in_full(state: &State, doing: &CurrentWork, room: usize) -> Vec<Span<'static>> {
    let name = name(state, doing, room);
    let client = doing.who.as_ref().and_then(|who| state.clients.get(who));
    let client = client.map(|client| format!(" ({})", steady(client)));
    let left = room.saturating_sub(name.width() + ended(doing).len());
    vec![
        Span::raw(name),
        Span::styled(ended(doing), state.look.bad()),
        Span::styled(state.look.cut(&client.unwrap_or_default(), left), FAINT),
    ]
}

fn name(state: &State, doing: &CurrentWork, room: usize) -> String {
    let who = doing.who.as_ref();
    who.map_or_else(|| "nobody".to_owned(), |who| state.look.name(who, room))
}

const fn ended(doing: &CurrentWork) -> &'static str {
    if doing.is_gone { " has ended" } else { "" }
}
