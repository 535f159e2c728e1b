//! Codex: `config.toml`, for all projects, or in a project that it trusts.

use super::{Client, NAME, Op, Scope};

pub(super) const CLIENT: Client = Client {
    name: "codex",
    title: "Codex",
    program: "codex",
    usual: Scope::User,
    user: |folders| {
        let usual = || folders.home.as_ref().map(|home| home.join(".codex"));
        let folder = folders.codex.clone().or_else(usual)?;
        Some(folder.join("config.toml"))
    },
    project: Some(|root| root.join(".codex/config.toml")),
    server: |server| Op::Toml {
        path: &["mcp_servers", NAME],
        entry: server.entry("url"),
    },
    then: |scope| match scope {
        Scope::Project => {
            "Start Codex; `/mcp` shows the server. A project's own file counts once Codex trusts the project."
        }
        Scope::User => "Start Codex; `/mcp` shows the server.",
    },
};
