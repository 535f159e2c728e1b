//! Which agents are here, and whether they know of todori. A look at their files, nothing more: what is in them is for
//! whoever installs to know.

use std::path::{Path, PathBuf};

use super::Finding;

/// A client: what shows that it is here, and the files that it may be told in. `~` is the home folder, `.` the project.
struct Client {
    name: &'static str,
    here: &'static [&'static str],
    files: &'static [&'static str],
}

const CLIENTS: [Client; 6] = [
    Client {
        name: "Claude Code",
        here: &["~/.claude", "~/.claude.json"],
        files: &["~/.claude.json", "./.mcp.json", "~/.claude/settings.json"],
    },
    Client {
        name: "Codex",
        here: &["~/.codex"],
        files: &["~/.codex/config.toml", "./.codex/config.toml"],
    },
    Client {
        name: "Gemini CLI",
        here: &["~/.gemini"],
        files: &["~/.gemini/settings.json", "./.gemini/settings.json"],
    },
    Client {
        name: "VS Code",
        here: &[
            "~/.config/Code",
            "~/Library/Application Support/Code",
            "./.vscode",
        ],
        files: &[
            "./.vscode/mcp.json",
            "~/.config/Code/User/mcp.json",
            "~/Library/Application Support/Code/User/mcp.json",
        ],
    },
    Client {
        name: "Cursor",
        here: &["~/.cursor", "./.cursor"],
        files: &["./.cursor/mcp.json", "~/.cursor/mcp.json"],
    },
    Client {
        name: "opencode",
        here: &["~/.config/opencode", "./opencode.json", "./opencode.jsonc"],
        files: &[
            "./opencode.json",
            "./opencode.jsonc",
            "~/.config/opencode/opencode.json",
            "~/.config/opencode/opencode.jsonc",
        ],
    },
];

/// The most that is read of such a file.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

pub(super) fn examine(home: Option<&Path>, root: Option<&Path>) -> Vec<Finding> {
    let place = |name: &&str| -> Option<PathBuf> {
        let (start, rest) = name.split_once('/')?;
        let folder = if start == "~" { home } else { root };
        Some(folder?.join(rest))
    };
    let mut findings = Vec::new();
    for client in CLIENTS {
        let here = client
            .here
            .iter()
            .filter_map(place)
            .any(|path| path.exists());
        let told = client
            .files
            .iter()
            .filter(|name| place(name).is_some_and(|path| mentions(&path)));
        let told: Vec<&str> = told.copied().collect();
        match told.first() {
            Some(file) => findings.push(Finding::ok(
                "clients",
                format!("{} knows todori ({file})", client.name),
            )),
            None if here => findings.push(
                Finding::note(
                    "clients",
                    format!("{} is here and does not know todori", client.name),
                )
                .advise("`todori install` tells it"),
            ),
            None => {}
        }
    }
    if findings.is_empty() {
        findings.push(
            Finding::note(
                "clients",
                "no client was found that todori knows how to set up",
            )
            .advise("any MCP client can start it: todori serve"),
        );
    }
    findings
}

/// Whether a file has an entry called todori: quoted as in JSON, or a table as in TOML.
fn mentions(path: &Path) -> bool {
    let small = path
        .metadata()
        .is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
    let text = small
        .then(|| std::fs::read_to_string(path).ok())
        .flatten()
        .unwrap_or_default();
    text.contains("\"todori\"") || text.contains("[mcp_servers.todori]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "this plays the clients that write the files"
    )]
    fn a_client_is_told_by_its_files() {
        let home = tempfile::TempDir::new().unwrap();
        let write = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        // A project that is called so is no entry.
        write(".claude.json", r#"{"projects": {"/home/ada/todori": {}}}"#);
        write(
            ".codex/config.toml",
            "[mcp_servers.todori]\ncommand = \"todori\"\n",
        );
        write(
            ".cursor/mcp.json",
            r#"{"mcpServers": {"todori": {"command": "todori"}}}"#,
        );
        let told = examine(Some(home.path()), None);
        let told: Vec<&str> = told.iter().map(|finding| finding.says.as_str()).collect();
        assert_eq!(
            told,
            [
                "Claude Code is here and does not know todori",
                "Codex knows todori (~/.codex/config.toml)",
                "Cursor knows todori (~/.cursor/mcp.json)"
            ]
        );
        assert_eq!(examine(None, None).len(), 1);
    }
}
