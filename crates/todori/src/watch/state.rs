//! All that the screen knows: what there is to see, and where the person looks. Pure: no terminal, no clock, no store.

use std::collections::HashMap;
use std::sync::Arc;

use todori_domain::{
    Board, BoardKey, MIN_PREFIX, SessionName, Snapshot, Status, StoreError, Task, Timestamp,
};

use super::appearance::Appearance;
use super::current_work::{CurrentWork, clients, current_work};
use super::listing::{Listing, Place, Row};
use super::view::layout::Layout;
use super::{WatchScope, Watched};
use crate::error_text::ErrorText;
use crate::overview::{Overview, SessionList};

/// All that the screen knows.
#[derive(Debug)]
pub(crate) struct State {
    pub(super) look: Appearance,
    scope: WatchScope,
    pub(super) now: Timestamp,
    /// What the project is called; none if there is none to be watched.
    pub(super) name: Option<String>,
    /// The project's board as it could be read last.
    pub(super) project: Option<Snapshot>,
    /// Why it can't be read now.
    pub(super) trouble: Option<ErrorText>,
    pub(super) sessions: Vec<SessionList>,
    pub(super) doing: Vec<CurrentWork>,
    /// The program that speaks for a session, where it is known.
    pub(super) clients: HashMap<SessionName, String>,
    pub(super) project_list: Listing,
    pub(super) session_list: Listing,
    /// The list that keys are about; see [`State::focus`].
    wanted_focus: Focus,
    pub(super) show: Show,
    pub(super) filter: String,
    /// Whether the filter is being typed.
    pub(super) is_typing: bool,
    /// What is open above the lists.
    pub(super) over: Option<Over>,
    pub(super) message: Option<Message>,
    pub(super) columns: u16,
    pub(super) rows: u16,
}

/// The list that keys are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus {
    Project,
    Sessions,
}

/// Which tasks are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    All,
    /// Not what is done or cancelled.
    Open,
    /// Only what waits for something else, or is marked as blocked.
    HeldUp,
}

/// What is open above the lists, and how far it is scrolled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Over {
    Details { place: Place, top: usize },
    Help { top: usize },
}

/// What the bottom line says until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Done,
    Refused,
}

impl State {
    /// Knows nothing yet.
    pub(crate) fn new(look: Appearance, scope: WatchScope, show: Show) -> Self {
        Self {
            look,
            scope,
            now: Timestamp::UNIX_EPOCH,
            name: None,
            project: None,
            trouble: None,
            sessions: Vec::new(),
            doing: Vec::new(),
            clients: HashMap::new(),
            project_list: Listing::default(),
            session_list: Listing::default(),
            wanted_focus: Focus::Project,
            show,
            filter: String::new(),
            is_typing: false,
            over: None,
            message: None,
            columns: 80,
            rows: 24,
        }
    }

    /// Sees something new.
    pub(crate) fn see(&mut self, overview: Overview) {
        let is_first = self.project.is_none() && self.sessions.is_empty();
        let Watched {
            name,
            project,
            sessions,
        } = self.scope.of(overview);
        self.name = name;
        self.sessions = sessions;
        self.trouble = None;
        match project {
            None => self.project = None,
            Some(Ok(snapshot)) => self.project = Some(snapshot),
            Some(Err(error)) => {
                // What was seen last is still better than nothing.
                if matches!(error, StoreError::NoBoard { .. }) {
                    self.project = None;
                }
                self.trouble = Some(ErrorText::of(&error));
            }
        }
        self.doing = current_work(self.project.as_ref(), &self.sessions);
        let history = self.project.as_ref().map(|project| &project.history.events);
        self.clients = history.map(|history| clients(history)).unwrap_or_default();
        self.list();
        if is_first {
            self.find_work();
        }
    }

    /// Looks at where work is going on, or is to go on.
    fn find_work(&mut self) {
        let Some(board) = self
            .project
            .as_ref()
            .map(|project| Arc::clone(&project.board))
        else {
            return;
        };
        let status = |place: &Place| board.get(place.id).map(|task| task.status);
        let list = &mut self.project_list;
        let _ = list.find(|place| status(place) == Some(Status::InProgress))
            || list.find(|place| status(place).is_some_and(Status::is_open));
        self.scroll();
    }

    /// Knows how late it is.
    pub(crate) fn tick(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Has so much room.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        (self.columns, self.rows) = (columns, rows);
        self.scroll();
    }

    pub(crate) fn say(&mut self, message: Message) {
        self.message = Some(message);
    }

    /// Works out the rows of both lists.
    pub(super) fn list(&mut self) {
        let words: Vec<String> = self
            .filter
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let is_listed = |board: &Board, task: &Task| {
            let shown = match self.show {
                Show::All => true,
                Show::Open => task.status.is_open(),
                Show::HeldUp => is_held_up(board, task),
            };
            shown && matches(&words, task)
        };
        let rows = |board: &Board, name: &BoardKey| -> Vec<Row> {
            let tasks = board.in_order().enumerate();
            let tasks = tasks.filter(|(_, task)| is_listed(board, task));
            tasks
                .map(|(place, task)| Row::Task {
                    place: Place {
                        board: name.clone(),
                        id: task.id,
                    },
                    number: place + 1,
                })
                .collect()
        };
        let project = self.project.as_ref();
        let project_rows = project
            .map(|project| rows(&project.board, &BoardKey::Project))
            .unwrap_or_default();
        let mut session_rows = Vec::new();
        for (number, list) in self.sessions.iter().enumerate() {
            let rows = rows(&list.board, &BoardKey::Session(list.name.clone()));
            if !rows.is_empty() {
                session_rows.push(Row::Heading(number));
                session_rows.extend(rows);
            }
        }
        self.project_list.show(project_rows);
        self.session_list.show(session_rows);
        self.scroll();
    }

    /// Makes sure that what the person looks at can be seen.
    pub(super) fn scroll(&mut self) {
        let layout = Layout::of(self);
        let height = |area: Option<ratatui_core::layout::Rect>| {
            area.map_or(1, |area| usize::from(area.height.saturating_sub(1)))
        };
        self.project_list.scroll(height(layout.project));
        self.session_list.scroll(height(layout.sessions));
    }

    /// The list that keys are about: the wanted one, if it is there.
    pub(super) fn focus(&self) -> Focus {
        match (self.has_project(), self.has_sessions()) {
            (true, true) => self.wanted_focus,
            (true, false) => Focus::Project,
            // A project that can't be read is still one.
            (false, false) if self.name.is_some() => Focus::Project,
            (false, true | false) => Focus::Sessions,
        }
    }

    pub(super) fn switch(&mut self) {
        self.wanted_focus = match self.focus() {
            Focus::Project => Focus::Sessions,
            Focus::Sessions => Focus::Project,
        };
        self.scroll();
    }

    /// Whether there is a list of the project, or one that only can't be read.
    pub(super) fn has_project(&self) -> bool {
        self.project.is_some()
    }

    pub(super) fn has_sessions(&self) -> bool {
        !self.sessions.is_empty()
    }

    pub(super) fn listing(&self) -> &Listing {
        match self.focus() {
            Focus::Project => &self.project_list,
            Focus::Sessions => &self.session_list,
        }
    }

    pub(super) fn listing_mut(&mut self) -> &mut Listing {
        match self.focus() {
            Focus::Project => &mut self.project_list,
            Focus::Sessions => &mut self.session_list,
        }
    }

    /// The task that is open, or that the cursor is on.
    pub(super) fn selected(&self) -> Option<&Place> {
        match &self.over {
            Some(Over::Details { place, .. }) => Some(place),
            Some(Over::Help { .. }) => None,
            None => self.listing().selected(),
        }
    }

    /// The board that a place is on, if it is still there.
    pub(super) fn board(&self, name: &BoardKey) -> Option<&Board> {
        match name {
            BoardKey::Project => Some(&self.project.as_ref()?.board),
            BoardKey::Session(session) => {
                let list = self.sessions.iter().find(|list| list.name == *session)?;
                Some(&list.board)
            }
        }
    }

    pub(super) fn task(&self, place: &Place) -> Option<&Arc<Task>> {
        self.board(&place.board)?.get(place.id)
    }
}

/// Whether an open task can't go on now.
pub(super) fn is_held_up(board: &Board, task: &Task) -> bool {
    task.status == Status::Blocked
        || (task.status.is_open() && board.open_dependencies(task).next().is_some())
}

/// Whether each word is somewhere in what is known of a task.
fn matches(words: &[String], task: &Task) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut text = task.title.as_str().to_lowercase();
    let active_form = task
        .active_form
        .as_ref()
        .map(|form| form.as_str().to_lowercase());
    let who = task
        .assignee
        .as_ref()
        .map(|who| who.as_str().to_lowercase());
    for more in [active_form, who].into_iter().flatten() {
        text.push('\n');
        text.push_str(&more);
    }
    let (status, priority) = (task.status.as_str(), task.priority.as_str());
    text.push_str(&format!("\n{status}\n{priority}"));
    let id = task.id.to_string();
    // Any few digits are somewhere in an id, so that only its beginning counts.
    let is_id = |word: &str| word.len() >= MIN_PREFIX && id.starts_with(word);
    words
        .iter()
        .all(|word| text.contains(word.as_str()) || is_id(word))
}
