//! `todori init`: makes a board in this project.

use clap::Args;
use serde_json::json;

use super::Ended;
use super::output::{Output, harmless};
use super::project::{Project, failed};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori init                   in the root of the git repository, or right here\n  todori init --project ~/notes"
)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let store = project.tracker().store();
    let created = match project.wait(store.create()) {
        Ok(created) => created,
        Err(error) => return failed(&error, output),
    };
    if output.json {
        output.value(&json!({"file": created.location, "created": created.is_new}));
        return Ended::Done;
    }
    let place = harmless(&created.location);
    if created.is_new {
        output.line(&format!("Made an empty board: {place}"));
        let description = project.wait(store.describe()).ok();
        let is_committed = description.is_some_and(|known| known.committed_file.is_some());
        let share = if is_committed {
            "Commit it to share it. "
        } else {
            ""
        };
        output.line(&format!(
            "{share}Connect an agent: todori install claude-code"
        ));
    } else {
        output.line(&format!("There is a board already: {place}"));
    }
    Ended::Done
}
