//! The numbers that people see. Counted here once, so that every face shows the same.

use crate::outlook::open_dependencies;
use crate::{Board, Priority, Status};

/// How many tasks there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    by_status: [usize; Status::ALL.len()],
    by_priority: [usize; Priority::ALL.len()],
    /// Open tasks that are marked blocked or wait for an open task.
    pub held_up: usize,
}

impl Progress {
    /// Counts the tasks of a board.
    pub fn of(board: &Board) -> Self {
        let mut progress = Self::default();
        for task in board.by_id() {
            for (status, count) in Status::ALL.iter().zip(&mut progress.by_status) {
                *count += usize::from(*status == task.status);
            }
            for (priority, count) in Priority::ALL.iter().zip(&mut progress.by_priority) {
                *count += usize::from(*priority == task.priority);
            }
            let waits = || open_dependencies(board, task).next().is_some();
            let held_up = task.status == Status::Blocked || (task.status.is_open() && waits());
            progress.held_up += usize::from(held_up);
        }
        progress
    }

    /// How many tasks there are.
    pub fn total(&self) -> usize {
        self.by_status.iter().sum()
    }

    /// How many have this status.
    pub fn with_status(&self, status: Status) -> usize {
        let counts = Status::ALL.iter().zip(&self.by_status);
        counts
            .filter(|(known, _)| **known == status)
            .map(|(_, count)| *count)
            .sum()
    }

    /// How many have this priority.
    pub fn with_priority(&self, priority: Priority) -> usize {
        let counts = Priority::ALL.iter().zip(&self.by_priority);
        counts
            .filter(|(known, _)| **known == priority)
            .map(|(_, count)| *count)
            .sum()
    }

    /// How many there are to do in all: everything but what was cancelled.
    pub fn wanted(&self) -> usize {
        self.total() - self.with_status(Status::Cancelled)
    }
}

/// Figures about a whole board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    /// How many tasks there are of each kind.
    pub progress: Progress,
    /// Over tasks that are done, from created to completed, rounded to one decimal; 0 when there are none.
    pub average_completion_days: f64,
    /// The longest chain of waiting, counted in edges.
    pub max_depth: usize,
    /// How many tasks a task waits for, rounded to one decimal; 0 when there are none.
    pub average_dependencies: f64,
}

impl Stats {
    /// Works the figures out.
    #[expect(
        clippy::cast_precision_loss,
        reason = "boards have far fewer than 2^52 tasks"
    )]
    pub fn of(board: &Board) -> Self {
        let done = board.by_id().filter(|task| task.status == Status::Done);
        let days: Vec<f64> = done
            .filter_map(|task| Some(task.completed?.days_since(task.created)))
            .collect();
        let waits: usize = board.by_id().map(|task| task.waits_for.len()).sum();
        let outlook = board.outlook();
        Self {
            progress: outlook.progress,
            average_completion_days: average(days.iter().sum(), days.len()),
            max_depth: outlook.longest_chain,
            average_dependencies: average(waits as f64, board.len()),
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "boards have far fewer than 2^52 tasks"
)]
fn average(sum: f64, count: usize) -> f64 {
    if count == 0 {
        0.0
    } else {
        (sum / count as f64 * 10.0).round() / 10.0
    }
}
