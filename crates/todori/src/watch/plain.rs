//! The lists as blocks of text, for pipes: the display that agents' own todo tools have.

use todori_domain::{Board, Stage, Status, StoreError};

use super::Watched;
use crate::text::{harmless, picture};

/// How the blocks look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plain {
    /// Pictures instead of `[x]`.
    pub(crate) pictures: bool,
    /// Whether what is done is left out.
    pub(crate) open_only: bool,
}

/// All lists, one after the other; nothing if there is nothing to say.
pub(crate) fn blocks(seen: &Watched, plain: Plain) -> String {
    let Watched {
        name: _,
        project,
        sessions,
    } = seen;
    let mut text = String::new();
    match project {
        Some(Ok(snapshot)) if !snapshot.board.is_empty() => {
            block(&snapshot.board, plain, &mut text);
        }
        Some(Ok(_)) if sessions.is_empty() => text.push_str("No tasks yet.\n"),
        Some(Err(StoreError::NoBoard { .. })) if sessions.is_empty() => {
            text.push_str("There is no project here, and no session has a list.\n");
        }
        Some(Err(StoreError::NoBoard { .. })) => {
            text.push_str("There is no project here. These are the lists of sessions.\n");
        }
        None if sessions.is_empty() => text.push_str("No session has a list.\n"),
        Some(Ok(_) | Err(_)) | None => {}
    }
    for list in sessions {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("Session {}\n", harmless(list.name.as_str())));
        block(&list.board, plain, &mut text);
    }
    text
}

fn block(board: &Board, plain: Plain, text: &mut String) {
    let progress = board.progress();
    let done = progress.with_status(Status::Done);
    let busy = progress.with_status(Status::InProgress);
    text.push_str(&format!(
        "Progress: {done}/{} completed\nCurrently working on: {busy} task(s)\n\n",
        progress.wanted()
    ));
    // What was cancelled is not on the list that agents see, and does not count.
    let wanted = board
        .in_order()
        .filter(|task| Stage::of(task.status).is_some());
    for (place, task) in wanted.enumerate() {
        if plain.open_only && !task.status.is_open() {
            continue;
        }
        let sign = if plain.pictures {
            picture(task.status)
        } else {
            bracket(task.status)
        };
        let label = harmless(task.label().as_str());
        text.push_str(&format!("{}. {sign} {label}\n", place + 1));
    }
}

/// The sign of a status where there are no pictures.
pub(crate) const fn bracket(status: Status) -> &'static str {
    match status {
        Status::Pending => "[ ]",
        Status::InProgress => "[~]",
        Status::Blocked => "[!]",
        Status::Done => "[x]",
        Status::Deferred => "[z]",
        Status::Cancelled => "[-]",
    }
}
