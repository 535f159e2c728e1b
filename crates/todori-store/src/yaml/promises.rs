//! What this file system does not offer, so that todori promises less: told once to whoever uses the store, and by
//! `doctor` whenever it is asked.

use std::collections::BTreeSet;

use todori_domain::Finding;

use super::atomic_file::{self, Forced};
use super::lock::{self, Lock};
use super::paths::{FOLDER, Paths};

/// What is promised where the file system offers what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Promise {
    /// What was acknowledged is still there after a power cut.
    SurvivesPowerCut,
    /// Of several who write at once, one writes at a time.
    OneWriter,
}

impl Promise {
    /// What to know where it is not kept.
    fn broken(self) -> Finding {
        match self {
            Self::SurvivesPowerCut => Finding::note(
                "store",
                format!("the file system of {FOLDER} does not confirm what it has written"),
            )
            .advise("a power cut may take the last changes; nothing else is less safe"),
            Self::OneWriter => Finding::note(
                "store",
                format!("the file system of {FOLDER} offers no locks"),
            )
            .advise(
                "a file stands in for the lock: after a crash others wait up to 5 seconds, and a process that was \
                 stopped for longer in the middle of a write could undo a change of another",
            ),
        }
    }
}

/// Which promises could not be kept, and which of them were told.
#[derive(Debug, Default)]
pub(crate) struct Promises {
    broken: BTreeSet<Promise>,
    untold: Vec<Finding>,
}

impl Promises {
    /// Takes note of what forcing something to the disk came to.
    pub(crate) fn heard(&mut self, promise: Promise, forced: Forced) {
        if forced == Forced::NotSupported {
            self.not_kept(promise);
        }
    }

    /// Takes note of what kind of lock there was.
    pub(crate) fn lock(&mut self, lock: &Lock) {
        if lock.is_makeshift() {
            self.not_kept(Promise::OneWriter);
        }
    }

    fn not_kept(&mut self, promise: Promise) {
        if self.broken.insert(promise) {
            self.untold.push(promise.broken());
        }
    }

    /// What was not told yet.
    pub(crate) fn tell(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.untold)
    }
}

/// Tries what the file system offers. Changes nothing.
pub(crate) fn examine(paths: &Paths) -> Vec<Finding> {
    let forced = atomic_file::sync_folder(&paths.folder);
    let confirms = forced.is_ok_and(|forced| forced == Forced::NotSupported);
    let confirms = confirms.then_some(Promise::SurvivesPowerCut);
    let locks = (lock::works(paths) == Some(false)).then_some(Promise::OneWriter);
    let broken = confirms.into_iter().chain(locks);
    broken.map(Promise::broken).collect()
}
