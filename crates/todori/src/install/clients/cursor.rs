//! Cursor: `.cursor/mcp.json`, in a project or at home.

use super::{Client, InstallScope, NAME, Setting};

pub(super) const CLIENT: Client = Client {
    name: "cursor",
    title: "Cursor",
    program: "cursor",
    default_scope: InstallScope::Project,
    user_file: |folders| Some(folders.home.as_ref()?.join(".cursor/mcp.json")),
    project_file: Some(|root| root.join(".cursor/mcp.json")),
    setting: |server| Setting::Json {
        path: &["mcpServers", NAME],
        entry: server.entry("url"),
    },
    next_step: |_| "Open the project in Cursor; the settings list the server under MCP, where it is switched on.",
};
