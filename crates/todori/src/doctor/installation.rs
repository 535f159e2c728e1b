//! Whether clients that say `todori` start this program.

use todori_domain::Finding;

use crate::config::Folders;
use crate::install::{Program, find_on_path};

pub(super) fn examine(folders: &Folders) -> Vec<Finding> {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().ok();
    let shown = own
        .as_ref()
        .map(|own| own.display().to_string())
        .unwrap_or_default();
    let mut findings = vec![Finding::ok("program", format!("todori {version}, {shown}"))];
    let same = Program::find(folders).is_some_and(|program| program.on_path);
    let first = find_on_path("todori", folders);
    findings.push(match first {
        Some(_) if same => Finding::ok("program", "`todori` on the PATH is this program"),
        Some(path) => Finding::note(
            "program",
            format!("`todori` on the PATH is another one: {}", path.display()),
        )
        .advise(format!(
            "clients start that one; to use this one, name it in full: {shown}"
        )),
        None => Finding::note("program", "there is no `todori` on the PATH").advise(format!(
            "put it there, or name it in full where clients are told of it: {shown}"
        )),
    });
    findings
}
