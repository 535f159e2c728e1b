//! Adds todori to the settings of clients, and removes it again: one small file for each client says where its settings
//! are and what belongs into them; the rest is the same for all. Plans first, so that it can be shown; prints nothing.

mod clients;
mod diff;
mod error;
mod file;
mod json;
mod plan;
mod program;
mod receipts;
mod setting;
mod survey;
mod toml;

pub(crate) use clients::{CLIENTS, Client};
pub(crate) use diff::{DiffLine, diff_lines};
pub(crate) use error::{InstallError, InstallErrorKind};
pub(crate) use plan::{Change, InstallRequest, InstallScope, Plan, Site, install, uninstall};
pub(crate) use program::{Program, find_on_path, is_on_path};
pub(crate) use survey::{MissingProgram, survey};

use serde_json::Value;

/// The name under which clients know the server.
const NAME: &str = "todori";

/// How a client reaches the server.
#[derive(Debug, Clone)]
pub(crate) enum Server {
    /// It starts the program.
    Stdio {
        command: String,
        arguments: Vec<String>,
    },
    /// Somebody has started it already.
    Http { url: String },
}

impl Server {
    /// The entry that most clients agree on.
    fn entry(&self, url_name: &str) -> Value {
        match self {
            Self::Stdio { command, arguments } => {
                serde_json::json!({"command": command, "args": arguments})
            }
            Self::Http { url } => serde_json::json!({ url_name: url }),
        }
    }

    /// The same with its type in it.
    fn typed_entry(&self) -> Value {
        match self {
            Self::Stdio { command, arguments } => {
                serde_json::json!({"type": "stdio", "command": command, "args": arguments})
            }
            Self::Http { url } => serde_json::json!({"type": "http", "url": url}),
        }
    }
}
