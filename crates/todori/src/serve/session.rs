//! Who speaks: a session of an agent, named after its client as soon as that has introduced itself.

use std::sync::OnceLock;

use todori_domain::{Actor, IdSource as _, RandomIds, SessionName};

use crate::config::Settings;

/// A session. Over standard input and output it is the process.
#[derive(Debug)]
pub(crate) struct Session {
    /// A name that somebody chose.
    chosen: Option<SessionName>,
    /// What tells this session from others of the same client.
    mark: String,
    name: OnceLock<SessionName>,
}

impl Session {
    /// A session of this process.
    pub(crate) fn of_process(settings: &Settings) -> Self {
        // The first characters of Claude Code's own session id, so that people can tell which session it is.
        let claude = settings.claude_session.as_deref();
        let mark = claude.map(|id| {
            id.chars()
                .filter(char::is_ascii_alphanumeric)
                .take(8)
                .collect()
        });
        let mark = mark.filter(|mark: &String| mark.len() == 8);
        Self {
            chosen: settings.session.as_deref().map(SessionName::new),
            mark: mark.unwrap_or_else(|| RandomIds.next_id().prefix(8)),
            name: OnceLock::new(),
        }
    }

    /// The one who asks, given what the client calls itself. The first that is heard of the client names the session:
    /// a task that was started under a name must stay under it.
    pub(crate) fn actor(&self, client: Option<(&str, &str)>) -> Actor {
        let name = self.name.get_or_init(|| {
            self.chosen.clone().unwrap_or_else(|| {
                let client = client.map_or("agent", |(name, _)| name);
                SessionName::new(&format!("{}-{}", word(client), self.mark))
            })
        });
        let client = client.map(|(name, version)| format!("{name} {version}"));
        Actor {
            session: name.clone(),
            client,
        }
    }
}

/// A client's name as one short word.
fn word(name: &str) -> String {
    let word: String = name
        .chars()
        .take(40)
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let word = word.trim_matches('-');
    if word.is_empty() {
        "agent".to_owned()
    } else {
        word.to_owned()
    }
}
