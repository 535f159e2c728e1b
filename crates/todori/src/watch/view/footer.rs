//! The bottom line: what just happened, the filter while it is typed, or the keys that matter now.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::Span;
use todori_domain::BoardKey;
use unicode_width::UnicodeWidthStr as _;

use super::line;
use crate::text::steady;
use crate::watch::appearance::{FAINT, PLAIN, STRONG};
use crate::watch::state::{Focus, Message, Over, State, Tone};

pub(super) fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    if let Some(Message { text, tone }) = &state.message {
        let style = match tone {
            Tone::Done => PLAIN,
            Tone::Refused => state.look.bad(),
        };
        let text = state.look.cut(&steady(text), width.saturating_sub(2));
        line(
            vec![Span::raw(" "), Span::styled(text, style)],
            Vec::new(),
            area,
            buffer,
        );
    } else if state.is_typing {
        typing(state, area, buffer);
    } else {
        keys(state, area, buffer);
    }
}

fn typing(state: &State, area: Rect, buffer: &mut Buffer) {
    let hint = "Enter keeps, Esc clears ";
    let room = usize::from(area.width).saturating_sub(hint.len() + 4);
    let mut text = steady(&state.filter);
    // The end is where the person types.
    while text.width() > room {
        text.remove(0);
    }
    let cursor = Style::new().add_modifier(Modifier::REVERSED);
    let left = vec![
        Span::raw(" "),
        Span::styled("/", STRONG),
        Span::raw(text),
        Span::styled(" ", cursor),
    ];
    line(left, vec![Span::styled(hint, FAINT)], area, buffer);
}

fn keys(state: &State, area: Rect, buffer: &mut Buffer) {
    let both = state.has_project() && state.has_sessions();
    let lists: &[(&str, &str)] = match &state.over {
        Some(Over::Details { place, .. }) if place.board == BoardKey::Project => &[
            ("Esc", "back"),
            ("d", "done"),
            ("s", "start"),
            ("o", "reopen"),
            ("j/k", "scroll"),
        ],
        Some(Over::Details { .. } | Over::Help { .. }) => &[("Esc", "back"), ("j/k", "scroll")],
        None if both && state.focus() == Focus::Sessions => &[
            ("Enter", "details"),
            ("Tab", "switch"),
            ("/", "filter"),
            ("a", "all/open"),
            ("b", "held up"),
        ],
        None if state.focus() == Focus::Sessions => &[
            ("Enter", "details"),
            ("/", "filter"),
            ("a", "all/open"),
            ("b", "held up"),
        ],
        None if both => &[
            ("Enter", "details"),
            ("Tab", "switch"),
            ("/", "filter"),
            ("d", "done"),
            ("s", "start"),
            ("a", "all/open"),
            ("b", "held up"),
        ],
        None => &[
            ("Enter", "details"),
            ("/", "filter"),
            ("d", "done"),
            ("s", "start"),
            ("a", "all/open"),
            ("b", "held up"),
        ],
    };
    let always: &[(&str, &str)] = match &state.over {
        Some(_) => &[],
        None => &[("?", "help"), ("q", "quit")],
    };
    let width = |(key, word): &(&str, &str)| key.len() + word.len() + 3;
    let mut room = usize::from(area.width).saturating_sub(always.iter().map(width).sum::<usize>());
    let fitting = lists.iter().take_while(|key| {
        let fits = width(key) < room;
        room = room.saturating_sub(width(key));
        fits
    });
    let mut spans = Vec::new();
    for (key, word) in fitting.chain(always) {
        spans.push(Span::styled(format!(" {key} "), STRONG));
        spans.push(Span::styled(format!("{word} "), FAINT));
    }
    line(spans, Vec::new(), area, buffer);
}
