//! Gemini CLI: `.gemini/settings.json`, in a project or at home.

use super::{Client, NAME, Op, Scope};

pub(super) const CLIENT: Client = Client {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    usual: Scope::Project,
    user: |folders| Some(folders.home.as_ref()?.join(".gemini/settings.json")),
    project: Some(|root| root.join(".gemini/settings.json")),
    server: |server| Op::Json {
        path: &["mcpServers", NAME],
        entry: server.entry("httpUrl"),
    },
    then: |_| "Start Gemini CLI anew; `/mcp` shows the server.",
};
