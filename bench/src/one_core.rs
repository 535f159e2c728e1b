//! Keeps this process and those that it starts on one processor core while answers of servers are measured. On which
//! core the system wakes a server otherwise decides more than the server does: the same call takes 45 or 130
//! microseconds, for minutes on end.

use std::process::Command;

/// As long as this is there, everything runs on one core.
#[derive(Debug)]
pub(crate) struct OneCore {
    /// The cores that were allowed before; none if they could not be changed.
    before: Option<String>,
}

impl OneCore {
    /// Picks the first core that is allowed. Where the system has no `taskset`, nothing is picked, and figures vary more.
    pub(crate) fn pick() -> Self {
        let before = allowed();
        let first = before
            .as_deref()
            .and_then(|cores| cores.split([',', '-']).next());
        if !first.is_some_and(allow) {
            eprintln!("cannot stay on one core (is there a taskset?): figures will vary");
            return Self { before: None };
        }
        Self { before }
    }
}

impl Drop for OneCore {
    fn drop(&mut self) {
        if let Some(cores) = &self.before {
            allow(cores);
        }
    }
}

/// The cores that this process may run on, as in `0-3,8`.
fn allowed() -> Option<String> {
    let this = std::process::id().to_string();
    let told = Command::new("taskset").args(["-c", "-p", &this]).output();
    let told = String::from_utf8(told.ok()?.stdout).ok()?;
    let (_, cores) = told.trim().rsplit_once(": ")?;
    Some(cores.to_owned())
}

fn allow(cores: &str) -> bool {
    let this = std::process::id().to_string();
    let done = Command::new("taskset")
        .args(["-c", "-p", cores, &this])
        .output();
    done.is_ok_and(|done| done.status.success())
}
