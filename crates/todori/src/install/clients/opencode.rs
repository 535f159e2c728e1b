//! opencode: `opencode.json` or `opencode.jsonc`, in a project or in the user's configuration.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Client, InstallScope, NAME, Server, Setting};

pub(super) const CLIENT: Client = Client {
    name: "opencode",
    title: "opencode",
    program: "opencode",
    default_scope: InstallScope::Project,
    user_file: |folders| Some(file(&folders.config.as_ref()?.join("opencode"))),
    project_file: Some(file),
    setting: |server| Setting::Json {
        path: &["mcp", NAME],
        entry: entry(server),
    },
    next_step: |_| "Start opencode anew; `opencode mcp list` shows the server.",
};

/// The file that is there; with comments or without.
fn file(folder: &Path) -> PathBuf {
    let plain = folder.join("opencode.json");
    let commented = folder.join("opencode.jsonc");
    if !plain.exists() && commented.exists() {
        commented
    } else {
        plain
    }
}

fn entry(server: &Server) -> Value {
    match server {
        Server::Stdio { command, arguments } => {
            let mut words = vec![command.clone()];
            words.extend(arguments.iter().cloned());
            json!({"type": "local", "command": words, "enabled": true})
        }
        Server::Http { url } => json!({"type": "remote", "url": url, "enabled": true}),
    }
}
