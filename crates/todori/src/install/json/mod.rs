//! JSON with comments, changed in place: only the bytes of the change differ, everything else stays as it was written.

mod change;
mod layout;
mod tree;

pub(super) use change::{push, remove, remove_element, set};
use serde_json::Value;

use tree::{Tree, walk};

/// Why a file can't be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It does not parse.
    Broken {
        line: usize,
        column: usize,
        what: &'static str,
    },
    /// A name stands twice in the same place.
    Twice(String),
    /// Something else stands where an object or a list must be.
    NotA { path: String, what: &'static str },
}

/// What stands at a path, if anything does.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, Flaw> {
    let tree = Tree::parse(text)?;
    let Some(root) = &tree.root else {
        return Ok(None);
    };
    let found = walk(root, path)?;
    Ok((found.depth == path.len()).then(|| tree.value(found.node)))
}

#[cfg(test)]
mod tests;
