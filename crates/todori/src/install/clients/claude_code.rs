//! Claude Code: `.mcp.json` in a project, `~/.claude.json` for all; hooks and the status line in `settings.json`.

use std::path::{Path, PathBuf};

use super::{Client, InstallScope, NAME, Setting};
use crate::config::Folders;

pub(in crate::install) const CLIENT: Client = Client {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    default_scope: InstallScope::Project,
    user_file: |folders| {
        let folder = folders.claude.as_ref().or(folders.home.as_ref())?;
        Some(folder.join(".claude.json"))
    },
    project_file: Some(|root| root.join(".mcp.json")),
    setting: |server| Setting::Json {
        path: &["mcpServers", NAME],
        entry: server.typed_entry(),
    },
    next_step: |scope| match scope {
        InstallScope::Project => {
            "Start Claude Code in the project; it asks once whether to use the server. `/mcp` shows it."
        }
        InstallScope::User => "Start Claude Code anew; `/mcp` shows the server.",
    },
};

/// Where hooks and the status line are kept for all projects.
pub(in crate::install) fn user_settings(folders: &Folders) -> Option<PathBuf> {
    let usual = || folders.home.as_ref().map(|home| home.join(".claude"));
    let folder = folders.claude.clone().or_else(usual)?;
    Some(folder.join("settings.json"))
}

/// The same for one project.
pub(in crate::install) fn project_settings(root: &Path) -> PathBuf {
    root.join(".claude/settings.json")
}
