//! Which tasks, in which order, from where on. Knows boards, not words: names of fields and limits are the dialects'.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::{Board, Priority, Status, Task, Timestamp};

/// Which tasks are wanted; what is left empty does not narrow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Any of these.
    pub statuses: Vec<Status>,
    /// Any of these.
    pub priorities: Vec<Priority>,
    /// Made later than this.
    pub created_after: Option<Timestamp>,
    /// Made earlier than this.
    pub created_before: Option<Timestamp>,
    /// Changed later than this.
    pub updated_after: Option<Timestamp>,
    /// Changed earlier than this.
    pub updated_before: Option<Timestamp>,
}

impl Filter {
    /// Whether a task is wanted.
    pub fn takes(&self, task: &Task) -> bool {
        let Self {
            statuses,
            priorities,
            created_after,
            created_before,
            updated_after,
            updated_before,
        } = self;
        (statuses.is_empty() || statuses.contains(&task.status))
            && (priorities.is_empty() || priorities.contains(&task.priority))
            && created_after.is_none_or(|limit| task.created > limit)
            && created_before.is_none_or(|limit| task.created < limit)
            && updated_after.is_none_or(|limit| task.updated > limit)
            && updated_before.is_none_or(|limit| task.updated < limit)
    }
}

/// What to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortField {
    /// Low to high.
    Priority,
    /// Oldest first.
    Created,
    /// Longest untouched first.
    Updated,
    /// In the order of [`Status::ALL`].
    Status,
}

/// Which way to sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first; ties in list order.
    Ascending,
    /// Exactly the reverse of that.
    Descending,
}

/// How to sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// By what.
    pub field: SortField,
    /// Which way.
    pub direction: Direction,
}

/// One page of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<'a> {
    /// The tasks from the offset on, at most as many as asked for.
    pub tasks: Vec<&'a Arc<Task>>,
    /// How many there are on all pages.
    pub total: usize,
}

/// Finds the tasks that the filter takes, sorts them (by their place in the list if not told otherwise), and gives
/// at most `limit` of them from `offset` on.
pub fn query<'a>(
    board: &'a Board,
    filter: &Filter,
    sort: Option<Sort>,
    offset: usize,
    limit: usize,
) -> Page<'a> {
    let Some(sort) = sort else {
        return in_list_order(board, filter, offset, limit);
    };
    let mut tasks: Vec<&Arc<Task>> = board.in_order().filter(|task| filter.takes(task)).collect();
    // The sort is stable, so ties keep the order of the list.
    tasks.sort_by(|a, b| compare(sort.field, a, b));
    if sort.direction == Direction::Descending {
        tasks.reverse();
    }
    let total = tasks.len();
    let tasks = tasks.into_iter().skip(offset).take(limit).collect();
    Page { tasks, total }
}

/// Looks at no more tasks than it must: without a filter at one page of them, with one at all, keeping one page.
fn in_list_order<'a>(board: &'a Board, filter: &Filter, offset: usize, limit: usize) -> Page<'a> {
    if *filter == Filter::default() {
        return Page {
            tasks: board.in_order_from(offset).take(limit).collect(),
            total: board.len(),
        };
    }
    let mut total = 0;
    let mut tasks = Vec::new();
    for task in board.in_order().filter(|task| filter.takes(task)) {
        if total >= offset && tasks.len() < limit {
            tasks.push(task);
        }
        total += 1;
    }
    Page { tasks, total }
}

fn compare(field: SortField, a: &Task, b: &Task) -> Ordering {
    match field {
        SortField::Priority => a.priority.cmp(&b.priority),
        SortField::Created => a.created.cmp(&b.created),
        SortField::Updated => a.updated.cmp(&b.updated),
        SortField::Status => a.status.cmp(&b.status),
    }
}
