//! Notices when others change the board or their lists, come or go: by word from the system where there is one, and by
//! looking every second in any case (network drives send no word).

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::locked;
use super::session_folder::SessionFolder;
use super::shared::Shared;

/// How often is looked when there is no word.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The same while there is no folder that could be watched.
const LOOK_FOR_FOLDER_EVERY: Duration = Duration::from_millis(200);
/// The same while somebody is in the middle of writing the board's file.
const LOOK_AT_HALF_EVERY: Duration = Duration::from_millis(50);

/// Keeps a store up to date until it is gone. Runs on a thread of its own.
pub(crate) fn run(store: &Weak<Shared>) {
    let (sender, words) = mpsc::channel();
    let mut watched = Watched {
        sender,
        folders: BTreeMap::new(),
    };
    loop {
        let Some(alive) = store.upgrade() else {
            return;
        };
        watched.follow(&folders(&alive));
        // Only after the watches are set: what came before them would be missed. What can't be read is for those to
        // report who read it.
        // A panic in here is a bug; it must not leave everybody without news.
        let looked = catch_unwind(AssertUnwindSafe(|| {
            let mut is_held_back = false;
            if let Ok(engine) = alive.engine() {
                let mut engine = locked(engine);
                drop(engine.refresh());
                engine.tell_if_overtaken();
                is_held_back = engine.is_held_back();
            }
            // What can't be merged now is tried again at the next look.
            drop(alive.look_after_replaced());
            locked(&alive.sessions).refresh();
            is_held_back
        }));
        drop(alive);
        let pause = if watched.folders.is_empty() {
            LOOK_FOR_FOLDER_EVERY
        } else if looked.unwrap_or(false) {
            LOOK_AT_HALF_EVERY
        } else {
            LOOK_EVERY
        };
        match words.recv_timeout(pause) {
            // One look answers all the words that came together.
            Ok(()) => while words.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Everything that may hold something new, and what counts as news there.
fn folders(store: &Shared) -> BTreeMap<PathBuf, News> {
    let mut folders = BTreeMap::new();
    if let Ok(engine) = store.engine() {
        folders.insert(locked(engine).paths().folder.clone(), News::Changes);
    }
    for folder in locked(&store.sessions).folders() {
        let (SessionFolder::Project(path) | SessionFolder::Runtime(path)) = folder;
        folders.insert(path, News::ChangesAndEnds);
    }
    folders
}

/// What is news in a folder. Reading is not, and our own looking would wake us for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    Changes,
    /// Also that a file which was open for writing is let go: so are the locks of a process that ends.
    ChangesAndEnds,
}

/// The folders that are watched, and which folder it was: one may go and come back as another.
struct Watched {
    sender: Sender<()>,
    folders: BTreeMap<PathBuf, (RecommendedWatcher, u64)>,
}

impl Watched {
    fn follow(&mut self, folders: &BTreeMap<PathBuf, News>) {
        self.folders
            .retain(|folder, _| folders.contains_key(folder));
        for (folder, news) in folders {
            let now = identity(folder);
            if self.folders.get(folder).map(|(_, inode)| *inode) == now {
                continue;
            }
            self.folders.remove(folder);
            let sender = self.sender.clone();
            let watcher = now.and_then(|inode| Some((watch(folder, *news, sender)?, inode)));
            if let Some(watcher) = watcher {
                self.folders.insert(folder.clone(), watcher);
            }
        }
    }
}

fn identity(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().ok().map(|metadata| metadata.ino())
}

fn watch(folder: &Path, news: News, sender: Sender<()>) -> Option<RecommendedWatcher> {
    let heard = move |event: notify::Result<notify::Event>| {
        let ends = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let is_news =
            |kind: EventKind| !kind.is_access() || (news == News::ChangesAndEnds && kind == ends);
        if event.is_ok_and(|event| is_news(event.kind)) {
            let _ = sender.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(heard).ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
