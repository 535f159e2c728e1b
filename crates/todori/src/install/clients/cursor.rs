//! Cursor: `.cursor/mcp.json`, in a project or at home.

use super::{Client, NAME, Op, Scope};

pub(super) const CLIENT: Client = Client {
    name: "cursor",
    title: "Cursor",
    program: "cursor",
    usual: Scope::Project,
    user: |folders| Some(folders.home.as_ref()?.join(".cursor/mcp.json")),
    project: Some(|root| root.join(".cursor/mcp.json")),
    server: |server| Op::Json {
        path: &["mcpServers", NAME],
        entry: server.entry("url"),
    },
    then: |_| "Open the project in Cursor; the settings list the server under MCP, where it is switched on.",
};
