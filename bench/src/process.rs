//! A process that ends when nobody needs it any more. Knows nothing of what it does.

use std::process::{Child, Command};

use crate::Outcome;

/// A process. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) child: Child,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Outcome<Self> {
        let child = command.spawn()?;
        Ok(Self { child })
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What the system says of its memory: `VmRSS:` is what it needs now, `VmHWM:` the most so far.
    pub(crate) fn megabytes(&self, name: &str) -> Outcome<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let line = line.ok_or_else(|| format!("the system does not tell {name}"))?;
        let kilobytes: u32 = line.trim().trim_end_matches(" kB").parse()?;
        // The system's kilobytes have 1,024 bytes.
        Ok(f64::from(kilobytes) * 1_024.0 / 1_000_000.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Neither can fail in a way that matters: a process that is gone already is what is wanted.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
