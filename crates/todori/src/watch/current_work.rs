//! What each agent is doing now: on the project's board and on its own list.

use std::collections::HashMap;
use std::sync::Arc;

use todori_domain::{Board, Event, SessionName, Snapshot, Status, Task, TaskId, Timestamp};

use crate::overview::SessionList;

/// Somebody does something.
#[derive(Debug, Clone)]
pub(super) struct CurrentWork {
    pub(super) task: Arc<Task>,
    /// Who; nobody if the board does not say so.
    pub(super) who: Option<SessionName>,
    pub(super) since: Timestamp,
    /// Whether the session has ended without finishing it.
    pub(super) is_gone: bool,
}

/// What everybody is doing.
pub(super) fn current_work(
    project: Option<&Snapshot>,
    sessions: &[SessionList],
) -> Vec<CurrentWork> {
    let mut all = Vec::new();
    if let Some(snapshot) = project {
        let begun = begun(&snapshot.history.events);
        for task in in_progress(&snapshot.board) {
            let who = task.assignee.clone();
            let is_live = |who: &SessionName| who.is_person() || snapshot.live.contains(who);
            all.push(CurrentWork {
                is_gone: who.as_ref().is_some_and(|who| !is_live(who)),
                since: begun.get(&task.id).copied().unwrap_or(task.updated),
                who,
                task: Arc::clone(task),
            });
        }
    }
    for list in sessions {
        all.extend(in_progress(&list.board).map(|task| CurrentWork {
            task: Arc::clone(task),
            who: Some(list.name.clone()),
            since: task.updated,
            is_gone: false,
        }));
    }
    all
}

fn in_progress(board: &Board) -> impl Iterator<Item = &Arc<Task>> {
    let tasks = board.in_order();
    tasks.filter(|task| task.status == Status::InProgress)
}

/// When tasks were begun last, as far as the history goes back.
fn begun(history: &[Event]) -> HashMap<TaskId, Timestamp> {
    let mut begun = HashMap::new();
    for event in history {
        let is_busy = |task: &Option<Arc<Task>>| {
            task.as_ref()
                .is_some_and(|task| task.status == Status::InProgress)
        };
        let change = &event.change;
        if is_busy(&change.after)
            && !is_busy(&change.before)
            && let Some(id) = change.id()
        {
            // The newest event comes first.
            begun.entry(id).or_insert(event.at);
        }
    }
    begun
}

/// The program that spoke for each session, as far as the history goes back.
pub(super) fn clients(history: &[Event]) -> HashMap<SessionName, String> {
    let mut clients = HashMap::new();
    for event in history {
        if let Some(client) = &event.client
            && !event.by.is_person()
        {
            clients
                .entry(event.by.clone())
                .or_insert_with(|| client.clone());
        }
    }
    clients
}
