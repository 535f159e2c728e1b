//! Gemini CLI: `.gemini/settings.json`, in a project or at home.

use super::{Client, InstallScope, NAME, Setting};

pub(super) const CLIENT: Client = Client {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    default_scope: InstallScope::Project,
    user_file: |folders| Some(folders.home.as_ref()?.join(".gemini/settings.json")),
    project_file: Some(|root| root.join(".gemini/settings.json")),
    setting: |server| Setting::Json {
        path: &["mcpServers", NAME],
        entry: server.entry("httpUrl"),
    },
    next_step: |_| "Start Gemini CLI anew; `/mcp` shows the server.",
};
