//! What Claude Code tells a program that it runs: which session, and where. Whatever is strange in it is left out.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;

use serde_json::Value;
use todori_domain::{Actor, SessionName};
use todori_store::Origin;

use crate::config::{Settings, claude_mark, env};

/// More than this is not read.
const MAX_BYTES: u64 = 1024 * 1024;

/// What a host told on standard input.
#[derive(Debug, Default)]
pub(super) struct Told(Value);

impl Told {
    /// Reads standard input, unless somebody sits there.
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

    /// The same settings, in the folder that was told, if nobody has chosen another; and for the session that was told.
    pub(super) fn settle(&self, settings: Settings) -> Settings {
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

    /// The session as the server names it that this session started.
    pub(super) fn actor(&self, settings: &Settings) -> Actor {
        let told = self.text("/session_id").map(str::to_owned);
        let id = told.or_else(|| settings.claude_session.clone());
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
