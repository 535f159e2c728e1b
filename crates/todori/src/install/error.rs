//! Why a client's file was left as it is, and what to do about it: the same words whatever library reads the file.

use std::io;
use std::path::Path;

/// Why nothing was changed.
#[derive(Debug)]
pub(crate) struct InstallError {
    pub(crate) message: String,
    pub(crate) hint: String,
    pub(crate) kind: InstallErrorKind,
}

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallErrorKind {
    /// It can't be done as things are.
    Refused,
    /// A file could not be read or written.
    Failed,
}

impl InstallError {
    pub(crate) fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            kind: InstallErrorKind::Refused,
        }
    }

    /// A file could not be read or written.
    pub(super) fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        let kind = error.kind();
        let hint = if kind == io::ErrorKind::PermissionDenied {
            "nothing was changed; look who owns the file and its folder"
        } else if kind == io::ErrorKind::ReadOnlyFilesystem {
            "nothing was changed; use --print to see what belongs into the file"
        } else {
            "nothing was changed"
        };
        Self {
            message: format!("cannot {doing} {}: {error}", path.display()),
            hint: hint.to_owned(),
            kind: InstallErrorKind::Failed,
        }
    }

    /// The text of a file could not be changed.
    pub(super) fn syntax(path: &Path, error: &SyntaxError) -> Self {
        let file = path.display();
        match error {
            SyntaxError::Broken { line, column, what } => Self::refused(
                format!("{file} is broken at line {line}, column {column}: {what}"),
                MEND,
            ),
            SyntaxError::Duplicate(name) => Self::refused(
                format!("{file} has {name} twice"),
                "which of them counts is up to the client: remove one by hand; the file was left as it is",
            ),
            SyntaxError::WrongType { path, wanted } => {
                Self::refused(format!("{file}: {path} is not {wanted}"), MEND)
            }
            SyntaxError::InlineTable(path) => Self::refused(
                format!("{file}: {path} is written as one value"),
                format!("write it as [{path}.NAME] tables, or add todori to it by hand"),
            ),
        }
    }
}

const MEND: &str = "mend the file by hand; it was left as it is";

/// Why the text of a settings file can't be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SyntaxError {
    /// It does not parse.
    Broken {
        line: usize,
        column: usize,
        what: String,
    },
    /// A name stands twice in the same place.
    Duplicate(String),
    /// Something else stands where an object, a list or a table must be.
    WrongType { path: String, wanted: &'static str },
    /// A TOML table is written as one value, to which nothing can be added from outside.
    InlineTable(String),
}
