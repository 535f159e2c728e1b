//! Which agents are here, and whether they know of todori, as `install` finds it.

use std::path::Path;

use super::Finding;
use crate::config::Folders;
use crate::install::{CLIENTS, Site, find_installed, is_on_path};

pub(super) fn examine(folders: &Folders, project: Option<&Path>) -> Vec<Finding> {
    let site = Site { folders, project };
    let mut findings = Vec::new();
    for client in CLIENTS.iter().filter(|client| !client.is_git()) {
        let told = find_installed(client, &site);
        if let Some(file) = told.first() {
            let says = format!("{} knows todori ({})", client.title, file.display());
            findings.push(Finding::ok("clients", says));
        } else if is_on_path(client.program, folders) {
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
