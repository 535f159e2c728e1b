//! Notices when others change the board: by word from the system where there is one, and by looking every second in
//! any case (network drives send no word).

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::engine::Engine;

/// How often the file is looked at when there is no word of it.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The same while there is no folder that could be watched.
const LOOK_FOR_FOLDER_EVERY: Duration = Duration::from_millis(200);

/// Keeps an engine up to date until it is gone. Runs on a thread of its own.
pub(crate) fn run(engine: &Weak<Mutex<Engine>>) {
    let (sender, words) = mpsc::channel();
    let mut watched: Option<(RecommendedWatcher, u64)> = None;
    loop {
        let Some(alive) = engine.upgrade() else {
            return;
        };
        let folder = alive
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .folder()
            .to_owned();
        // The folder may come, go and come back as another one.
        let now = identity(&folder);
        if watched.as_ref().map(|(_, inode)| *inode) != now {
            watched = now.and_then(|inode| Some((watch(&folder, sender.clone())?, inode)));
        }
        // Only after the watch is set: what came before it would be missed. A file that can't be read is for those
        // to report who read it.
        drop(
            alive
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .refresh(),
        );
        drop(alive);
        let pause = if watched.is_some() {
            LOOK_EVERY
        } else {
            LOOK_FOR_FOLDER_EVERY
        };
        match words.recv_timeout(pause) {
            // One look answers all the words that came together.
            Ok(()) => while words.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn identity(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().ok().map(|metadata| metadata.ino())
}

fn watch(folder: &Path, sender: mpsc::Sender<()>) -> Option<RecommendedWatcher> {
    let heard = move |event: notify::Result<notify::Event>| {
        // Reading is not news, and our own looking would wake us for ever.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = sender.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(heard).ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
