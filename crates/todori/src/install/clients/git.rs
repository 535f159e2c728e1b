//! git: a line in `.gitattributes` that says who merges boards, and the driver in the repository's own configuration.

use super::{Client, InstallScope, Setting};

/// What the line says.
const LINE: &str = ".todori/tasks.yaml merge=todori";

pub(in crate::install) const CLIENT: Client = Client {
    name: "git",
    title: "git (merges boards task by task)",
    program: "git",
    default_scope: InstallScope::Project,
    user_file: |_| None,
    project_file: Some(|root| root.join(".gitattributes")),
    setting: |_| Setting::Line { line: LINE },
    next_step: |_| "Commit .gitattributes; everybody who clones the repository runs `todori install git` once.",
};
