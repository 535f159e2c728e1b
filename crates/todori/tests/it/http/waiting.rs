//! Makes a server wait, and waits for it.

use std::time::{Duration, Instant};

use crate::project::Project;
use crate::web::{PATIENCE, Web};

/// Holds the lock of the board, so that a write has to wait, until it is dropped.
pub(super) fn hold_the_board(project: &Project) -> std::fs::File {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let lock = options.open(project.path().join(".todori/.lock")).unwrap();
    lock.lock().unwrap();
    lock
}

/// Whether the server has the file of the lock open: it looks at it again and again while somebody else holds it.
pub(super) fn waits_for_the_board(web: &Web) -> bool {
    let files = std::fs::read_dir(format!("/proc/{}/fd", web.child.id())).unwrap();
    files
        .filter_map(|file| std::fs::read_link(file.ok()?.path()).ok())
        .any(|path| path.ends_with(".todori/.lock"))
}

pub(super) fn until(what: &str, is_so: impl Fn() -> bool) {
    let late = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < late, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
