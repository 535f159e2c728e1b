//! Who speaks: a session of an agent, named after its client as soon as that has introduced itself.

use std::sync::OnceLock;

use todori_domain::{Actor, IdSource as _, RandomIds, SessionName};

use crate::config::Settings;

/// A session over standard input and output: the process.
#[derive(Debug)]
pub(crate) struct Session {
    /// A name that somebody chose.
    chosen: Option<SessionName>,
    /// What tells this session from others of the same client.
    mark: String,
    name: OnceLock<SessionName>,
}

/// What a client calls itself: name and version.
pub(crate) type Client<'a> = Option<(&'a str, &'a str)>;

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

    /// The one who asks. The first that is heard of the client names the session: a task that was started under a name
    /// must stay under it.
    pub(crate) fn actor(&self, client: Client<'_>) -> Actor {
        let name = self.name.get_or_init(|| {
            self.chosen.clone().unwrap_or_else(|| {
                let client = client.map_or("agent", |(name, _)| name);
                SessionName::new(&format!("{}-{}", word(client), self.mark))
            })
        });
        Actor {
            session: name.clone(),
            client: client_words(client),
        }
    }
}

/// What is known of a session over HTTP, from one request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Traces<'a> {
    /// The session that the URL names.
    pub(crate) in_url: Option<&'a str>,
    /// The session header of older revisions.
    pub(crate) in_header: Option<&'a str>,
    /// An id that the client puts into each request.
    pub(crate) in_request: Option<&'a str>,
    /// Whether a token was presented.
    pub(crate) has_token: bool,
}

/// Whose list it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// Of one session.
    Own,
    /// Of everybody who comes without any trace of a session.
    Shared,
}

/// The one who asks over HTTP, and whose list that is.
pub(crate) fn http_actor(traces: Traces<'_>, client: Client<'_>) -> (Actor, Ownership) {
    let named =
        |name: &str| client.map_or("agent".to_owned(), |(client, _)| word(client)) + "-" + name;
    let (session, ownership) = match traces {
        Traces {
            in_url: Some(name), ..
        } => (name.to_owned(), Ownership::Own),
        // Ids of sessions stay secret: what is shown, and written to files, is only a mark made from them.
        Traces {
            in_header: Some(id),
            ..
        }
        | Traces {
            in_request: Some(id),
            ..
        } => (named(&mark(id)), Ownership::Own),
        Traces {
            has_token: true, ..
        } => ("token".to_owned(), Ownership::Own),
        Traces { .. } => ("default".to_owned(), Ownership::Shared),
    };
    let actor = Actor {
        session: SessionName::new(&session),
        client: client_words(client),
    };
    (actor, ownership)
}

fn client_words(client: Client<'_>) -> Option<String> {
    client.map(|(name, version)| format!("{name} {version}"))
}

/// A short mark that is the same for the same id in every run (FNV-1a).
pub(crate) fn mark(id: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in id.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(traces: Traces<'_>, expected: &str, ownership: Ownership) {
        let (actor, whose) = http_actor(traces, Some(("Codex CLI", "1")));
        assert_eq!((actor.session.as_str(), whose), (expected, ownership));
    }

    #[test]
    fn a_session_is_known_by_the_plainest_trace_of_it() {
        let none = Traces::default();
        check(none, "default", Ownership::Shared);
        check(
            Traces {
                has_token: true,
                ..none
            },
            "token",
            Ownership::Own,
        );
        let request = Traces {
            in_request: Some("s1"),
            has_token: true,
            ..none
        };
        check(
            request,
            &format!("codex-cli-{}", mark("s1")),
            Ownership::Own,
        );
        let header = Traces {
            in_header: Some("h1"),
            in_request: Some("s1"),
            ..none
        };
        check(header, &format!("codex-cli-{}", mark("h1")), Ownership::Own);
        check(
            Traces {
                in_url: Some("mine"),
                ..header
            },
            "mine",
            Ownership::Own,
        );
    }

    #[test]
    fn the_secret_id_of_a_session_is_not_shown() {
        let id = "2f0c7a52-2b6e-4d0e-9df1-51d0d1c1f2ab";
        let (actor, _) = http_actor(
            Traces {
                in_header: Some(id),
                ..Traces::default()
            },
            None,
        );
        assert!(!actor.session.as_str().contains("2f0c7a52"));
    }
}
