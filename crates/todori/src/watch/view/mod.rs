//! Draws the state: a file for each panel. A state in, a buffer out, so that tests need no terminal.

mod details;
mod footer;
mod header;
mod help;
pub(super) mod layout;
mod list;
mod now;
mod recent;
#[cfg(test)]
mod tests;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::appearance::{FAINT, PLAIN, STRONG};
use super::state::{Focus, Over, State};
use layout::{Layout, MIN_COLUMNS, MIN_ROWS};

/// Draws everything.
pub(crate) fn draw(state: &State, buffer: &mut Buffer) {
    let area = *buffer.area();
    if area.width < MIN_COLUMNS || area.height < MIN_ROWS {
        too_small(area, buffer);
        return;
    }
    let layout = Layout::of(state);
    header::draw(state, layout.header, buffer);
    footer::draw(state, layout.footer, buffer);
    match &state.over {
        Some(Over::Details { place, top }) => {
            let lines = details::lines(state, place, layout.body.width);
            scrolled(&lines, *top, layout.body, buffer);
        }
        Some(Over::Help { top }) => {
            scrolled(&help::lines(layout.body.width), *top, layout.body, buffer);
        }
        None => panels(state, &layout, buffer),
    }
}

fn panels(state: &State, layout: &Layout, buffer: &mut Buffer) {
    if let Some(area) = layout.trouble {
        scrolled(&header::trouble(state, area.width), 0, area, buffer);
    }
    if let Some(area) = layout.now {
        now::draw(state, area, layout.is_wide, buffer);
    }
    if let Some(area) = layout.project {
        list::project(state, area, layout.is_wide, buffer);
    }
    if let Some(area) = layout.sessions {
        list::sessions(state, area, layout.is_wide, buffer);
    }
    if let Some(area) = layout.recent {
        recent::draw(state, area, buffer);
    }
    if let Some(area) = layout.divider {
        divide(state, area, buffer);
    }
}

/// Draws the line between two columns, joined to the lines above their panels.
fn divide(state: &State, area: Rect, buffer: &mut Buffer) {
    let look = state.look;
    let (both, right) = look.crossings();
    let is_rule = |x: u16, y: u16, buffer: &Buffer| {
        let cell = buffer.cell((x, y));
        cell.is_some_and(|cell| cell.symbol() == look.rule())
    };
    for y in area.top()..area.bottom() {
        let left = is_rule(area.x.saturating_sub(1), y, buffer);
        let sign = match (left, is_rule(area.x + 1, y, buffer)) {
            (true, true) => both,
            (false, true) => right,
            (true | false, false) => look.divider(),
        };
        buffer.set_string(area.x, y, sign, FAINT);
    }
}

/// How many lines keys move that move by a page: one less than is seen, so that the eye has something to hold.
pub(super) fn page(state: &State) -> usize {
    let layout = Layout::of(state);
    let list = match state.focus() {
        Focus::Project => layout.project,
        Focus::Sessions => layout.sessions,
    };
    let list = list.filter(|_| state.over.is_none());
    let list = list.map_or(layout.body.height, |area| area.height.saturating_sub(1));
    usize::from(list).saturating_sub(1).max(1)
}

/// How many lines there are of what is open above the lists.
pub(super) fn overlay_length(state: &State) -> usize {
    let width = Layout::of(state).body.width;
    match &state.over {
        Some(Over::Details { place, .. }) => details::lines(state, place, width).len(),
        Some(Over::Help { .. }) => help::lines(width).len(),
        None => 0,
    }
}

/// Draws lines from the one on top on, and says if there are more.
fn scrolled(lines: &[Line<'_>], top: usize, area: Rect, buffer: &mut Buffer) {
    for (line, y) in lines.iter().skip(top).zip(area.top()..area.bottom()) {
        buffer.set_line(area.x, y, line, area.width);
    }
    let below = lines.len().saturating_sub(top + usize::from(area.height));
    if below > 0 && area.height > 1 {
        let more = format!(" {} more ", below + 1);
        let line = Line::from(vec![Span::styled(more, FAINT)]);
        let y = area.bottom() - 1;
        let last = Rect::new(area.x, y, area.width, 1);
        buffer.set_style(last, Style::reset());
        buffer.set_string(area.x, y, " ".repeat(usize::from(area.width)), PLAIN);
        buffer.set_line(area.x, y, &line, area.width);
    }
}

/// Draws one line: something on the left, and something on the right where there is room for it.
fn line(left: Vec<Span<'_>>, right: Vec<Span<'_>>, area: Rect, buffer: &mut Buffer) {
    let (left, right) = (Line::from(left), Line::from(right));
    let width = |line: &Line<'_>| u16::try_from(line.width()).unwrap_or(u16::MAX);
    let taken = width(&right);
    buffer.set_line(area.x, area.y, &left, area.width);
    if taken > 0 && width(&left).saturating_add(taken) < area.width {
        buffer.set_line(area.right() - taken, area.y, &right, taken);
    }
}

/// Draws the line above a panel, and gives the area below it.
fn heading(
    state: &State,
    titles: Vec<Span<'_>>,
    note: &str,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let rule = state.look.rule();
    buffer.set_string(area.x, area.y, rule.repeat(usize::from(area.width)), FAINT);
    let mut spans = vec![Span::styled(rule, FAINT)];
    spans.extend(titles);
    let note = if note.is_empty() {
        Vec::new()
    } else {
        vec![
            Span::styled(format!(" {note} "), FAINT),
            Span::styled(rule, FAINT),
        ]
    };
    line(spans, note, Rect { height: 1, ..area }, buffer);
    Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(1),
        ..area
    }
}

fn title(text: &str) -> Span<'static> {
    Span::styled(format!(" {text} "), STRONG)
}

/// Each line of an area, top to bottom.
fn lines(area: Rect) -> impl Iterator<Item = Rect> {
    (area.top()..area.bottom()).map(move |y| Rect {
        y,
        height: 1,
        ..area
    })
}

fn too_small(area: Rect, buffer: &mut Buffer) {
    let text = format!("Too small: {}x{},", area.width, area.height);
    let more = format!("needs {MIN_COLUMNS}x{MIN_ROWS}. q quits");
    for (text, line) in [text, more].iter().zip(lines(area)) {
        buffer.set_stringn(line.x, line.y, text, usize::from(line.width), PLAIN);
    }
}
