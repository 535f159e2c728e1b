//! `todori init`: makes a board in this project.

use serde_json::json;
use todori_store::{Created, Origin, YamlStore, find_project};

use super::Ended;
use super::output::{Output, harmless};
use super::project::{Project, failed};

pub(super) fn run(project: &Project, output: &mut Output) -> Ended {
    let origin = &project.settings.origin;
    // In a repository the board goes to its root; elsewhere right here.
    let root = match (find_project(origin), origin) {
        (Ok(root), _) => root,
        (Err(_), Origin::From(here)) => here.clone(),
        (Err(error), Origin::Given(_)) => {
            output.error(&error.to_string(), Some("make the folder first"));
            return Ended::Refused;
        }
    };
    let store = match YamlStore::open(&root) {
        Ok(store) => store,
        Err(error) => {
            output.error("cannot open the project", Some(&error.to_string()));
            return Ended::StoreFailed;
        }
    };
    let created = match store.create() {
        Ok(created) => created,
        Err(error) => return failed(&error, origin, output),
    };
    let file = root.join(".todori/tasks.yaml").display().to_string();
    if output.json {
        output.value(&json!({"file": file, "created": created == Created::New}));
        return Ended::Done;
    }
    let file = harmless(&file);
    match created {
        Created::New => {
            output.line(&format!("Made an empty board: {file}"));
            output.line("Commit it to share it. Connect an agent: todori install claude-code");
        }
        Created::Found => output.line(&format!("There is a board already: {file}")),
    }
    Ended::Done
}
