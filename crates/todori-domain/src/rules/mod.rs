//! What may be done to a board, and what follows from it. Pure: says what *would* change.

mod add;
mod complete;
mod delete;
mod draft;
mod edit;
mod place;
mod replace;
mod status;
mod subtasks;
mod undo;
mod waiting;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use complete::find_task;
use draft::Draft;

use crate::{Board, Change, Command, Event, Moment, Presence, Refusal, TaskChange};

/// What would change, and the board as it would be then.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What changes; empty when everything already is as asked.
    pub change: Change,
    /// The board after it.
    pub board: Arc<Board>,
    /// The requests that it takes back; none for anything but an undo.
    pub undoes: Arc<[u64]>,
}

impl Decision {
    /// Leaves everything as it is.
    pub fn nothing(board: &Arc<Board>) -> Self {
        Self {
            change: Change::default(),
            board: Arc::clone(board),
            undoes: Arc::default(),
        }
    }
}

/// Decides on a list of commands as one: all of them or none. Later commands see what earlier ones did.
pub fn decide(
    board: &Arc<Board>,
    commands: &[Command],
    moment: &Moment,
    presence: &dyn Presence,
) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(board, moment, presence);
    for command in commands {
        match command {
            Command::Add(new) => add::add(&mut draft, new)?,
            Command::Edit { task, edit } => edit::edit(&mut draft, task, edit)?,
            Command::Delete { task } => delete::delete(&mut draft, task)?,
            Command::AddSubtask {
                task,
                title,
                description,
            } => {
                subtasks::add(&mut draft, task, title, description.as_ref())?;
            }
            Command::EditSubtask { subtask, edit } => subtasks::edit(&mut draft, subtask, edit)?,
            Command::DeleteSubtask { subtask } => subtasks::delete(&mut draft, subtask)?,
            Command::Complete { which, completed } => {
                complete::complete(&mut draft, which, *completed)?;
            }
            Command::DeleteCompleted => delete::delete_completed(&mut draft),
            Command::Reorder { order, new } => place::reorder(&mut draft, order, new)?,
            Command::Move { task, to } => place::move_to(&mut draft, task, to)?,
            Command::Replace { items } => replace::replace(&mut draft, items)?,
        }
    }
    Ok(draft.finish())
}

/// Decides on taking back what happened, newest first: all of it or nothing. Refused where something that came later
/// would be lost.
pub fn decide_undo(
    board: &Arc<Board>,
    past: &[Event],
    moment: &Moment,
    presence: &dyn Presence,
) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(board, moment, presence);
    let changes: Vec<&TaskChange> = past.iter().map(|event| &event.change).collect();
    undo::undo(&mut draft, &changes)?;
    let requests: BTreeSet<u64> = past.iter().map(|event| event.number.request).collect();
    Ok(Decision {
        undoes: requests.into_iter().collect(),
        ..draft.finish()
    })
}
