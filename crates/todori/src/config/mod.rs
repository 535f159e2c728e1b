//! What the program was told: by flags, and by the environment. Resolved once; nothing below reads the environment.

pub(crate) mod env;
mod folders;
mod settings;

pub(crate) use folders::Folders;
pub(crate) use settings::{Settings, SettingsError, claude_mark, mark};
