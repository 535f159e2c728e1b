//! Why a client's file was left as it is, and what to do about it.

use std::io;
use std::path::Path;

use super::{json, toml};

/// Why nothing was changed.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) message: String,
    pub(crate) hint: String,
    pub(crate) kind: Kind,
}

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It can't be done as things are.
    Refused,
    /// A file could not be read or written.
    Failed,
}

impl Trouble {
    pub(crate) fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            kind: Kind::Refused,
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
            kind: Kind::Failed,
        }
    }

    pub(super) fn json(path: &Path, flaw: &json::Flaw) -> Self {
        match flaw {
            json::Flaw::Broken { line, column, what } => broken(path, *line, *column, what),
            json::Flaw::Twice(name) => twice(path, name),
            json::Flaw::NotA { path: name, what } => Self::refused(
                format!("{}: {name} is not {what}", path.display()),
                "mend the file by hand; it was left as it is",
            ),
        }
    }

    pub(super) fn toml(path: &Path, flaw: &toml::Flaw) -> Self {
        match flaw {
            toml::Flaw::Broken { line, column, what } => broken(path, *line, *column, what),
            toml::Flaw::Twice(name) => twice(path, name),
            toml::Flaw::Inline(name) => Self::refused(
                format!("{}: {name} is written as one value", path.display()),
                format!("write it as [{name}.NAME] tables, or add todori to it by hand"),
            ),
        }
    }
}

fn broken(path: &Path, line: usize, column: usize, what: &str) -> Trouble {
    Trouble::refused(
        format!(
            "{} is broken at line {line}, column {column}: {what}",
            path.display()
        ),
        "mend the file by hand; it was left as it is",
    )
}

fn twice(path: &Path, name: &str) -> Trouble {
    Trouble::refused(
        format!("{} has {name} twice", path.display()),
        "which of them counts is up to the client: remove one by hand; the file was left as it is",
    )
}
