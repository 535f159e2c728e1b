//! What each key does to the state, and what it asks of those who run the screen.

use todori_domain::{BoardKey, Status, TaskId};

use super::listing::Step;
use super::state::{Message, Over, Show, State, Tone};
use super::view;

/// A key, whatever the terminal calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Tab,
    Backspace,
    Char(char),
    /// Text that was put in at once.
    Paste(String),
    /// Ctrl-U.
    Erase,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    /// Ctrl-L.
    Redraw,
}

/// What to do besides drawing the screen anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    Nothing,
    Quit,
    Suspend,
    Redraw,
    /// Change where a task of the project stands.
    Mark(TaskId, Status),
}

/// The most characters of a filter.
const MAX_FILTER: usize = 200;

/// All keys, as the help lists them.
pub(super) const HELP: [(&str, &str); 15] = [
    ("j k, arrows", "move"),
    ("PgUp PgDn, Space", "move by a page"),
    ("Home End, g G", "first and last"),
    (
        "Tab",
        "switch between the project's list and those of sessions",
    ),
    ("Enter", "everything about the task; again to go back"),
    (
        "/",
        "filter as you type: words of the title, a status, a name",
    ),
    ("Esc", "go back, or clear the filter"),
    ("a", "show or hide what is done or cancelled"),
    ("b", "show only what is held up, or everything again"),
    ("d", "done"),
    ("s", "start it yourself"),
    ("o", "open again: pending"),
    ("Ctrl-L", "draw the screen anew"),
    ("Ctrl-Z", "suspend; `fg` comes back"),
    ("q", "quit"),
];

impl State {
    /// Answers a key.
    pub(crate) fn key(&mut self, key: &Key) -> Action {
        match key {
            Key::Interrupt => return Action::Quit,
            Key::Suspend => return Action::Suspend,
            Key::Redraw => return Action::Redraw,
            Key::Up
            | Key::Down
            | Key::PageUp
            | Key::PageDown
            | Key::Home
            | Key::End
            | Key::Enter
            | Key::Escape
            | Key::Tab
            | Key::Backspace
            | Key::Char(_)
            | Key::Paste(_)
            | Key::Erase => {}
        }
        self.message = None;
        if self.is_typing && self.type_filter(key) {
            return Action::Nothing;
        }
        if let Some(step) = self.step(key) {
            self.go(step);
            return Action::Nothing;
        }
        match key {
            Key::Enter => self.open(),
            Key::Char('q') if self.over.is_none() => return Action::Quit,
            Key::Escape | Key::Char('q') => self.back(),
            Key::Tab => self.tab(),
            Key::Char('?') => self.over = Some(Over::Help { top: 0 }),
            Key::Char('/') => {
                self.over = None;
                self.is_typing = true;
            }
            Key::Char('a') => self.toggle(Show::Open),
            Key::Char('b') => self.toggle(Show::HeldUp),
            Key::Char('d') => return self.mark(Status::Done),
            Key::Char('s') => return self.mark(Status::InProgress),
            Key::Char('o') => return self.mark(Status::Pending),
            Key::Up
            | Key::Down
            | Key::PageUp
            | Key::PageDown
            | Key::Home
            | Key::End
            | Key::Backspace
            | Key::Char(_)
            | Key::Paste(_)
            | Key::Erase
            | Key::Interrupt
            | Key::Suspend
            | Key::Redraw => {}
        }
        Action::Nothing
    }

    /// Takes a key as part of the filter; false if it means something else even now.
    fn type_filter(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(c) => self.filter.push(*c),
            Key::Paste(text) => {
                let line = text.lines().next().unwrap_or_default();
                self.filter.extend(line.chars().filter(|c| !c.is_control()));
            }
            Key::Backspace => drop(self.filter.pop()),
            Key::Erase => self.filter.clear(),
            Key::Enter => self.is_typing = false,
            Key::Escape => {
                self.is_typing = false;
                self.filter.clear();
            }
            Key::Up
            | Key::Down
            | Key::PageUp
            | Key::PageDown
            | Key::Home
            | Key::End
            | Key::Tab
            | Key::Interrupt
            | Key::Suspend
            | Key::Redraw => return false,
        }
        if let Some((end, _)) = self.filter.char_indices().nth(MAX_FILTER) {
            self.filter.truncate(end);
        }
        let before = self.listing().selected().cloned();
        self.list();
        // What was looked for is at the top, unless the cursor is on it already.
        if self.listing().selected() != before.as_ref() {
            self.go(Step::First);
        }
        true
    }

    /// How far a key goes.
    fn step(&self, key: &Key) -> Option<Step> {
        let page = view::page(self);
        match key {
            Key::Up | Key::Char('k') => Some(Step::Up(1)),
            Key::Down | Key::Char('j') => Some(Step::Down(1)),
            Key::PageUp => Some(Step::Up(page)),
            Key::PageDown | Key::Char(' ') => Some(Step::Down(page)),
            Key::Home | Key::Char('g') => Some(Step::First),
            Key::End | Key::Char('G') => Some(Step::Last),
            Key::Enter
            | Key::Escape
            | Key::Tab
            | Key::Backspace
            | Key::Char(_)
            | Key::Paste(_)
            | Key::Erase
            | Key::Interrupt
            | Key::Suspend
            | Key::Redraw => None,
        }
    }

    fn go(&mut self, step: Step) {
        let most = view::overlay_length(self).saturating_sub(view::page(self) + 1);
        if let Some(Over::Details { top, .. } | Over::Help { top }) = &mut self.over {
            *top = match step {
                Step::Up(lines) => top.saturating_sub(lines),
                Step::Down(lines) => (*top + lines).min(most),
                Step::First => 0,
                Step::Last => most,
            };
        } else {
            self.listing_mut().step(step);
            self.scroll();
        }
    }

    fn open(&mut self) {
        if self.over.is_some() {
            self.over = None;
        } else if let Some(place) = self.selected().cloned() {
            self.over = Some(Over::Details { place, top: 0 });
        }
    }

    fn back(&mut self) {
        if self.over.take().is_none() {
            self.filter.clear();
            self.list();
        }
    }

    fn tab(&mut self) {
        self.over = None;
        if self.has_project() && self.has_sessions() {
            self.switch();
        } else if self.has_project() {
            self.refuse("no session has a list of its own now");
        }
    }

    fn toggle(&mut self, show: Show) {
        self.show = if self.show == show { Show::All } else { show };
        self.list();
    }

    fn mark(&mut self, status: Status) -> Action {
        let Some(place) = self.selected().cloned() else {
            return Action::Nothing;
        };
        match (&place.board, self.task(&place).map(|task| task.status)) {
            (BoardKey::Session(_), _) => {
                self.refuse("this is an agent's own list: only the agent changes it");
            }
            (BoardKey::Project, None) => self.refuse("this task is no longer on the board"),
            (BoardKey::Project, Some(now)) if now == status && status != Status::InProgress => {
                self.refuse(&format!("it is {} already", status.as_str()));
            }
            (BoardKey::Project, Some(_)) => return Action::Mark(place.id, status),
        }
        Action::Nothing
    }

    fn refuse(&mut self, text: &str) {
        self.message = Some(Message {
            text: text.to_owned(),
            tone: Tone::Refused,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::listing::Row;
    use crate::watch::testing::{FULL, id, project, session, state};

    fn watching() -> State {
        state(FULL, project(), vec![session()])
    }

    fn press(state: &mut State, keys: &str) -> Action {
        let mut action = Action::Nothing;
        for c in keys.chars() {
            action = state.key(&Key::Char(c));
        }
        action
    }

    /// The numbers of the tasks that are listed.
    fn check(state: &State, expected: &[usize]) {
        let rows = state.listing().seen(100);
        let numbers = rows.filter_map(|(row, _)| match row {
            Row::Task { number, .. } => Some(*number),
            Row::Heading(_) => None,
        });
        assert_eq!(numbers.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_cursor_begins_where_work_goes_on() {
        assert_eq!(watching().selected().unwrap().id, id(2));
    }

    #[test]
    fn a_filter_works_as_it_is_typed_and_escape_clears_it() {
        let mut state = watching();
        press(&mut state, "/AP");
        check(&state, &[2]);
        press(&mut state, "Q");
        check(&state, &[]);
        state.key(&Key::Backspace);
        check(&state, &[2]);
        state.key(&Key::Escape);
        check(&state, &[1, 2, 3, 4, 5, 6]);
        press(&mut state, "/blocked");
        check(&state, &[6]);
        // Kept when it is no longer typed, and then letters are keys again.
        state.key(&Key::Enter);
        assert_eq!(press(&mut state, "d"), Action::Mark(id(6), Status::Done));
        state.key(&Key::Escape);
        check(&state, &[1, 2, 3, 4, 5, 6]);
        press(&mut state, "/integration WRITE");
        check(&state, &[4]);
        state.key(&Key::Erase);
        press(&mut state, "codex");
        check(&state, &[5]);
        // The beginning of an id, as `abc00003`.
        state.key(&Key::Erase);
        press(&mut state, "ABC00003");
        check(&state, &[3]);
        state.key(&Key::Erase);
        press(&mut state, "0003");
        check(&state, &[]);
    }

    #[test]
    fn the_first_match_of_a_filter_is_selected() {
        let mut state = watching();
        press(&mut state, "G/a");
        assert_eq!(state.selected().unwrap().id, id(6));
        press(&mut state, "t");
        assert_eq!(state.selected().unwrap().id, id(1));
    }

    #[test]
    fn what_is_done_and_what_is_free_can_be_hidden() {
        let mut state = watching();
        press(&mut state, "a");
        check(&state, &[2, 3, 4, 5, 6]);
        press(&mut state, "b");
        check(&state, &[3, 4, 6]);
        press(&mut state, "b");
        check(&state, &[1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn marking_is_for_tasks_of_the_project_only() {
        let mut state = watching();
        assert_eq!(
            press(&mut state, "s"),
            Action::Mark(id(2), Status::InProgress)
        );
        assert_eq!(press(&mut state, "gd"), Action::Nothing);
        assert_eq!(state.message.as_ref().unwrap().text, "it is done already");
        assert_eq!(press(&mut state, "o"), Action::Mark(id(1), Status::Pending));
        state.key(&Key::Tab);
        assert_eq!(press(&mut state, "d"), Action::Nothing);
        let text = &state.message.as_ref().unwrap().text;
        assert_eq!(
            text,
            "this is an agent's own list: only the agent changes it"
        );
    }

    #[test]
    fn details_are_about_one_task_even_if_the_list_moves_on() {
        let mut state = watching();
        state.key(&Key::Enter);
        press(&mut state, "jjj");
        assert_eq!(state.selected().unwrap().id, id(2));
        assert_eq!(press(&mut state, "d"), Action::Mark(id(2), Status::Done));
        assert_eq!(press(&mut state, "q"), Action::Nothing);
        assert_eq!(state.over, None);
        assert_eq!(press(&mut state, "q"), Action::Quit);
    }

    #[test]
    fn text_that_is_pasted_is_no_keys() {
        let mut state = watching();
        assert_eq!(state.key(&Key::Paste("dq".to_owned())), Action::Nothing);
        assert_eq!((state.message.as_ref(), state.filter.as_str()), (None, ""));
        press(&mut state, "/");
        state.key(&Key::Paste("docu\u{1b}mentation\nrm -rf".to_owned()));
        assert_eq!(state.filter, "documentation");
        check(&state, &[5]);
    }

    #[test]
    fn what_interrupts_does_so_everywhere() {
        let mut state = watching();
        for keys in ["", "/ab", "?"] {
            press(&mut state, keys);
            assert_eq!(state.key(&Key::Interrupt), Action::Quit);
            assert_eq!(state.key(&Key::Suspend), Action::Suspend);
        }
    }
}
