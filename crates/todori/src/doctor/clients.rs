//! Which agents are here, and whether they know of todori, as `install` finds it.

use std::path::Path;

use todori_domain::Finding;

use crate::config::Folders;
use crate::install::{CLIENTS, MissingProgram, Site, is_on_path, survey};

pub(super) fn examine(folders: &Folders, project: Option<&Path>) -> Vec<Finding> {
    let site = Site { folders, project };
    let mut findings = Vec::new();
    for client in CLIENTS.iter().filter(|client| !client.is_git()) {
        let survey = survey(client, &site);
        for error in &survey.errors {
            let advice = "mend the file by hand; until then nobody can say what is in it";
            let says = format!("{}: {}", client.title, error.message);
            findings.push(Finding::problem("clients", says).advise(advice));
        }
        for MissingProgram { file, program, why } in &survey.missing {
            let says = format!(
                "{} is told to start {program}, which {why} ({})",
                client.title,
                file.display()
            );
            let advice = format!("`todori install {}` names this program there", client.name);
            findings.push(Finding::problem("clients", says).advise(advice));
        }
        if let Some(file) = survey.files.first() {
            if survey.missing.is_empty() {
                let says = format!("{} knows todori ({})", client.title, file.display());
                findings.push(Finding::ok("clients", says));
            }
        } else if survey.errors.is_empty() && is_on_path(client.program, folders) {
            let says = format!("{} is here and does not know todori", client.title);
            let advice = format!("`todori install {}` tells it", client.name);
            findings.push(Finding::note("clients", says).advise(advice));
        }
    }
    if findings.is_empty() {
        let says = "no client was found that todori knows how to set up";
        let advice = "any MCP client can start it: todori serve";
        findings.push(Finding::note("clients", says).advise(advice));
    }
    findings
}
