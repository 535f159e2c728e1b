//! The top of the screen: which project, how far it is, and what is wrong with it.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};
use todori_domain::Status;

use super::{line, lines};
use crate::text::{steady, wrap};
use crate::watch::appearance::{FAINT, PLAIN, STRONG};
use crate::watch::state::State;

pub(super) fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    let figures = Figures::of(state);
    let name = state.name.as_deref().unwrap_or("Lists of sessions");
    let name = steady(name);
    let name = state.look.cut(&name, usize::from(area.width) * 2 / 3);
    let mut notes = Vec::new();
    if figures.busy > 0 {
        notes.push(format!("{} in progress", figures.busy));
    }
    if figures.held_up > 0 {
        notes.push(format!("{} held up", figures.held_up));
    }
    let notes = notes.join(state.look.dot());
    let mut rows = lines(area);
    if let Some(row) = rows.next() {
        let left = vec![Span::raw(" "), Span::styled(name, STRONG)];
        let right = vec![Span::styled(format!("{notes} "), FAINT)];
        line(left, right, row, buffer);
    }
    if let Some(row) = rows.next() {
        progress(state, figures, row, buffer);
    }
}

fn progress(state: &State, figures: Figures, area: Rect, buffer: &mut Buffer) {
    let Figures { done, wanted, .. } = figures;
    let words = format!(" Progress: {done}/{wanted} completed  ");
    let percent = (done * 100).checked_div(wanted).unwrap_or(0);
    let percent = format!(" {percent:>3}% ");
    let width = usize::from(area.width).saturating_sub(words.len() + percent.len());
    // A bar that is too long says no more, and one that is too short says nothing.
    let width = if width < 4 { 0 } else { width.min(60) };
    let filled = (done * width).checked_div(wanted).unwrap_or(0);
    let (full, empty) = state.look.bar();
    let spans = vec![
        Span::raw(words),
        Span::styled(full.repeat(filled), state.look.good()),
        Span::styled(empty.repeat(width - filled), FAINT),
        Span::raw(percent),
    ];
    line(spans, Vec::new(), area, buffer);
}

/// Why the board can't be read, and what to do about it.
pub(super) fn trouble(state: &State, width: u16) -> Vec<Line<'static>> {
    let Some(trouble) = &state.trouble else {
        return Vec::new();
    };
    // That there is no project is nothing bad.
    let style = if state.name.is_some() {
        state.look.bad()
    } else {
        PLAIN
    };
    let texts = [
        (Some(trouble.message.as_str()), style),
        (trouble.hint.as_deref(), FAINT),
    ];
    let mut lines = Vec::new();
    for (text, style) in texts {
        let text = text.map(steady).unwrap_or_default();
        for text in wrap(&text, usize::from(width.saturating_sub(2))) {
            lines.push(Line::from(vec![Span::raw(" "), Span::styled(text, style)]));
        }
    }
    lines
}

#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    done: usize,
    wanted: usize,
    busy: usize,
    held_up: usize,
}

impl Figures {
    /// Those of the project; without one, of all sessions together.
    fn of(state: &State) -> Self {
        let project = state.project.iter().map(|project| &project.board);
        let sessions = state.sessions.iter().map(|list| &list.board);
        let sessions = sessions.filter(|_| !state.has_project());
        let mut figures = Self::default();
        for board in project.chain(sessions) {
            let progress = board.progress();
            figures.done += progress.with_status(Status::Done);
            figures.wanted += progress.wanted();
            figures.busy += progress.with_status(Status::InProgress);
            figures.held_up += progress.held_up;
        }
        figures
    }
}
