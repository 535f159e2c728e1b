//! What follows from a whole board, worked out once for each version of it, so that reading a board of ten thousand
//! tasks costs no more than reading one of ten.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::{Board, Graph, Progress, SessionName, Status, Task, TaskId};

/// What follows from the tasks of a board.
#[derive(Debug, Clone)]
pub(crate) struct Outlook {
    /// Who waits for a task, in list order.
    pub(crate) dependents: HashMap<TaskId, Vec<TaskId>>,
    /// Tasks whose dependencies are all settled, best first: those that are pending or in progress, then the others.
    pub(crate) free: Vec<TaskId>,
    /// The free tasks that are in progress, in the same order.
    pub(crate) begun: Vec<TaskId>,
    /// The sessions that have tasks in progress.
    pub(crate) holders: BTreeSet<SessionName>,
    /// How many tasks there are of each kind.
    pub(crate) progress: Progress,
    /// The waits of the longest chain.
    pub(crate) longest_chain: usize,
}

impl Outlook {
    pub(crate) fn of(board: &Board) -> Self {
        let mut dependents: HashMap<TaskId, Vec<TaskId>> = HashMap::new();
        for task in board.in_order() {
            for &target in &task.waits_for {
                dependents.entry(target).or_default().push(task.id);
            }
        }
        let free = free_tasks(board, &dependents);
        let in_progress = |task: &Task| task.status == Status::InProgress;
        let begun = free.iter().copied();
        let begun = begun
            .filter(|&id| board.get(id).is_some_and(|task| in_progress(task)))
            .collect();
        let holders = board.by_id().filter(|task| in_progress(task));
        let holders = holders.filter_map(|task| task.assignee.clone()).collect();
        let edges = board.by_id().map(|task| (task.id, task.waits_for.clone()));
        let longest_chain = Graph::new(edges).longest_chain();
        Self {
            dependents,
            free,
            begun,
            holders,
            progress: Progress::of(board),
            longest_chain,
        }
    }
}

/// Whether everything that the task waits for is done or cancelled. What is no longer on the board holds nobody up.
pub(crate) fn is_free(board: &Board, task: &Task) -> bool {
    open_dependencies(board, task).next().is_none()
}

/// The tasks that this one waits for and that are not done yet.
pub(crate) fn open_dependencies<'a>(
    board: &'a Board,
    task: &'a Task,
) -> impl Iterator<Item = &'a Task> {
    let targets = task.waits_for.iter().filter_map(|&id| board.get(id));
    targets
        .map(AsRef::as_ref)
        .filter(|target| target.status.is_open())
}

fn free_tasks(board: &Board, dependents: &HashMap<TaskId, Vec<TaskId>>) -> Vec<TaskId> {
    let mut free: Vec<_> = board
        .in_order()
        .enumerate()
        .filter(|(_, task)| is_free(board, task))
        .map(|(place, task)| {
            let usual = matches!(task.status, Status::Pending | Status::InProgress);
            let waiting = open_dependents(board, dependents, task.id).count();
            (
                (
                    Reverse(usual),
                    Reverse(task.priority),
                    Reverse(waiting),
                    place,
                ),
                task.id,
            )
        })
        .collect();
    free.sort_unstable_by_key(|(key, _)| *key);
    free.into_iter().map(|(_, id)| id).collect()
}

/// The open tasks that wait for this one.
pub(crate) fn open_dependents<'a>(
    board: &'a Board,
    dependents: &'a HashMap<TaskId, Vec<TaskId>>,
    id: TaskId,
) -> impl Iterator<Item = &'a Task> {
    let waiting = dependents.get(&id).into_iter().flatten();
    waiting
        .filter_map(|&id| board.get(id))
        .map(AsRef::as_ref)
        .filter(|task| task.status.is_open())
}
