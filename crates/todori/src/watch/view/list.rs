//! The lists: the project's, and those of sessions. Draws only the rows that are seen.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::Span;
use todori_domain::{Board, Priority, Status, Task};
use unicode_width::UnicodeWidthStr as _;

use super::{heading, line, lines};
use crate::text::steady;
use crate::watch::appearance::{Appearance, FAINT, PLAIN, STRONG};
use crate::watch::listing::{Listing, Row};
use crate::watch::state::{Focus, Show, State};

pub(super) fn project(state: &State, area: Rect, is_wide: bool, buffer: &mut Buffer) {
    let area = head(state, Focus::Project, area, is_wide, buffer);
    if state.project_list.len() == 0 {
        nothing(state, area, buffer);
    }
    draw(state, &state.project_list, Focus::Project, area, buffer);
}

pub(super) fn sessions(state: &State, area: Rect, is_wide: bool, buffer: &mut Buffer) {
    let area = head(state, Focus::Sessions, area, is_wide, buffer);
    if state.session_list.len() == 0 {
        nothing(state, area, buffer);
    }
    draw(state, &state.session_list, Focus::Sessions, area, buffer);
}

/// The line above a list: which one it is, which other one there is, and what of it is seen.
fn head(state: &State, focus: Focus, area: Rect, is_wide: bool, buffer: &mut Buffer) -> Rect {
    let (has_project, has_sessions) = (state.has_project(), state.has_sessions());
    let name = |focus: Focus| match focus {
        Focus::Project => " Project ",
        Focus::Sessions => " Sessions ",
    };
    let mut titles = Vec::new();
    if is_wide || !(has_project && has_sessions) {
        let is_focus = state.focus() == focus;
        let style = if is_focus { STRONG } else { FAINT };
        titles.push(Span::styled(name(focus), style));
    } else {
        for tab in [Focus::Project, Focus::Sessions] {
            let style = if tab == focus {
                STRONG.add_modifier(Modifier::REVERSED)
            } else {
                FAINT
            };
            titles.push(Span::styled(name(tab), style));
        }
    }
    let list = match focus {
        Focus::Project => &state.project_list,
        Focus::Sessions => &state.session_list,
    };
    let mut notes = Vec::new();
    if !state.filter.is_empty() {
        notes.push(format!("/{}", steady(state.filter.trim())));
    }
    match state.show {
        Show::All => {}
        Show::Open => notes.push("open".to_owned()),
        Show::HeldUp => notes.push("held up".to_owned()),
    }
    let (place, total) = list.count();
    if list.len() > usize::from(area.height.saturating_sub(1)) {
        notes.push(format!("{place} of {total}"));
    } else if !notes.is_empty() {
        notes.push(total.to_string());
    }
    heading(state, titles, &notes.join(state.look.dot()), area, buffer)
}

fn draw(state: &State, list: &Listing, focus: Focus, area: Rect, buffer: &mut Buffer) {
    let has_focus = state.focus() == focus;
    for ((row, is_selected), area) in list.seen(usize::from(area.height)).zip(lines(area)) {
        match row {
            Row::Heading(number) => session(state, *number, area, buffer),
            Row::Task { place, number } => {
                let Some((board, task)) = state.board(&place.board).zip(state.task(place)) else {
                    continue;
                };
                let number = (focus == Focus::Sessions).then_some(*number);
                one(state, board, task, number, area, buffer);
                if is_selected && has_focus {
                    select(area, buffer);
                }
            }
        }
    }
}

/// Marks the row that the cursor is on. Faint text would be hard to read reversed.
fn select(area: Rect, buffer: &mut Buffer) {
    let style = Style::reset().add_modifier(Modifier::REVERSED);
    buffer.set_style(area, style);
}

/// Whose list follows.
fn session(state: &State, number: usize, area: Rect, buffer: &mut Buffer) {
    let Some(list) = state.sessions.get(number) else {
        return;
    };
    let progress = list.board.progress();
    let figures = format!(
        "{}/{} ",
        progress.with_status(Status::Done),
        progress.wanted()
    );
    let room = usize::from(area.width).saturating_sub(figures.len() + 3);
    let name = state.look.cut(&steady(list.name.as_str()), room);
    let mut left = vec![Span::raw(" "), Span::styled(name.clone(), STRONG)];
    if let Some(client) = state.clients.get(&list.name) {
        let room = room.saturating_sub(name.width() + 2);
        let client = format!("  {}", state.look.cut(&steady(client), room));
        left.push(Span::styled(client, FAINT));
    }
    line(left, vec![Span::raw(figures)], area, buffer);
}

/// In fewer columns than this, titles in notes say nothing.
const SHORT: usize = 24;

/// How much is said about a task beside its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Full,
    /// The same, on the list of a session.
    FullOnOwnList,
    /// What fits so many columns.
    Short(usize),
}

/// One task: its sign, its words, and what else matters.
fn one(
    state: &State,
    board: &Board,
    task: &Task,
    number: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let look = state.look;
    let width = usize::from(area.width);
    let length = match number {
        Some(_) => Length::FullOnOwnList,
        None => Length::Full,
    };
    let number = number
        .map(|number| format!("{number:>3}. "))
        .unwrap_or_default();
    let urgent = match task.priority {
        Priority::High if task.status.is_open() => "high ",
        Priority::High | Priority::Medium | Priority::Low => "",
    };
    let room = width.saturating_sub(1 + number.len() + look.sign_width() + 1 + urgent.len() + 1);
    let label = steady(task.label().as_str());
    // The words of the task come first; notes get what they leave, but never less than a third.
    let left_over = room.saturating_sub(label.width() + 2).max(room / 3);
    let mut notes = notes(look, board, task, length);
    // Titles may be cut where they are long enough to say something; a name is shortened instead.
    let names_others = task.status.is_open() && board.open_dependencies(task).next().is_some();
    if notes.width() > left_over && (left_over < SHORT || !names_others) {
        notes = self::notes(look, board, task, Length::Short(left_over));
    }
    let notes = look.cut(&notes, left_over);
    let taken = if notes.is_empty() {
        0
    } else {
        notes.width() + 2
    };
    let label = look.cut(&label, room.saturating_sub(taken));
    let style = match task.status {
        Status::InProgress => STRONG,
        Status::Done | Status::Cancelled => FAINT,
        Status::Pending | Status::Blocked | Status::Deferred => PLAIN,
    };
    let left = vec![
        Span::raw(format!(" {number}{} ", look.sign(task.status))),
        Span::styled(urgent, look.bad()),
        Span::styled(label, style),
    ];
    line(
        left,
        vec![Span::styled(format!("{notes} "), FAINT)],
        area,
        buffer,
    );
}

/// What holds a task up, how far it is and who has it.
fn notes(look: Appearance, board: &Board, task: &Task, length: Length) -> String {
    let mut notes = Vec::new();
    match (&task.assignee, length) {
        (Some(who), Length::Full) => notes.push(look.name(who, usize::MAX)),
        (Some(who), Length::Short(room)) => notes.push(look.name(who, room.min(12))),
        // Whose list it is, is said above it.
        (Some(_), Length::FullOnOwnList) | (None, _) => {}
    }
    if !task.subtasks.is_empty() {
        let done = task.subtasks.len() - task.open_subtasks();
        notes.push(format!("{done}/{} subtasks", task.subtasks.len()));
    }
    let waits: Vec<&Task> = if task.status.is_open() {
        board.open_dependencies(task).collect()
    } else {
        Vec::new()
    };
    let titles = || {
        let titles = waits.iter().map(|task| steady(task.title.as_str()));
        titles.collect::<Vec<_>>().join(", ")
    };
    match (waits.len(), length) {
        (0, _) => {}
        (count, Length::Short(_)) => notes.push(format!("waits for {count}")),
        (1, Length::Full | Length::FullOnOwnList) => notes.push(format!("waits for {}", titles())),
        (count, Length::Full | Length::FullOnOwnList) => {
            notes.push(format!("waits for {count}: {}", titles()));
        }
    }
    if let Length::Short(room) = length {
        // Better none of a note than a part of it.
        while notes.len() > 1 && notes.join(look.dot()).width() > room {
            notes.pop();
        }
    }
    notes.join(look.dot())
}

/// Why there is nothing on the list.
fn nothing(state: &State, area: Rect, buffer: &mut Buffer) {
    let is_narrowed = !state.filter.is_empty() || state.show != Show::All;
    let texts: &[&str] = if is_narrowed {
        &["No task is like that. Esc clears the filter, a shows everything."]
    } else if state.has_project() {
        &[
            "No tasks yet.",
            "Add one: todori add \"Run the tests\"",
            "Connect an agent: todori install claude-code",
        ]
    } else if state.name.is_some() {
        &[]
    } else {
        &["No session has a list now."]
    };
    for (text, row) in texts.iter().zip(lines(area)) {
        line(
            vec![Span::raw(" "), Span::styled(*text, FAINT)],
            Vec::new(),
            row,
            buffer,
        );
    }
}
