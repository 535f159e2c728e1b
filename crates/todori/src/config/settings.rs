//! Everything that was told, in one plain value.

use std::path::PathBuf;

use todori_domain::{Actor, SessionName};
use todori_store::{AddressError, Origin, StoreAddress};

use super::env;

/// Everything that was told.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Where to look for the project.
    pub(crate) origin: Origin,
    /// Where tasks are kept, if somebody said so.
    pub(crate) store: Option<StoreAddress>,
    /// Who types commands.
    pub(crate) person: Actor,
    /// What sessions of this process are called, if somebody said so.
    pub(crate) session: Option<String>,
    /// The session that Claude Code started this process for.
    pub(crate) claude_session: Option<String>,
    /// The toolsets to serve, if somebody said so.
    pub(crate) toolsets: Option<String>,
    /// What clients must present over HTTP.
    pub(crate) token: Option<String>,
    /// Where the boards of sessions are shown while there is no project.
    pub(crate) runtime_folder: PathBuf,
    /// What to log.
    pub(crate) log: String,
    /// Whether the terminal can do nothing but print.
    pub(crate) dumb: bool,
    /// What to write longer texts with.
    pub(crate) editor: Option<String>,
    /// Whether nobody wants colours.
    pub(crate) no_color: bool,
    /// Whether the terminal can show more than ASCII.
    pub(crate) unicode: bool,
}

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("there is no working directory")]
    NoWorkingDirectory(#[from] std::io::Error),
    #[error("this is not the address of a store")]
    NoAddress(#[from] AddressError),
}

impl Settings {
    /// Resolves flags and environment. Fails where there is no working directory, or no such store.
    pub(crate) fn resolve(
        project: Option<PathBuf>,
        store: Option<&str>,
    ) -> Result<Self, SettingsError> {
        let given = project.or_else(|| env::PROJECT_ROOT.read().map(PathBuf::from));
        let origin = match (given, env::CLAUDE_PROJECT_DIR.read()) {
            (Some(given), _) => Origin::Given(std::path::absolute(given)?),
            (None, Some(folder)) => Origin::From(PathBuf::from(folder)),
            (None, None) => Origin::From(std::env::current_dir()?),
        };
        let store = store.map(str::to_owned).or_else(|| env::STORE.text());
        // What is no address is not repeated: it may hold a password.
        let store = store.as_deref().map(StoreAddress::parse).transpose()?;
        let session = env::SESSION.text();
        let user = env::USER.text().or_else(|| env::LOGNAME.text());
        let user = user.unwrap_or_else(|| "somebody".to_owned());
        // A person does not go away when a command ends, whatever name is chosen.
        let person = SessionName::person(session.as_deref().unwrap_or(&user));
        let client = Some(format!("todori {}", env!("CARGO_PKG_VERSION")));
        let locale = [env::LC_ALL, env::LC_CTYPE, env::LANG]
            .into_iter()
            .find_map(env::Variable::text);
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        let dumb = env::TERM.text().as_deref() == Some("dumb");
        let runtime_folder = runtime_folder(&user, &origin);
        Ok(Self {
            origin,
            store,
            person: Actor {
                session: person,
                client,
            },
            session,
            claude_session: env::CLAUDE_SESSION.text(),
            toolsets: env::TOOLSETS.text(),
            token: env::TOKEN.text(),
            runtime_folder,
            log: env::LOG
                .text()
                .unwrap_or_else(|| "warn,rmcp=error".to_owned()),
            dumb,
            editor: env::VISUAL.text().or_else(|| env::EDITOR.text()),
            no_color: env::NO_COLOR.read().is_some() || dumb,
            unicode: !dumb && (locale.contains("utf-8") || locale.contains("utf8")),
        })
    }
}

impl Settings {
    /// Where tasks are kept: with the project, unless somebody said otherwise.
    pub(crate) fn store_address(&self) -> StoreAddress {
        let usual = || StoreAddress::Folder(self.origin.clone());
        self.store.clone().unwrap_or_else(usual)
    }
}

/// A folder of this user's own, one for each place where todori is started, that goes away by itself.
fn runtime_folder(user: &str, origin: &Origin) -> PathBuf {
    let (Origin::Given(place) | Origin::From(place)) = origin;
    let place = format!("todori/sessions/{}", mark(&place.to_string_lossy()));
    if let Some(folder) = env::RUNTIME_DIR.read() {
        return PathBuf::from(folder).join(place);
    }
    let user: String = user.chars().filter(char::is_ascii_alphanumeric).collect();
    std::env::temp_dir()
        .join(format!("todori-{user}"))
        .join(place)
}

/// The first characters of Claude Code's own session id, so that people can tell which session it is.
pub(crate) fn claude_mark(id: &str) -> Option<String> {
    let mark: String = id
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(8)
        .collect();
    (mark.len() == 8).then_some(mark)
}

/// A short mark that is the same for the same text in every run (FNV-1a). No secret is safe behind it.
pub(crate) fn mark(text: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}
