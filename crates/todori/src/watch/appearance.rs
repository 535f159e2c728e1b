//! How the screen may look: what the terminal can show, and what its owner wants. Colours are few and mean something;
//! everything else is bold, faint or reversed, which can be read on dark and on light grounds alike.

use ratatui_core::style::{Color, Modifier, Style};
use todori_domain::{SessionName, Status};

use super::plain::bracket;
use crate::event_text::who;
use crate::text::{cut, cut_middle, picture, steady};

/// What may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Appearance {
    pub(crate) color: bool,
    /// Pictures instead of `[x]`. They have colours of their own.
    pub(crate) pictures: bool,
    /// Lines and blocks that are not ASCII.
    pub(crate) lines: bool,
}

impl Appearance {
    pub(super) fn sign(self, status: Status) -> &'static str {
        if self.pictures {
            picture(status)
        } else {
            bracket(status)
        }
    }

    /// How many columns a sign takes.
    pub(super) const fn sign_width(self) -> usize {
        if self.pictures { 2 } else { 3 }
    }

    pub(super) const fn rule(self) -> &'static str {
        if self.lines { "─" } else { "-" }
    }

    pub(super) const fn divider(self) -> &'static str {
        if self.lines { "│" } else { "|" }
    }

    /// What stands between two short notes.
    pub(super) const fn dot(self) -> &'static str {
        if self.lines { " · " } else { ", " }
    }

    /// What is full and what is empty of a bar.
    pub(super) const fn bar(self) -> (&'static str, &'static str) {
        if self.lines {
            ("█", "░")
        } else {
            ("#", ".")
        }
    }

    /// What the divider of two columns looks like where lines meet it: on both sides, or on the right.
    pub(super) const fn crossings(self) -> (&'static str, &'static str) {
        if self.lines {
            ("┬", "├")
        } else {
            ("+", "+")
        }
    }

    const fn ellipsis(self) -> &'static str {
        if self.lines { "…" } else { "~" }
    }

    pub(super) fn cut(self, text: &str, room: usize) -> String {
        cut(text, room, self.ellipsis())
    }

    /// Who somebody is, in so many columns.
    pub(super) fn name(self, name: &SessionName, room: usize) -> String {
        cut_middle(&steady(who(name)), room, self.ellipsis())
    }

    pub(super) fn good(self) -> Style {
        self.colored(Color::Green)
    }

    pub(super) fn bad(self) -> Style {
        self.colored(Color::Red)
    }

    fn colored(self, color: Color) -> Style {
        if self.color {
            Style::new().fg(color)
        } else {
            Style::new()
        }
    }
}

pub(super) const PLAIN: Style = Style::new();
/// Also where something faint was before.
pub(super) const STRONG: Style = Style::new()
    .add_modifier(Modifier::BOLD)
    .remove_modifier(Modifier::DIM);
pub(super) const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
