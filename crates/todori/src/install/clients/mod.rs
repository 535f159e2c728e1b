//! The clients: where each keeps its settings, and what belongs into them.

mod claude_code;
mod codex;
mod cursor;
mod gemini;
mod git;
mod opencode;
mod vscode;

use std::path::{Path, PathBuf};

use super::setting::Setting;
use super::{InstallScope, NAME, Server};
use crate::config::Folders;

/// A client, as a row of a table.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The program that shows that it is on this machine.
    pub(crate) program: &'static str,
    /// Where it goes if nobody says otherwise, and there is a project.
    pub(super) default_scope: InstallScope,
    /// Its settings for all projects of this user; none where there is no home.
    pub(super) user_file: fn(&Folders) -> Option<PathBuf>,
    /// Its settings for one project; none where it has no such thing.
    pub(super) project_file: Option<fn(&Path) -> PathBuf>,
    /// What belongs into them.
    pub(super) setting: fn(&Server) -> Setting,
    /// What to do when it is installed for somebody.
    pub(crate) next_step: fn(InstallScope) -> &'static str,
}

/// All of them, in the order in which they are listed.
pub(crate) const CLIENTS: &[Client] = &[
    claude_code::CLIENT,
    codex::CLIENT,
    gemini::CLIENT,
    vscode::CLIENT,
    cursor::CLIENT,
    opencode::CLIENT,
    git::CLIENT,
];

pub(super) use claude_code::{CLIENT as CLAUDE_CODE, project_settings, user_settings};
pub(super) use git::CLIENT as GIT;

impl Client {
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Whether it has hooks and a status line.
    pub(crate) fn has_extras(&self) -> bool {
        self.name == CLAUDE_CODE.name
    }

    /// Whether it is git, which is no agent.
    pub(crate) fn is_git(&self) -> bool {
        self.name == GIT.name
    }
}
