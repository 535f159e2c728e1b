//! VS Code: `.vscode/mcp.json` in a project, `mcp.json` of the default profile for all.

use super::{Client, NAME, Op, Scope};

pub(super) const CLIENT: Client = Client {
    name: "vscode",
    title: "VS Code",
    program: "code",
    usual: Scope::Project,
    user: |folders| {
        let folder = if cfg!(target_os = "macos") {
            let home = folders.home.as_ref()?;
            home.join("Library/Application Support")
        } else {
            folders.config.clone()?
        };
        Some(folder.join("Code/User/mcp.json"))
    },
    project: Some(|root| root.join(".vscode/mcp.json")),
    server: |server| Op::Json {
        path: &["servers", NAME],
        entry: server.typed_entry(),
    },
    then: |_| "Open the project in VS Code; \"MCP: List Servers\" shows it and starts it.",
};
