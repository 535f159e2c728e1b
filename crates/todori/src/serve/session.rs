//! Who speaks: a session of an agent, named after its client as soon as that has introduced itself.

use std::sync::OnceLock;

use todori_domain::{Actor, IdSource as _, RandomIds, SessionName};

use crate::config::{Settings, claude_mark, mark};

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
        let mark = settings.claude_session.as_deref().and_then(claude_mark);
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

/// The one who asks, and which list is theirs.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) actor: Actor,
    pub(crate) list: SessionName,
    pub(crate) ownership: Ownership,
}

impl Caller {
    /// A session whose list is its own.
    pub(crate) fn of(actor: Actor) -> Self {
        Self {
            list: actor.session.clone(),
            actor,
            ownership: Ownership::Own,
        }
    }
}

/// The one who asks over HTTP.
pub(crate) fn http_caller(traces: Traces<'_>, client: Client<'_>) -> Caller {
    let named = |name: &str| {
        let client = client.map_or_else(|| "agent".to_owned(), |(client, _)| word(client));
        SessionName::new(&format!("{client}-{name}"))
    };
    let actor = |session: SessionName| Actor {
        session,
        client: client_words(client),
    };
    match traces {
        // Names that people choose can't be mistaken for those that are given here.
        Traces {
            in_url: Some(name), ..
        } => Caller::of(actor(SessionName::new(&format!("url-{name}")))),
        // Ids of sessions stay secret: what is shown, and written to files, is only a mark made from them.
        Traces {
            in_header: Some(id),
            ..
        }
        | Traces {
            in_request: Some(id),
            ..
        } => Caller::of(actor(named(&mark(id)))),
        // Without a trace of a session, clients of one name are one when they start tasks.
        Traces { has_token, .. } => Caller {
            actor: actor(named("http")),
            list: SessionName::new(if has_token { "token" } else { "default" }),
            ownership: if has_token {
                Ownership::Own
            } else {
                Ownership::Shared
            },
        },
    }
}

fn client_words(client: Client<'_>) -> Option<String> {
    client.map(|(name, version)| format!("{name} {version}"))
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

    fn check(traces: Traces<'_>, session: &str, list: &str, ownership: Ownership) {
        let caller = http_caller(traces, Some(("Codex CLI", "1")));
        let told = (
            caller.actor.session.as_str(),
            caller.list.as_str(),
            caller.ownership,
        );
        assert_eq!(told, (session, list, ownership));
    }

    #[test]
    fn a_session_is_known_by_the_plainest_trace_of_it() {
        let none = Traces::default();
        check(none, "codex-cli-http", "default", Ownership::Shared);
        check(
            Traces {
                has_token: true,
                ..none
            },
            "codex-cli-http",
            "token",
            Ownership::Own,
        );
        let one = format!("codex-cli-{}", mark("s1"));
        check(
            Traces {
                in_request: Some("s1"),
                has_token: true,
                ..none
            },
            &one,
            &one,
            Ownership::Own,
        );
        let header = Traces {
            in_header: Some("h1"),
            in_request: Some("s1"),
            ..none
        };
        let two = format!("codex-cli-{}", mark("h1"));
        check(header, &two, &two, Ownership::Own);
        check(
            Traces {
                in_url: Some("mine"),
                ..header
            },
            "url-mine",
            "url-mine",
            Ownership::Own,
        );
    }

    #[test]
    fn a_name_in_the_url_is_nobody_elses() {
        for name in ["person:root", "default", "token"] {
            let caller = http_caller(
                Traces {
                    in_url: Some(name),
                    ..Traces::default()
                },
                None,
            );
            assert!(!caller.actor.session.is_person());
            assert!(!["default", "token"].contains(&caller.list.as_str()));
        }
    }

    #[test]
    fn the_secret_id_of_a_session_is_not_shown() {
        let id = "2f0c7a52-2b6e-4d0e-9df1-51d0d1c1f2ab";
        let caller = http_caller(
            Traces {
                in_header: Some(id),
                ..Traces::default()
            },
            None,
        );
        assert!(!caller.actor.session.as_str().contains("2f0c7a52"));
    }
}
