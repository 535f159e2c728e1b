//! What Claude Code passes to the programs that it runs, as JSON on standard input: which session, and in which folder.
//! Input that cannot be understood is ignored: a hook must never fail a session.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;

use serde_json::Value;
use todori_domain::{Actor, SessionName};
use todori_store::Origin;

use crate::config::{Settings, claude_mark, env};

/// More than this is not read.
const MAX_BYTES: u64 = 1024 * 1024;

/// The input of a hook or of a status line.
#[derive(Debug, Default)]
pub(super) struct HookInput(Value);

impl HookInput {
    /// Reads standard input, unless it is a terminal.
    pub(super) fn read() -> Self {
        let input = io::stdin();
        let mut bytes = Vec::new();
        if input.is_terminal() || input.take(MAX_BYTES).read_to_end(&mut bytes).is_err() {
            return Self::default();
        }
        Self(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn text(&self, path: &str) -> Option<&str> {
        let text = self.0.pointer(path)?.as_str()?;
        (!text.is_empty()).then_some(text)
    }

    /// The settings, with the folder of the input unless somebody chose another.
    pub(super) fn apply_to(&self, settings: Settings) -> Settings {
        let chosen = matches!(settings.origin, Origin::Given(_));
        let known = env::CLAUDE_PROJECT_DIR.read().is_some();
        let folder = self
            .text("/workspace/project_dir")
            .or_else(|| self.text("/cwd"))
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute());
        let origin = match folder {
            Some(folder) if !chosen && !known => Origin::From(folder),
            Some(_) | None => settings.origin,
        };
        Settings { origin, ..settings }
    }

    /// The session, by the name that the server started by it uses.
    pub(super) fn actor(&self, settings: &Settings) -> Actor {
        let given = self.text("/session_id").map(str::to_owned);
        let id = given.or_else(|| settings.claude_session.clone());
        let session = match (&settings.session, id.as_deref().and_then(claude_mark)) {
            (Some(chosen), _) => SessionName::new(chosen),
            (None, Some(mark)) => SessionName::new(&format!("claude-code-{mark}")),
            (None, None) => return settings.person.clone(),
        };
        Actor {
            session,
            client: settings.person.client.clone(),
        }
    }
}
