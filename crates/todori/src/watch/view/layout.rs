//! Which panel goes where: one below the other on a narrow screen, two columns on a wide one.

use ratatui_core::layout::Rect;

use super::header::trouble;
use super::now::lines_each;
use crate::watch::state::{Focus, State};

/// The least that anything can be shown in.
pub(in crate::watch) const MIN_COLUMNS: u16 = 40;
pub(in crate::watch) const MIN_ROWS: u16 = 10;
/// From how many columns on there are two columns of panels.
const WIDE: u16 = 100;

/// Which panel goes where; none where there is no room or nothing to show.
#[derive(Debug, Clone, Copy)]
pub(in crate::watch) struct Layout {
    pub(in crate::watch) is_wide: bool,
    pub(super) header: Rect,
    /// Everything between header and footer.
    pub(super) body: Rect,
    pub(super) footer: Rect,
    pub(super) trouble: Option<Rect>,
    pub(super) now: Option<Rect>,
    pub(in crate::watch) project: Option<Rect>,
    pub(in crate::watch) sessions: Option<Rect>,
    pub(super) recent: Option<Rect>,
    pub(super) divider: Option<Rect>,
}

impl Layout {
    pub(in crate::watch) fn of(state: &State) -> Self {
        let mut rest = Rect::new(0, 0, state.columns, state.rows);
        let header = top(&mut rest, 2);
        let footer = bottom(&mut rest, 1);
        let mut layout = Self {
            is_wide: state.columns >= WIDE,
            header,
            body: rest,
            footer,
            trouble: None,
            now: None,
            project: None,
            sessions: None,
            recent: None,
            divider: None,
        };
        if state.trouble.is_some() {
            let lines = count(trouble(state, rest.width).len());
            let height = lines.min(rest.height.saturating_sub(3));
            layout.trouble = Some(top(&mut rest, height));
        }
        if layout.is_wide {
            layout.wide(state, rest);
        } else {
            layout.narrow(state, rest);
        }
        layout
    }

    fn narrow(&mut self, state: &State, mut rest: Rect) {
        let doing = count(state.doing.len());
        if doing > 0 && rest.height >= 12 {
            let height = 1 + doing.min(rest.height / 5);
            self.now = Some(top(&mut rest, height));
        }
        let events = count(events(state));
        if events > 0 && rest.height >= 14 {
            let height = 1 + events.min(rest.height / 4);
            self.recent = Some(bottom(&mut rest, height));
        }
        match state.focus() {
            Focus::Project => self.project = Some(rest),
            Focus::Sessions => self.sessions = Some(rest),
        }
    }

    fn wide(&mut self, state: &State, rest: Rect) {
        let width = (rest.width * 2 / 5).min(70);
        let left = Rect {
            width: rest.width - width - 1,
            ..rest
        };
        let divider = Rect {
            x: left.right(),
            width: 1,
            ..rest
        };
        let mut right = Rect {
            x: divider.right(),
            width,
            ..rest
        };
        self.divider = Some(divider);
        let each = lines_each(true);
        let most = (right.height / 2 / each).max(1);
        let height = match count(state.doing.len()) {
            0 => 2,
            doing => 1 + doing.min(most) * each,
        };
        self.now = Some(top(&mut right, height));
        if !state.has_project() && state.has_sessions() {
            self.sessions = Some(left);
            return;
        }
        self.project = Some(left);
        if state.has_sessions() {
            let wanted = 1 + count(state.session_list.len()).max(1);
            let most = if events(state) > 0 {
                right.height * 3 / 5
            } else {
                right.height
            };
            self.sessions = Some(top(&mut right, wanted.min(most)));
        }
        if events(state) > 0 {
            self.recent = Some(right);
        }
    }
}

fn events(state: &State) -> usize {
    let project = state.project.as_ref();
    project.map_or(0, |project| project.history.events.len())
}

fn count(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX - 1)
}

/// Takes so many lines from the top.
fn top(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    let taken = Rect { height, ..*rest };
    rest.y += height;
    rest.height -= height;
    taken
}

/// Takes so many lines from the bottom.
fn bottom(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    rest.height -= height;
    Rect {
        y: rest.bottom(),
        height,
        ..*rest
    }
}
