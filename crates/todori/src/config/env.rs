//! The environment: every variable that is read, what it does, and the one function that reads it.

use std::ffi::OsString;

/// A variable that changes what todori does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    help: Help,
}

/// What the manual says about a variable.
#[derive(Debug, Clone, Copy)]
enum Help {
    /// Nothing: the variable belongs to others.
    None,
    Text(&'static str),
    /// A text that is made from a table.
    Generated(fn() -> String),
}

const fn ours(name: &'static str, says: &'static str) -> Variable {
    Variable {
        name,
        help: Help::Text(says),
    }
}

const fn others(name: &'static str) -> Variable {
    Variable {
        name,
        help: Help::None,
    }
}

pub(crate) const PROJECT_ROOT: Variable = ours(
    "TODORI_PROJECT_ROOT",
    "The project's folder; --project goes before it",
);
pub(crate) const STORE: Variable = ours(
    "TODORI_STORE",
    "Where tasks are kept: the folder of a project; --store goes before it",
);
pub(crate) const SESSION: Variable = ours(
    "TODORI_SESSION",
    "The name under which this process starts tasks",
);
pub(crate) const TOOLSETS: Variable = Variable {
    name: "TODORI_TOOLSETS",
    help: Help::Generated(|| {
        let default = todori_dialects::DEFAULT.name;
        let names = todori_dialects::names().replacen(default, &format!("{default} (default)"), 1);
        format!("The toolsets to serve: {names}, all")
    }),
};
pub(crate) const TOKEN: Variable = ours(
    "TODORI_TOKEN",
    "What clients must present over HTTP, as a bearer token; needed on any address but this machine's own",
);
pub(crate) const LOG: Variable = ours(
    "TODORI_LOG",
    "What to log to standard error: error, warn (default), info, debug, trace",
);
pub(crate) const CLAUDE_PROJECT_DIR: Variable = others("CLAUDE_PROJECT_DIR");
pub(crate) const CLAUDE_SESSION: Variable = others("CLAUDE_CODE_SESSION_ID");
pub(crate) const RUNTIME_DIR: Variable = others("XDG_RUNTIME_DIR");
pub(crate) const HOME: Variable = others("HOME");
pub(crate) const PATH: Variable = others("PATH");
pub(crate) const CONFIG_HOME: Variable = others("XDG_CONFIG_HOME");
pub(crate) const STATE_HOME: Variable = others("XDG_STATE_HOME");
pub(crate) const CLAUDE_CONFIG: Variable = others("CLAUDE_CONFIG_DIR");
pub(crate) const CODEX_HOME: Variable = others("CODEX_HOME");
pub(crate) const COLUMNS: Variable = others("COLUMNS");
pub(crate) const USER: Variable = others("USER");
pub(crate) const LOGNAME: Variable = others("LOGNAME");
pub(crate) const VISUAL: Variable = others("VISUAL");
pub(crate) const EDITOR: Variable = others("EDITOR");
pub(crate) const NO_COLOR: Variable = others("NO_COLOR");
pub(crate) const TERM: Variable = others("TERM");
pub(crate) const LC_ALL: Variable = others("LC_ALL");
pub(crate) const LC_CTYPE: Variable = others("LC_CTYPE");
pub(crate) const LANG: Variable = others("LANG");

/// The variables that the help lists.
pub(crate) const OURS: [Variable; 6] = [PROJECT_ROOT, STORE, SESSION, TOOLSETS, TOKEN, LOG];

impl Variable {
    /// What the manual says about it; `None` for variables that belong to others.
    pub(crate) fn says(self) -> Option<String> {
        match self.help {
            Help::None => None,
            Help::Text(text) => Some(text.to_owned()),
            Help::Generated(text) => Some(text()),
        }
    }

    /// What it says, if it says anything.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the module that owns the environment"
    )]
    pub(crate) fn read(self) -> Option<OsString> {
        std::env::var_os(self.name).filter(|value| !value.is_empty())
    }

    /// The same as text.
    pub(crate) fn text(self) -> Option<String> {
        self.read().and_then(|value| value.into_string().ok())
    }
}
