//! What went wrong, as a code and a sentence: for the dialects whose error codes are words.

use serde_json::{Value, json};
use todori_domain::{Refusal, StoreError};

use crate::arguments::Problem;
use crate::budget::shorten;
use crate::call::{Code, Fault};

/// An error as a code and a sentence.
pub(crate) struct Wording {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) data: Value,
}

impl Wording {
    /// The fault with this wording.
    pub(crate) fn fault(self) -> Fault {
        Fault::new(Code::Word(self.code), self.message, self.data)
    }

    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: Value::Null,
        }
    }

    fn with(self, data: Value) -> Self {
        Self { data, ..self }
    }
}

const SHOWN: usize = 80;
const LISTED: usize = 10;

fn ids(ids: &[todori_domain::TaskId]) -> Value {
    ids.iter()
        .take(LISTED)
        .map(|id| json!(id.to_string()))
        .collect()
}

pub(crate) fn invalid(problems: &[Problem]) -> Wording {
    let told = problems.iter().take(5).map(|problem| {
        let (path, expected) = (
            shorten(&problem.path, SHOWN),
            shorten(&problem.expected, 200),
        );
        if path.is_empty() {
            expected
        } else {
            format!("{path}: {expected}")
        }
    });
    let told: Vec<String> = told.collect();
    let path = problems
        .first()
        .map(|problem| shorten(&problem.path, SHOWN));
    Wording::new("invalid_arguments", told.join("; ")).with(json!({"path": path}))
}

pub(crate) fn refusal(refusal: &Refusal) -> Wording {
    match refusal {
        Refusal::TaskNotFound { given } => Wording::new(
            "not_found",
            format!("No task has the id {}", shorten(given, SHOWN)),
        ),
        Refusal::AmbiguousId {
            given,
            candidates,
            total,
        } => {
            let given = shorten(given, SHOWN);
            Wording::new(
                "ambiguous_id",
                format!("{total} tasks begin with {given}; give more characters"),
            )
            .with(json!({"candidates": ids(candidates)}))
        }
        Refusal::SubtaskNotFound { subtask, .. } => Wording::new(
            "not_found",
            format!("There is no subtask {}", subtask.number),
        ),
        Refusal::DependencyNotFound { given } => Wording::new(
            "dependency_not_found",
            format!("Dependency task not found: {}", shorten(given, SHOWN)),
        ),
        Refusal::NoSuchPlace { place, count } => Wording::new(
            "not_found",
            format!("There is no task at {place}; the list has {count}"),
        ),
        Refusal::TitleNotFound { given } => Wording::new(
            "not_found",
            format!("No title contains {:?}", shorten(given, SHOWN)),
        ),
        Refusal::AmbiguousTitle {
            given,
            candidates,
            total,
        } => Wording::new(
            "ambiguous_title",
            format!(
                "{total} titles contain {:?}; give more of one, or its id",
                shorten(given, SHOWN)
            ),
        )
        .with(json!({"candidates": ids(candidates)})),
        Refusal::IncompleteOrder { missing, repeated } => Wording::new(
            "incomplete_reorder",
            format!(
                "A new order names every task exactly once: {} left out, {} repeated",
                missing.len(),
                repeated.len()
            ),
        )
        .with(json!({"missing": ids(missing), "repeated": ids(repeated)})),
        Refusal::SeveralInProgress { count } => Wording::new(
            "multiple_in_progress",
            format!("Only one item can be in progress at a time, got {count}"),
        ),
        Refusal::ChangedSince { tasks } => Wording::new(
            "changed_since",
            "Somebody has changed this since; taking it back would lose that",
        )
        .with(json!({"tasks": ids(tasks)})),
        Refusal::Cycle { path } => Wording::new(
            "dependency_cycle",
            "The tasks would wait for each other for ever",
        )
        .with(json!({"cycle": ids(path)})),
    }
}

pub(crate) fn store(error: &StoreError) -> Wording {
    match error {
        StoreError::NoBoard { .. } => Wording::new(
            "no_project",
            "There is no project here: run `todori init` in its folder, or start the server with --project DIR",
        ),
        StoreError::Broken {
            what,
            at,
            reason,
            advice,
        } => {
            let error = StoreError::Broken {
                what: what.clone(),
                at: *at,
                reason: shorten(reason, 300),
                advice: advice.clone(),
            };
            let worded = Wording::new("broken_file", format!("{error}; mend it by hand"));
            match at {
                Some(at) => worded.with(json!({"line": at.line, "column": at.column})),
                None => worded,
            }
        }
        StoreError::Vanished { what, .. } => Wording::new(
            "vanished",
            format!(
                "{what} was there and is gone; bring it back, or run `todori init` to begin anew"
            ),
        ),
        StoreError::Busy { seconds } => Wording::new(
            "busy",
            format!("Not applied: the board was busy for {seconds} seconds; try again"),
        ),
        StoreError::Unreachable { reason } => Wording::new(
            "unreachable",
            format!(
                "The store cannot be reached: {}; nothing was changed",
                shorten(reason, SHOWN)
            ),
        ),
        StoreError::Denied { reason } => Wording::new(
            "denied",
            format!(
                "The store does not allow this: {}; nothing was changed",
                shorten(reason, SHOWN)
            ),
        ),
        StoreError::Unreadable { reason } => Wording::new(
            "unreadable",
            format!("The board cannot be read: {}", shorten(reason, SHOWN)),
        ),
        StoreError::NotApplied { reason } => Wording::new(
            "not_applied",
            format!(
                "Not applied: {}; nothing was changed",
                shorten(reason, SHOWN)
            ),
        ),
        StoreError::OutcomeUnknown { reason } => Wording::new(
            "outcome_unknown",
            format!(
                "Outcome unknown: {}; read the list before you try again",
                shorten(reason, SHOWN)
            ),
        ),
    }
}
