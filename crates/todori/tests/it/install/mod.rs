//! `todori install` and `uninstall`, through the real program in a home of its own.

mod clients;
mod refusals;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::project::{Printed, Project, printed};

/// A project and a home, with nothing in them.
struct Site {
    project: Project,
    home: TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self {
            project: Project::new(),
            home: TempDir::new().unwrap(),
        };
        // As if it were installed: `todori` on the PATH is this very program.
        let programs = site.home.path().join("bin");
        fs::create_dir(&programs).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_todori"), programs.join("todori")).unwrap();
        site
    }

    fn command(&self) -> std::process::Command {
        let mut command = self.project.command();
        let path = format!("{}:/usr/bin:/bin", self.home.path().join("bin").display());
        command.env("HOME", self.home.path()).env("PATH", path);
        command
    }

    fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Printed {
        printed(self.command().args(arguments).output().unwrap())
    }

    /// Runs what must work.
    fn done(&self, arguments: &[&str]) -> String {
        let printed = self.run(arguments);
        assert_eq!(
            (printed.code, printed.err.as_str()),
            (0, ""),
            "{arguments:?} {printed:?}"
        );
        printed.out
    }

    /// A file below the project, or below the home if its name begins with `~/`.
    fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(name) => self.home.path().join(name),
            None => self.project.path().join(name),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this plays a person with an editor"
    )]
    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// All files and folders, without what belongs to todori itself.
    fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.project.path().to_owned(), self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let ours = [".todori", ".local", "bin"];
                if ours.iter().any(|name| path.ends_with(Path::new(name))) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path.clone());
                }
                found.push(path);
            }
        }
        found
    }

    fn mode(&self, name: &str) -> u32 {
        self.path(name).metadata().unwrap().permissions().mode() & 0o777
    }
}
