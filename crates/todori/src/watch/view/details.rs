//! Everything about one task: its words, its subtasks, what it waits for, and what happened to it.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use todori_domain::{Board, BoardKey, Event, Status, Task, Timestamp};

use super::recent::word;
use crate::event_text;
use crate::text::{age, steady, wrap};
use crate::watch::appearance::{FAINT, PLAIN, STRONG};
use crate::watch::listing::Place;
use crate::watch::state::State;

/// How wide the names of fields are.
const NAMES: usize = 12;

pub(super) fn lines(state: &State, place: &Place, width: u16) -> Vec<Line<'static>> {
    let width = usize::from(width);
    let Some((board, task)) = state.board(&place.board).zip(state.task(place)) else {
        return vec![
            Line::default(),
            Line::from(" This task is no longer on the board."),
        ];
    };
    let mut page = Page {
        lines: vec![Line::default()],
        state,
        width,
    };
    // Taken apart completely: a field that is new must be thought of here, and in what shows it.
    let Task {
        id: _,
        title,
        active_form: _,
        description,
        status,
        priority: _,
        waits_for: _,
        subtasks: _,
        next_subtask: _,
        assignee: _,
        rank: _,
        created: _,
        updated: _,
        completed: _,
    } = &**task;
    let sign = state.look.sign(*status);
    page.text(&format!("{sign} "), &steady(title.as_str()), STRONG);
    page.blank();
    page.fields(board, task, place);
    if let Some(text) = description {
        page.blank();
        for line in text.as_str().lines() {
            page.text("", &steady(line), PLAIN);
        }
    }
    page.subtasks(task);
    page.relations(board, task);
    if place.board == BoardKey::Project {
        page.history(task);
    }
    page.lines
}

struct Page<'a> {
    lines: Vec<Line<'static>>,
    state: &'a State,
    width: usize,
}

impl Page<'_> {
    fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    fn heading(&mut self, text: String) {
        self.blank();
        self.lines
            .push(Line::from(vec![Span::raw(" "), Span::styled(text, STRONG)]));
    }

    /// A harmless text as long as it is, with something before its first line.
    fn text(&mut self, before: &str, text: &str, style: Style) {
        let indent = unicode_width::UnicodeWidthStr::width(before);
        let room = self.width.saturating_sub(indent + 2);
        for (number, line) in wrap(text, room).into_iter().enumerate() {
            let before = if number == 0 {
                before.to_owned()
            } else {
                " ".repeat(indent)
            };
            self.lines.push(Line::from(vec![
                Span::raw(format!(" {before}")),
                Span::styled(line, style),
            ]));
        }
    }

    fn field(&mut self, name: &str, value: &str) {
        let room = self.width.saturating_sub(NAMES + 2);
        for (number, value) in wrap(value, room).into_iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            self.lines.push(Line::from(vec![
                Span::styled(format!(" {name:<NAMES$}"), FAINT),
                Span::raw(value),
            ]));
        }
    }

    fn fields(&mut self, board: &Board, task: &Task, place: &Place) {
        if let Some(form) = &task.active_form {
            self.field("doing", &steady(form.as_str()));
        }
        let mut status = task.status.as_str().to_owned();
        let doing = self
            .state
            .doing
            .iter()
            .find(|doing| doing.task.id == task.id);
        if let Some(doing) = doing {
            match age(self.state.now, doing.since).as_str() {
                "now" => status.push_str(", just begun"),
                age => status.push_str(&format!(" for {age}")),
            }
            if doing.is_gone {
                status.push_str(", by a session that has ended");
            }
        }
        self.field("status", &status);
        let who = match &place.board {
            BoardKey::Session(session) => Some(session),
            BoardKey::Project => task.assignee.as_ref(),
        };
        if let Some(who) = who {
            let client = self.state.clients.get(who);
            let client = client
                .map(|client| format!(" ({client})"))
                .unwrap_or_default();
            self.field(
                "session",
                &steady(&format!("{}{client}", event_text::who(who))),
            );
        }
        self.field("priority", task.priority.as_str());
        self.field("id", &board.short_id(task.id, 8));
        self.when("created", task.created);
        self.when("updated", task.updated);
        if let Some(time) = task.completed {
            self.when("completed", time);
        }
    }

    fn when(&mut self, name: &str, then: Timestamp) {
        let text = then.to_string();
        let (day, time) = (text.get(..10), text.get(11..16));
        let (day, time) = (day.unwrap_or_default(), time.unwrap_or_default());
        let age = match age(self.state.now, then).as_str() {
            "now" => "just now".to_owned(),
            age => format!("{age} ago"),
        };
        self.field(name, &format!("{age}, {day} {time} UTC"));
    }

    fn subtasks(&mut self, task: &Task) {
        if task.subtasks.is_empty() {
            return;
        }
        let done = task.subtasks.len() - task.open_subtasks();
        self.heading(format!("Subtasks {done}/{}", task.subtasks.len()));
        for subtask in &task.subtasks {
            let before = format!(
                "{:>3}. {} ",
                subtask.number,
                self.state.look.sign(subtask.status)
            );
            self.text(
                &before,
                &steady(subtask.title.as_str()),
                style(subtask.status),
            );
            let description = subtask.description.iter();
            for line in description.flat_map(|text| text.as_str().lines()) {
                self.text("        ", &steady(line), FAINT);
            }
        }
    }

    fn relations(&mut self, board: &Board, task: &Task) {
        if !task.waits_for.is_empty() {
            self.heading("Waits for".to_owned());
        }
        for &id in &task.waits_for {
            match board.get(id) {
                Some(other) => self.related(board, other),
                None => self.text("", &format!("{id}, which is no longer on the board"), FAINT),
            }
        }
        let mut waiting = board.open_dependents(task.id).peekable();
        if waiting.peek().is_some() {
            self.heading("These wait for it".to_owned());
        }
        for other in waiting {
            self.related(board, other);
        }
    }

    fn related(&mut self, board: &Board, other: &Task) {
        let id = board.short_id(other.id, 8);
        let before = format!("{} {id} ", self.state.look.sign(other.status));
        self.text(&before, &steady(other.title.as_str()), style(other.status));
    }

    fn history(&mut self, task: &Task) {
        let state = self.state;
        let history = state
            .project
            .iter()
            .flat_map(|project| &project.history.events);
        let own: Vec<&Event> = history
            .filter(|event| event.change.id() == Some(task.id))
            .collect();
        self.heading("History".to_owned());
        for event in &own {
            let (word, style) = word(state, event);
            let client = event.client.as_ref();
            let client = client
                .map(|client| format!(" ({client})"))
                .unwrap_or_default();
            let who = steady(&format!("{}{client}", event_text::who(&event.by)));
            self.lines.push(Line::from(vec![
                Span::styled(format!(" {:>8}  ", age(state.now, event.at)), FAINT),
                Span::styled(format!("{word:<9}  "), style),
                Span::raw(who),
            ]));
        }
        let id = task.id.prefix(8);
        self.text("", &format!("All of it: todori log {id}"), FAINT);
    }
}

fn style(status: Status) -> Style {
    if status.is_open() { PLAIN } else { FAINT }
}
