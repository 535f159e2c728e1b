//! Where the programs and the boards are, and how often to measure. Measures nothing itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use tokio::runtime::{Builder, Runtime};

use crate::Outcome;

/// How many times each kind of work is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) writes: usize,
    pub(crate) reads: usize,
    pub(crate) loads: usize,
    pub(crate) round_trips: usize,
    pub(crate) starts: usize,
}

impl Effort {
    /// Enough for medians that hardly change from run to run.
    pub(crate) const FULL: Self = Self {
        writes: 120,
        reads: 600,
        loads: 25,
        round_trips: 2_000,
        starts: 100,
    };
    /// Enough to see the order of magnitude.
    pub(crate) const QUICK: Self = Self {
        writes: 20,
        reads: 100,
        loads: 5,
        round_trips: 200,
        starts: 15,
    };
}

/// What every measurement needs to know.
#[derive(Debug)]
pub(crate) struct Setup {
    /// The program that is measured.
    pub(crate) todori: PathBuf,
    /// The MCP server that does nothing.
    idle_server: PathBuf,
    /// The same over HTTP.
    idle_http_server: PathBuf,
    /// The program that reads a board or a file once.
    load_once: PathBuf,
    /// Where boards are made.
    pub(crate) folder: PathBuf,
    pub(crate) effort: Effort,
}

impl Setup {
    /// Finds the programs next to this one, where cargo puts them.
    pub(crate) fn find(folder: PathBuf, effort: Effort) -> Outcome<Self> {
        let this = std::env::current_exe()?;
        let ours = "cargo build --release -p todori-bench";
        Ok(Self {
            todori: neighbour(&this, "todori", "cargo build --release")?,
            idle_server: neighbour(&this, "idle_server", ours)?,
            idle_http_server: neighbour(&this, "idle_http_server", ours)?,
            load_once: neighbour(&this, "load_once", ours)?,
            folder,
            effort,
        })
    }

    /// The command that serves the board of a project.
    pub(crate) fn serve(&self, project: &Path) -> Command {
        let mut command = Command::new(&self.todori);
        // Variables of whoever runs this must not change what is measured, and what a server remembers of its sessions
        // must go when this program ends.
        command
            .env_clear()
            .env("XDG_RUNTIME_DIR", self.folder.join("runtime"))
            .arg("serve")
            .arg("--project")
            .arg(project);
        command
    }

    /// The command that serves the board of a project over HTTP, on a free port of this machine.
    pub(crate) fn serve_http(&self, project: &Path) -> Command {
        let mut command = self.serve(project);
        command.args(["--http", "127.0.0.1:0"]);
        command
    }

    /// The command that serves nothing.
    pub(crate) fn serve_nothing(&self) -> Command {
        let mut command = Command::new(&self.idle_server);
        command.env_clear();
        command
    }

    /// The command that serves nothing over HTTP, on a free port of this machine.
    pub(crate) fn serve_nothing_http(&self) -> Command {
        let mut command = Command::new(&self.idle_http_server);
        command.env_clear();
        command
    }

    /// The command that reads a board or a file once; what to read is for the caller to add.
    pub(crate) fn load_once(&self) -> Command {
        let mut command = Command::new(&self.load_once);
        command.env_clear();
        command
    }
}

fn neighbour(this: &Path, name: &str, build: &str) -> Outcome<PathBuf> {
    let path = this.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    let path = path.display();
    Err(format!("there is no {path}; build it with `{build}`").into())
}

/// What waits for the promises of a store, on the thread that asks.
pub(crate) fn runtime() -> Outcome<Runtime> {
    Ok(Builder::new_current_thread().build()?)
}
