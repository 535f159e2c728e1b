//! Why the store could not do what it was asked, in words for people, and what to do next. The same wherever people
//! look.

use todori_domain::StoreError;

/// What went wrong, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ErrorText {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl ErrorText {
    pub(crate) fn of(error: &StoreError) -> Self {
        let hint = match error {
            // The store knows best.
            StoreError::NoBoard { advice, .. }
            | StoreError::Broken { advice, .. }
            | StoreError::Vanished { advice, .. } => Some(advice.as_str()),
            StoreError::Busy { .. } | StoreError::NotApplied { .. } => {
                Some("nothing was changed; try again")
            }
            StoreError::Unreachable { .. } => Some("nothing was changed; try again in a while"),
            StoreError::Denied { .. } => Some("nothing was changed; ask for the right to do this"),
            StoreError::Unreadable { .. } => None,
            StoreError::OutcomeUnknown { .. } => {
                Some("the change may or may not be there; look before you try again")
            }
        };
        Self {
            message: error.to_string(),
            hint: hint.map(str::to_owned),
        }
    }
}
