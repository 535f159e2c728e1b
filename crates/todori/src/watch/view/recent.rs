//! What happened last: when, what, to which task, and who did it.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::Span;
use todori_domain::{Event, Happening, Status};
use unicode_width::UnicodeWidthStr as _;

use super::{heading, line, lines, title};
use crate::text::{age, steady};
use crate::watch::appearance::{FAINT, PLAIN};
use crate::watch::state::State;

pub(super) fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    let area = heading(state, vec![title("Recent changes")], "", area, buffer);
    let history = state
        .project
        .iter()
        .flat_map(|project| &project.history.events);
    for (event, row) in history.zip(lines(area)) {
        one(state, event, row, buffer);
    }
}

fn one(state: &State, event: &Event, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let when = format!("{:>8}  ", age(state.now, event.at));
    let (word, style) = word(state, event);
    let word = format!("{word:<9}  ");
    let who = state.look.name(&event.by, width / 4);
    let title = event
        .title()
        .map(|title| steady(title.as_str()))
        .unwrap_or_default();
    let room = width.saturating_sub(when.len() + word.len() + who.width() + 3);
    let left = vec![
        Span::styled(when, FAINT),
        Span::styled(word, style),
        Span::raw(state.look.cut(&title, room)),
    ];
    line(
        left,
        vec![Span::styled(format!("{who} "), FAINT)],
        area,
        buffer,
    );
}

/// What an event comes down to, in one word of at most nine letters.
pub(super) fn word(state: &State, event: &Event) -> (&'static str, Style) {
    match event.happening() {
        Happening::Created => ("created", PLAIN),
        Happening::Deleted => ("deleted", state.look.bad()),
        Happening::StatusChanged(Status::Pending) => ("reopened", PLAIN),
        Happening::StatusChanged(Status::InProgress) => ("started", PLAIN),
        Happening::StatusChanged(Status::Blocked) => ("blocked", state.look.bad()),
        Happening::StatusChanged(Status::Done) => ("done", state.look.good()),
        Happening::StatusChanged(Status::Deferred) => ("deferred", PLAIN),
        Happening::StatusChanged(Status::Cancelled) => ("cancelled", PLAIN),
        Happening::SubtasksChanged => ("subtasks", PLAIN),
        Happening::DependenciesChanged => ("waits", PLAIN),
        Happening::Moved => ("moved", PLAIN),
        Happening::Edited => ("edited", PLAIN),
    }
}
