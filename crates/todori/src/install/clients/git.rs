//! git: a line in `.gitattributes` that says who merges boards, and the driver in the repository's own configuration.

use super::{Client, Op, Scope};

/// What the line says.
const LINE: &str = ".todori/tasks.yaml merge=todori";

pub(in crate::install) const CLIENT: Client = Client {
    name: "git",
    title: "git (merges boards task by task)",
    program: "git",
    usual: Scope::Project,
    user: |_| None,
    project: Some(|root| root.join(".gitattributes")),
    server: |_| Op::Line { line: LINE },
    then: |_| "Commit .gitattributes; everybody who clones the repository runs `todori install git` once.",
};
