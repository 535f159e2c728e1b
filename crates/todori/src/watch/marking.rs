//! Changes where a task of the project stands, in the name of the person who watches, and says what became of it.

use todori_domain::{
    Answer, BoardKey, Command, Refusal, Request, Status, StoreError, TaskEdit, TaskId, TaskRef,
    Tracker, Verdict,
};

use super::state::{Message, Tone};
use crate::clock;
use crate::config::Settings;
use crate::error_text::ErrorText;
use crate::event_text::who;

/// Marks a task.
pub(super) async fn mark(
    tracker: &Tracker,
    settings: &Settings,
    id: TaskId,
    status: Status,
) -> Message {
    let edit = TaskEdit {
        status: Some(status),
        ..TaskEdit::default()
    };
    let command = Command::Edit {
        task: TaskRef::from(id),
        edit,
    };
    let moment = clock::now(settings.person.clone());
    let answer = tracker
        .handle(&BoardKey::Project, moment, Request::Write(vec![command]))
        .await;
    match told(answer, id, status) {
        Ok(text) => Message {
            text,
            tone: Tone::Done,
        },
        Err(Failure::Refused(text)) => Message {
            text,
            tone: Tone::Refused,
        },
        Err(Failure::Store(error)) => {
            let ErrorText { message, hint } = ErrorText::of(&error);
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            Message {
                text: format!("{message}{hint}"),
                tone: Tone::Refused,
            }
        }
    }
}

enum Failure {
    Refused(String),
    Store(StoreError),
}

fn told(answer: Result<Answer, StoreError>, id: TaskId, status: Status) -> Result<String, Failure> {
    let answer = answer.map_err(Failure::Store)?;
    let refused = |text: &str| Failure::Refused(text.to_owned());
    if let Verdict::Refused(refusal) = &answer.verdict {
        // A whole id and a status: nothing else can be wrong with them.
        let Refusal::TaskNotFound { .. } = refusal else {
            return Err(refused("the board has changed meanwhile; try again"));
        };
    }
    let board = &answer.board;
    let task = board
        .get(id)
        .ok_or_else(|| refused("this task is no longer on the board"))?;
    let own = task.assignee.as_ref() == Some(&answer.moment.actor.session);
    if status == Status::InProgress && !own {
        let holder = task.assignee.as_ref().map_or("somebody", who);
        return Err(Failure::Refused(format!(
            "{holder} has this task in progress"
        )));
    }
    let word = match status {
        Status::Pending => "Reopened",
        Status::InProgress => "Started",
        Status::Blocked => "Blocked",
        Status::Done => "Done",
        Status::Deferred => "Deferred",
        Status::Cancelled => "Cancelled",
    };
    let mut freed = board.open_dependents(id);
    let freed = freed
        .by_ref()
        .filter(|task| board.open_dependencies(task).next().is_none());
    let freed = if status.is_open() { 0 } else { freed.count() };
    let freed = match freed {
        0 => String::new(),
        1 => ", one task is free now".to_owned(),
        _ => format!(", {freed} tasks are free now"),
    };
    // The title comes last: it may be long, and is what the person knows already.
    let title = task.title.as_str();
    Ok(format!("{word}{freed}; todori undo takes it back: {title}"))
}
