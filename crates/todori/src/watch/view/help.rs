//! All keys.

use ratatui_core::text::{Line, Span};

use crate::text::wrap;
use crate::watch::appearance::STRONG;
use crate::watch::keys::HELP;

/// How wide the names of keys are.
const KEYS: usize = 18;

pub(super) fn lines(width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(Span::styled(" Keys", STRONG)), Line::default()];
    for (key, says) in HELP {
        let room = usize::from(width).saturating_sub(KEYS + 3);
        for (number, says) in wrap(says, room).into_iter().enumerate() {
            let key = if number == 0 { key } else { "" };
            lines.push(Line::from(vec![
                Span::styled(format!("  {key:<KEYS$}"), STRONG),
                Span::raw(says),
            ]));
        }
    }
    lines.push(Line::default());
    for text in wrap(
        "What you change here is done in your name; `todori undo` takes the last change back, `todori log` shows all.",
        usize::from(width).saturating_sub(4),
    ) {
        lines.push(Line::from(format!("  {text}")));
    }
    lines
}
