//! Whether clients that say `todori` start this program.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::Finding;

pub(super) fn examine(search_path: Option<&OsStr>) -> Vec<Finding> {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().ok();
    let shown = own
        .as_ref()
        .map(|own| own.display().to_string())
        .unwrap_or_default();
    let mut findings = vec![Finding::ok("program", format!("todori {version}, {shown}"))];
    let folders = search_path.map(std::env::split_paths).into_iter().flatten();
    let first = folders
        .map(|folder| folder.join("todori"))
        .find(|path| path.is_file());
    let same = |path: &PathBuf| {
        path.canonicalize().ok() == own.as_ref().and_then(|own| own.canonicalize().ok())
    };
    findings.push(match first {
        Some(path) if same(&path) => Finding::ok("program", "`todori` on the PATH is this program"),
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
