//! VS Code: `.vscode/mcp.json` in a project, `mcp.json` of the default profile for all.

use super::{Client, InstallScope, NAME, Setting};

pub(super) const CLIENT: Client = Client {
    name: "vscode",
    title: "VS Code",
    program: "code",
    default_scope: InstallScope::Project,
    user_file: |folders| {
        let folder = if cfg!(target_os = "macos") {
            let home = folders.home.as_ref()?;
            home.join("Library/Application Support")
        } else {
            folders.config.clone()?
        };
        Some(folder.join("Code/User/mcp.json"))
    },
    project_file: Some(|root| root.join(".vscode/mcp.json")),
    setting: |server| Setting::Json {
        path: &["servers", NAME],
        entry: server.typed_entry(),
    },
    next_step: |_| "Open the project in VS Code; \"MCP: List Servers\" shows it and starts it.",
};
