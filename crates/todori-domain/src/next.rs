//! Which task to take next, and why. Prefers what was begun, then what matters, then what others wait for.

use std::sync::Arc;

use crate::outlook::{is_free, open_dependents};
use crate::{Board, Presence, Priority, SessionName, Status, Task};

/// Which tasks may be recommended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NextFilter {
    /// Any of these; pending and in-progress if empty.
    pub statuses: Vec<Status>,
    /// Any of these; all if empty.
    pub priorities: Vec<Priority>,
}

impl NextFilter {
    fn takes(&self, task: &Task) -> bool {
        let status = if self.statuses.is_empty() {
            matches!(task.status, Status::Pending | Status::InProgress)
        } else {
            self.statuses.contains(&task.status)
        };
        status && (self.priorities.is_empty() || self.priorities.contains(&task.priority))
    }
}

/// A task to take, or none, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recommendation {
    /// The task.
    pub task: Option<Arc<Task>>,
    /// Why this one, or why none.
    pub rationale: String,
}

/// Picks the next task that the asking session should take, if any is free to start.
pub fn recommend(
    board: &Board,
    filter: &NextFilter,
    asking: &SessionName,
    presence: &dyn Presence,
) -> Recommendation {
    let outlook = board.outlook();
    let free = || {
        outlook
            .free
            .iter()
            .filter_map(|&id| board.get(id))
            .filter(|task| filter.takes(task))
    };
    let holding = |task: &Task| Holder::of(task, asking, presence);
    // The ids in `free` are sorted best first, so the first of each kind is the best of it.
    let begun = |kind: Holder| {
        let candidates = outlook.begun.iter().filter_map(|&id| board.get(id));
        candidates
            .filter(|task| filter.takes(task))
            .find(|task| holding(task) == kind)
    };
    let found = begun(Holder::Asking)
        .or_else(|| begun(Holder::Gone))
        .or_else(|| free().find(|task| holding(task) == Holder::Nobody));
    match found {
        Some(task) => Recommendation {
            rationale: why(board, task, holding(task)),
            task: Some(Arc::clone(task)),
        },
        None => Recommendation {
            task: None,
            rationale: why_none(board, filter, asking, presence),
        },
    }
}

/// Who has a task in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nobody,
    Asking,
    Gone,
    SomebodyElse,
}

impl Holder {
    fn of(task: &Task, asking: &SessionName, presence: &dyn Presence) -> Self {
        match &task.assignee {
            _ if task.status != Status::InProgress => Self::Nobody,
            Some(holder) if holder == asking => Self::Asking,
            Some(holder) if presence.is_live(holder) => Self::SomebodyElse,
            Some(_) | None => Self::Gone,
        }
    }
}

fn why(board: &Board, task: &Task, holder: Holder) -> String {
    let mut reasons = Vec::new();
    match holder {
        Holder::Asking => reasons.push("you have it in progress".to_owned()),
        Holder::Gone => reasons.push("left in progress by a session that ended".to_owned()),
        Holder::Nobody | Holder::SomebodyElse => {}
    }
    reasons.push(format!("{} priority", task.priority.as_str()));
    let waiting = open_dependents(board, &board.outlook().dependents, task.id).count();
    if task.waits_for.is_empty() {
        reasons.push("no dependencies".to_owned());
        reasons.push("topologically first".to_owned());
    } else {
        reasons.push("all dependencies completed".to_owned());
    }
    match waiting {
        0 => {}
        1 => reasons.push("1 task waits for it".to_owned()),
        more => reasons.push(format!("{more} tasks wait for it")),
    }
    format!("Recommended: {}", reasons.join(", "))
}

fn why_none(
    board: &Board,
    filter: &NextFilter,
    asking: &SessionName,
    presence: &dyn Presence,
) -> String {
    if board.is_empty() {
        return "No task is ready: the list is empty".to_owned();
    }
    let candidates = || board.in_order().filter(|task| filter.takes(task));
    let (mut waiting, mut held) = (0, 0);
    for task in candidates() {
        if !is_free(board, task) {
            waiting += 1;
        } else if Holder::of(task, asking, presence) == Holder::SomebodyElse {
            held += 1;
        }
    }
    let mut reasons = Vec::new();
    let mut add = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => reasons.push(format!("1 {one}")),
        more => reasons.push(format!("{more} {many}")),
    };
    add(
        waiting,
        "waits for open dependencies",
        "wait for open dependencies",
    );
    add(
        held,
        "is in progress in another session",
        "are in progress in other sessions",
    );
    if waiting + held == 0 {
        let progress = &board.outlook().progress;
        let narrowed = !(filter.statuses.is_empty() && filter.priorities.is_empty());
        if narrowed {
            return "No task is ready: none has such a status and priority".to_owned();
        }
        add(
            progress.with_status(Status::Blocked),
            "is blocked",
            "are blocked",
        );
        add(
            progress.with_status(Status::Deferred),
            "is deferred",
            "are deferred",
        );
    }
    if reasons.is_empty() {
        return "No task is ready: everything is done".to_owned();
    }
    format!("No task is ready: {}", reasons.join(", "))
}
