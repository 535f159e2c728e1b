//! Looks at a project, the installation and what agents are charged, and says what to do. Looks only: nothing is
//! changed, and nothing is printed here.

mod board;
mod clients;
mod context;
mod files;
mod git;
mod installation;

use std::path::Path;
use std::sync::Arc;

use todori_domain::{Answer, BoardKey, Request, StoreError, Tracker, Want};
use todori_store::{KEPT_FOR, Lifetime, Origin, ProjectStore, SessionBoards, find_project};

use crate::clock;
use crate::config::{Folders, Settings};

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Something does not work, or will not.
    Problem,
}

impl Level {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    /// What it is about.
    pub(crate) about: &'static str,
    /// What was found.
    pub(crate) says: String,
    /// What to do about it.
    pub(crate) advice: Option<String>,
}

impl Finding {
    fn new(level: Level, about: &'static str, says: impl Into<String>) -> Self {
        Self {
            level,
            about,
            says: says.into(),
            advice: None,
        }
    }

    fn ok(about: &'static str, says: impl Into<String>) -> Self {
        Self::new(Level::Ok, about, says)
    }

    fn note(about: &'static str, says: impl Into<String>) -> Self {
        Self::new(Level::Note, about, says)
    }

    fn problem(about: &'static str, says: impl Into<String>) -> Self {
        Self::new(Level::Problem, about, says)
    }

    fn advise(self, advice: impl Into<String>) -> Self {
        Self {
            advice: Some(advice.into()),
            ..self
        }
    }
}

/// A number of things.
fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Looks at everything.
pub(crate) async fn examine(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    let folders = Folders::resolve();
    let root = find_project(&settings.origin);
    match &root {
        Ok(root) => findings.push(Finding::ok("project", how_found(root, &settings.origin))),
        Err(error) => findings.push(
            Finding::problem("project", error.to_string())
                .advise("run `todori init` in the project's folder, or use --project DIR"),
        ),
    }
    let sessions = SessionBoards::new(Lifetime::Idle(KEPT_FOR), settings.runtime_folder.clone());
    let store = Arc::new(ProjectStore::new(settings.origin.clone(), sessions));
    let warnings = store.warnings();
    let tracker = Tracker::new(store);
    if let Ok(root) = &root {
        let read = look(&tracker, settings).await;
        match &read {
            Ok(answer) => {
                findings.extend(board::examine(answer));
            }
            Err(error) => findings.push(unreadable(error, root)),
        }
        let vanished = matches!(read, Err(StoreError::Vanished { .. }));
        findings.extend(files::examine(root, vanished));
        let warned = warnings.into_iter().map(|warning| {
            // A warning says what to do behind its colon.
            match warning.split_once(": ") {
                Some((says, advice)) => Finding::note("store", says).advise(advice),
                None => Finding::note("store", warning),
            }
        });
        findings.extend(warned);
        findings.extend(git::examine(root));
        findings.extend(git::merging(&folders, root));
        if let Ok(answer) = read {
            findings.extend(context::replies(&tracker, settings, &answer).await);
        }
    }
    findings.extend(context::definitions());
    findings.extend(installation::examine(&folders));
    findings.extend(clients::examine(&folders, root.ok().as_deref()));
    findings
}

fn how_found(root: &Path, origin: &Origin) -> String {
    let shown = root.display();
    match origin {
        Origin::Given(_) => format!("{shown} (as given)"),
        Origin::From(start) if start == root => format!("{shown} (here)"),
        Origin::From(start) if start.starts_with(root) => {
            format!("{shown} (found upwards from {})", start.display())
        }
        Origin::From(start) => {
            format!("{shown} (the main worktree of {})", start.display())
        }
    }
}

/// Reads the board, its newest event, and who is alive.
async fn look(tracker: &Tracker, settings: &Settings) -> Result<Answer, StoreError> {
    let want = Want {
        history: 1,
        presence: true,
    };
    let moment = clock::now(settings.person.clone());
    tracker
        .handle(&BoardKey::Project, moment, Request::Read(want))
        .await
}

fn unreadable(error: &StoreError, root: &Path) -> Finding {
    if let Some(line) = files::conflict(root) {
        return Finding::problem(
            "board",
            format!(".todori/tasks.yaml holds a merge that was not finished, from line {line} on"),
        )
        .advise("choose one side of each <<<<<<< ... >>>>>>> and delete the marks; tasks are blocks of their own");
    }
    let advice = match error {
        StoreError::NoProject { .. } => "run `todori init` in the project's folder",
        StoreError::Broken { .. } => {
            "mend the file by hand; todori leaves it as it is until it can be read"
        }
        StoreError::Vanished { .. } => {
            "bring it back (git checkout), or run `todori init` to begin anew"
        }
        StoreError::Busy { .. }
        | StoreError::Unreadable { .. }
        | StoreError::NotApplied { .. }
        | StoreError::OutcomeUnknown { .. } => "see what the system says, and try again",
    };
    Finding::problem("board", error.to_string()).advise(advice)
}
