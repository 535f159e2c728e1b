//! A terminal of its own (tmux) with a shell in it. Ended when it goes out of scope.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long anything may take before a test gives up. Never how long it should take.
const PATIENCE: Duration = Duration::from_mins(1);
/// What the shell says when it waits for a command.
const PROMPT: &str = "READY>";

pub(crate) struct Terminal {
    /// Where tmux keeps its socket.
    sockets: TempDir,
}

impl Terminal {
    /// A terminal of this size, with a shell in this folder.
    pub(crate) fn open(folder: &Path, columns: u16, rows: u16) -> Self {
        let terminal = Self {
            sockets: TempDir::new().unwrap(),
        };
        // Nothing is inherited but where programs are, and what tmux says about itself.
        let shell = format!(
            "exec env -i PATH=\"$PATH\" TERM=\"$TERM\" LANG=C.UTF-8 USER=ada PS1='{PROMPT}' \
             bash --norc --noprofile -i"
        );
        terminal.tmux(&[
            "new-session",
            "-d",
            "-x",
            &columns.to_string(),
            "-y",
            &rows.to_string(),
            "-c",
            folder.to_str().unwrap(),
            &shell,
        ]);
        terminal.wait("a prompt", |seen| seen.contains(PROMPT));
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let printed = Command::new("tmux")
            .env("SHELL", "/bin/sh")
            .env("LANG", "C.UTF-8")
            .env("TMUX_TMPDIR", self.sockets.path())
            .env_remove("TMUX")
            .args(["-u", "-f", "/dev/null"])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("tmux is installed: ./test does that");
        String::from_utf8(printed.stdout).unwrap()
    }

    /// What can be seen.
    pub(crate) fn seen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Presses keys, by their names or as text.
    pub(crate) fn press(&self, keys: &[&str]) {
        let mut arguments = vec!["send-keys"];
        arguments.extend(keys);
        self.tmux(&arguments);
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// Waits until something can be seen.
    pub(crate) fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let seen = self.seen();
            if is_there(&seen) {
                return seen;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "waited in vain for {what}:\n{seen}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for a text.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait(text, |seen| seen.contains(text))
    }

    /// Waits until the shell has the terminal again, as it was: no other screen, a cursor, lines read as lines.
    pub(crate) fn wait_until_given_back(&self) {
        self.wait("the shell", |seen| {
            seen.trim_end()
                .lines()
                .next_back()
                .is_some_and(|line| line.starts_with(PROMPT))
        });
        let flags = self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(flags.trim(), "0 1", "{}", self.seen());
        self.press(&[
            "stty -a | tr ' ;' '\\n' | grep -x -e '-*icanon' -e '-*echo'",
            "Enter",
        ]);
        let seen = self.wait("the modes", |seen| seen.contains("echo\n"));
        assert!(!seen.contains("-icanon"), "{seen}");
    }

    /// Closes the terminal, whatever runs in it.
    pub(crate) fn close(&self) {
        self.tmux(&["kill-server"]);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.close();
    }
}
