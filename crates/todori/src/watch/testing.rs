//! A small project with two agents at work, for tests of the screen.

use std::collections::BTreeSet;
use std::sync::Arc;

use todori_domain::{
    Board, Description, Event, EventNumber, HistoryPage, Priority, Rank, Revision, SessionName,
    Snapshot, Status, Subtask, Task, TaskChange, TaskId, Timestamp, Title,
};

use super::appearance::Appearance;
use super::scope::WatchScope;
use super::state::{Show, State};
use crate::overview::{Overview, SessionList};

/// Some moment, so many minutes before the one at which the tests look.
pub(super) fn ago(minutes: i64) -> Timestamp {
    let now = Timestamp::parse("2026-11-15T12:00:00Z").unwrap();
    Timestamp::from_millis(now.as_millis() - minutes * 60_000)
}

pub(super) fn id(number: usize) -> TaskId {
    let mut bytes = [0; 16];
    let number = u32::try_from(number).unwrap();
    bytes[..4].copy_from_slice(&(number + 0xabc0_0000).to_be_bytes());
    TaskId::from_bytes(bytes)
}

/// Tasks with these titles, numbered from 1, made an hour ago.
pub(super) fn tasks(titles: &[&str]) -> Vec<Task> {
    let ranks = Rank::spread(None, None, titles.len()).unwrap();
    let titled = titles.iter().zip(ranks).enumerate();
    titled
        .map(|(place, (title, rank))| {
            let title = Title::parse(title).unwrap();
            Task::new(id(place + 1), title, rank, ago(60))
        })
        .collect()
}

pub(super) fn snapshot(tasks: Vec<Task>) -> Snapshot {
    Snapshot {
        board: Arc::new(Board::from_tasks(tasks.into_iter().map(Arc::new))),
        revision: Revision(1),
        history: HistoryPage::default(),
        live: BTreeSet::new(),
    }
}

fn event(minutes: i64, by: &str, before: Option<&Task>, after: Option<&Task>) -> Event {
    let shared = |task: &Task| Arc::new(task.clone());
    Event {
        at: ago(minutes),
        by: SessionName::new(by),
        client: by
            .starts_with("claude")
            .then(|| "claude-code 2.1.325".to_owned()),
        change: TaskChange {
            before: before.map(shared),
            after: after.map(shared),
        },
        // Later ones have happened fewer minutes ago.
        number: EventNumber {
            request: 1_000 - minutes.unsigned_abs(),
            place: 0,
        },
        undoes: Arc::default(),
        is_switch: false,
    }
}

/// A project in which one agent works, one has gone, and one task is held up.
pub(super) fn project() -> Snapshot {
    let mut tasks = tasks(&[
        "Create database schema",
        "Implement API endpoints",
        "Add authentication middleware",
        "Write integration tests",
        "Update documentation",
        "Choose a payment provider",
    ]);
    let claude = SessionName::new("claude-code-1f3a9c02");
    let before = tasks.clone();
    tasks[0].status = Status::Done;
    tasks[0].completed = Some(ago(9));
    tasks[1].status = Status::InProgress;
    tasks[1].active_form = Some(Title::parse("Implementing API endpoints").unwrap());
    tasks[1].priority = Priority::High;
    tasks[1].assignee = Some(claude.clone());
    tasks[1].description =
        Description::parse("GET and POST for orders.\n\nErrors are JSON.").unwrap();
    tasks[1].subtasks = [("Routes", Status::Done), ("Validation", Status::Pending)]
        .into_iter()
        .zip(1..)
        .map(|((title, status), number)| Subtask {
            number,
            title: Title::parse(title).unwrap(),
            description: None,
            status,
        })
        .collect();
    tasks[2].waits_for = vec![id(2)];
    tasks[3].waits_for = vec![id(2), id(3)];
    tasks[4].status = Status::InProgress;
    tasks[4].assignee = Some(SessionName::new("codex-77d0a1b2"));
    tasks[4].updated = ago(200);
    tasks[5].status = Status::Blocked;
    let history = vec![
        event(2, "person:ada", Some(&before[5]), Some(&tasks[5])),
        event(4, claude.as_str(), Some(&before[1]), Some(&tasks[1])),
        event(9, claude.as_str(), Some(&before[0]), Some(&tasks[0])),
        event(60, "person:ada", None, Some(&before[0])),
    ];
    let mut snapshot = snapshot(tasks);
    snapshot.history.events = history;
    snapshot.live.insert(claude);
    snapshot
}

/// The list of a session.
pub(super) fn session() -> SessionList {
    let mut tasks = tasks(&["Read the code", "Run tests", "Fix what fails"]);
    tasks[0].status = Status::Done;
    tasks[1].status = Status::InProgress;
    tasks[1].active_form = Some(Title::parse("Running tests").unwrap());
    tasks[1].updated = ago(3);
    SessionList {
        name: SessionName::new("claude-code-1f3a9c02"),
        is_live: true,
        board: snapshot(tasks).board,
    }
}

pub(super) const FULL: Appearance = Appearance {
    color: true,
    pictures: true,
    lines: true,
};

/// A screen of a project and the lists of sessions.
pub(super) fn state(look: Appearance, project: Snapshot, sessions: Vec<SessionList>) -> State {
    let mut state = nothing(look);
    state.see(Overview::of(Some("shop"), Ok(project), sessions));
    state
}

/// A screen that has seen nothing yet.
pub(super) fn nothing(look: Appearance) -> State {
    let mut state = State::new(look, WatchScope::Everything, Show::All);
    state.tick(ago(0));
    state
}
