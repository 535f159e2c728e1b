//! What became of which task: the result of a decision, and what history remembers.

use std::sync::Arc;

use crate::{SessionName, Status, Task, TaskId};

/// One task before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskChange {
    /// None when the task is new.
    pub before: Option<Arc<Task>>,
    /// None when the task is gone.
    pub after: Option<Arc<Task>>,
}

impl TaskChange {
    /// The task that changed; none only if there is neither a before nor an after.
    pub fn id(&self) -> Option<TaskId> {
        self.after
            .as_ref()
            .or(self.before.as_ref())
            .map(|task| task.id)
    }
}

/// All that one request changed, one entry for each task, sorted by id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// The tasks.
    pub tasks: Vec<TaskChange>,
}

impl Change {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether it leaves this session with a task in progress that the change touched.
    pub fn is_claimed_by(&self, session: &SessionName) -> bool {
        let mut tasks = self.tasks.iter().filter_map(|task| task.after.as_ref());
        tasks.any(|task| {
            task.status == Status::InProgress && task.assignee.as_ref() == Some(session)
        })
    }
}
