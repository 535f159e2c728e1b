//! What went wrong, with the messages and error numbers of spec/tasks.md.

use serde_json::{Value, json};
use todori_domain::{Board, Refusal, StoreError, TaskId};

use crate::arguments::Problem;
use crate::budget::shorten;
use crate::call::{Code, Fault};
use crate::wording;

const NOT_FOUND: Code = Code::Number(-32000);
const INVALID_DEPENDENCY: Code = Code::Number(-32001);
const NO_PROJECT: Code = Code::Number(-32002);
const INVALID_PARAMS: Code = Code::Number(-32602);
const INTERNAL: Code = Code::Number(-32603);

/// How many characters of the caller's input a message repeats.
const SHOWN: usize = 80;
/// How many ids or problems are listed.
const LISTED: usize = 10;

pub(super) fn invalid(problems: &[Problem]) -> Fault {
    let describe = |problem: &Problem| {
        let Problem {
            kind: _,
            path,
            expected,
        } = problem;
        let expected = shorten(expected, 200);
        if path.is_empty() {
            expected
        } else {
            format!("{}: {expected}", shorten(path, SHOWN))
        }
    };
    let listed: Vec<String> = problems.iter().take(LISTED / 2).map(describe).collect();
    let path = problems
        .first()
        .map(|problem| shorten(&problem.path, SHOWN));
    Fault::new(
        INVALID_PARAMS,
        format!("Invalid params: {}", listed.join("; ")),
        json!({"path": path}),
    )
}

pub(super) fn refusal(refusal: &Refusal, _: &Board) -> Fault {
    match refusal {
        Refusal::TaskNotFound { given } => Fault::new(
            NOT_FOUND,
            "Task not found",
            json!({"taskId": shorten(given, SHOWN)}),
        ),
        Refusal::AmbiguousId {
            given,
            candidates,
            total,
        } => Fault::new(
            NOT_FOUND,
            format!("Ambiguous task id: {total} tasks begin with it, give more characters"),
            json!({"taskId": shorten(given, SHOWN), "candidates": ids(candidates)}),
        ),
        Refusal::SubtaskNotFound { subtask, known } => {
            let known: Vec<u32> = known.iter().take(LISTED * 2).copied().collect();
            let data = json!({"subtaskId": subtask.to_string(), "known": known});
            Fault::new(NOT_FOUND, "Subtask not found", data)
        }
        Refusal::DependencyNotFound { given } => {
            let given = shorten(given, SHOWN);
            Fault::new(
                NOT_FOUND,
                format!("Dependency task not found: {given}"),
                json!({"taskId": given}),
            )
        }
        Refusal::NoSuchPlace { .. }
        | Refusal::TitleNotFound { .. }
        | Refusal::AmbiguousTitle { .. } => {
            Fault::new(NOT_FOUND, wording::refusal(refusal).message, Value::Null)
        }
        Refusal::IncompleteOrder { .. }
        | Refusal::SeveralInProgress { .. }
        | Refusal::ChangedSince { .. } => Fault::new(
            INVALID_PARAMS,
            wording::refusal(refusal).message,
            Value::Null,
        ),
        Refusal::Cycle { path } => {
            let data = json!({"cycle": ids(path), "length": path.len()});
            Fault::new(INVALID_DEPENDENCY, "Dependency would create a cycle", data)
        }
    }
}

pub(super) fn store(error: &StoreError) -> Fault {
    let hint = |hint: &str| json!({"hint": hint});
    match error {
        StoreError::NoBoard { .. } => Fault::new(
            NO_PROJECT,
            "Project root not found",
            hint(
                "Run `todori init` in the project folder, or start the server inside a git repository or with \
                --project DIR (TODORI_PROJECT_ROOT)",
            ),
        ),
        StoreError::Broken {
            what,
            at,
            reason,
            advice,
        } => {
            let mut data = json!({"file": what});
            if let (Some(at), Some(data)) = (at, data.as_object_mut()) {
                data.insert("line".to_owned(), json!(at.line));
                data.insert("column".to_owned(), json!(at.column));
            }
            let hint = "Mend the file by hand; until then it is left as it is and nothing is read or written";
            if let Some(data) = data.as_object_mut() {
                data.insert("hint".to_owned(), json!(hint));
            }
            let error = StoreError::Broken {
                what: what.clone(),
                at: *at,
                reason: shorten(reason, 300),
                advice: advice.clone(),
            };
            Fault::new(INTERNAL, error.to_string(), data)
        }
        StoreError::Vanished { what, .. } => Fault::new(
            INTERNAL,
            format!("{what} was there and is gone"),
            hint(
                "Bring it back (git checkout), or run `todori init` to begin anew; nothing was changed",
            ),
        ),
        StoreError::Busy { seconds } => Fault::new(
            INTERNAL,
            format!("Not applied: the board was busy for {seconds} seconds"),
            hint("Nothing was changed; try again"),
        ),
        StoreError::Unreachable { reason } => Fault::new(
            INTERNAL,
            format!("The store cannot be reached: {}", shorten(reason, SHOWN)),
            hint("Nothing was changed; try again in a while"),
        ),
        StoreError::Denied { reason } => Fault::new(
            INTERNAL,
            format!("The store does not allow this: {}", shorten(reason, SHOWN)),
            hint("Nothing was changed, and trying again will not help; ask a person for the right"),
        ),
        StoreError::Unreadable { reason } => Fault::new(
            INTERNAL,
            format!("The board cannot be read: {}", shorten(reason, SHOWN)),
            hint("Nothing was changed"),
        ),
        StoreError::NotApplied { reason } => Fault::new(
            INTERNAL,
            format!("Not applied: {}", shorten(reason, SHOWN)),
            hint("Nothing was changed; the next call works once the cause is mended"),
        ),
        StoreError::OutcomeUnknown { reason } => Fault::new(
            INTERNAL,
            format!("Outcome unknown: {}", shorten(reason, SHOWN)),
            hint("The change may or may not be there; read the task before you try again"),
        ),
    }
}

fn ids(ids: &[TaskId]) -> Value {
    ids.iter()
        .take(LISTED)
        .map(|id| json!(id.to_string()))
        .collect()
}
