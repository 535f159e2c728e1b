//! Looks at a project, the installation and what agents are charged, and says what to do. Looks only: nothing is
//! changed, and nothing is printed here.

mod board;
mod clients;
mod context;
mod git;
mod installation;

use std::path::Path;

use todori_domain::{Answer, BoardKey, CommittedFile, Finding, Request, StoreError, Tracker, Want};
use todori_store::find_project;

use crate::clock;
use crate::config::{Folders, Settings};
use crate::error_text::ErrorText;

/// A number of things.
fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Looks at everything.
pub(crate) async fn examine(tracker: &Tracker, settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    let folders = Folders::resolve();
    let root = find_project(&settings.origin).ok();
    let store = tracker.store();
    match store.describe().await {
        Ok(description) => {
            findings.push(Finding::ok("project", description.location));
            let kept = format!("tasks are kept in {}", description.kind);
            findings.push(Finding::ok("store", kept));
            let read = look(tracker, settings).await;
            if let Ok(answer) = &read {
                findings.extend(board::examine(answer));
            }
            findings.extend(store.diagnose().await);
            if let Some(CommittedFile { folder, name }) = description.committed_file {
                let folder = Path::new(&folder);
                findings.extend(git::examine(folder, &name));
                findings.extend(git::merging(&folders, folder));
            }
            if let Ok(answer) = read {
                findings.extend(context::replies(tracker, settings, &answer).await);
            }
        }
        Err(error) => {
            let ErrorText { message, hint } = ErrorText::of(&error);
            let problem = Finding::problem("project", message);
            findings.push(match hint {
                Some(hint) => problem.advise(hint),
                None => problem,
            });
        }
    }
    findings.extend(context::definitions());
    findings.extend(installation::examine(&folders));
    findings.extend(clients::examine(&folders, root.as_deref()));
    findings
}

/// Reads the board, and who is alive.
async fn look(tracker: &Tracker, settings: &Settings) -> Result<Answer, StoreError> {
    let want = Want {
        presence: true,
        ..Want::default()
    };
    let moment = clock::now(settings.person.clone());
    tracker
        .handle(&BoardKey::Project, moment, Request::Read(want))
        .await
}
