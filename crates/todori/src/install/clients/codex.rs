//! Codex: `config.toml`, for all projects, or in a project that it trusts.

use super::{Client, InstallScope, NAME, Setting};

pub(super) const CLIENT: Client = Client {
    name: "codex",
    title: "Codex",
    program: "codex",
    default_scope: InstallScope::User,
    user_file: |folders| {
        let usual = || folders.home.as_ref().map(|home| home.join(".codex"));
        let folder = folders.codex.clone().or_else(usual)?;
        Some(folder.join("config.toml"))
    },
    project_file: Some(|root| root.join(".codex/config.toml")),
    setting: |server| Setting::Toml {
        path: &["mcp_servers", NAME],
        entry: server.entry("url"),
    },
    next_step: |scope| match scope {
        InstallScope::Project => {
            "Start Codex; `/mcp` shows the server. A project's own file counts once Codex trusts the project."
        }
        InstallScope::User => "Start Codex; `/mcp` shows the server.",
    },
};
