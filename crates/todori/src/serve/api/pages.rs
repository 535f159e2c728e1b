//! What pages ask for is worked out once for each version of what it shows, away from the thread that serves everybody,
//! and kept for all who ask for the same. Whoever asks gets at least what was there when it asked: that is looked up each
//! time, and is cheap.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use todori_domain::{Revision, SessionName};

use super::Failure;
use crate::serve::compress::Text;

/// How many pages are kept; those that were asked for longest ago are forgotten first.
const KEPT: usize = 32;
/// A page is worked out anew after this time, whatever its version: the history may learn later who made a change.
const KEPT_FOR: Duration = Duration::from_secs(20);

/// What can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Question {
    Board,
    /// One task, as the page names it.
    Task(String),
    /// So many events.
    History(usize),
    /// So many days.
    Progress(usize),
}

/// All that a page depends on: if this is the same, so is the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Version {
    Board {
        name: Option<String>,
        revision: Revision,
        live: BTreeSet<SessionName>,
        sessions: Revision,
    },
    Project(Revision),
    /// Days begin without anybody's doing.
    ProjectOnDay(Revision, String),
}

/// An answer as it is sent.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) text: Text,
    /// What tells it from other answers to the same question.
    pub(crate) tag: String,
}

impl Page {
    /// Takes a while where there is much to tell.
    pub(super) fn new(told: &Value) -> Self {
        let text = told.to_string();
        let mut hash = DefaultHasher::new();
        text.hash(&mut hash);
        Self {
            tag: format!("W/\"{:016x}\"", hash.finish()),
            text: Text::new(text),
        }
    }
}

/// A page that was worked out.
struct Kept {
    version: Version,
    at: Instant,
    page: Arc<Page>,
}

/// One question: whoever asks it waits for those who asked before, and finds what they found.
type Slot = Arc<tokio::sync::Mutex<Option<Kept>>>;

/// The pages that were asked for last.
#[derive(Default)]
pub(super) struct Pages {
    slots: Mutex<Vec<(Question, Slot)>>,
}

impl Pages {
    /// Gives the page of the version that `look` finds, which `work_out` makes if it is not there yet.
    pub(super) async fn find<L, W>(
        &self,
        question: &Question,
        look: L,
        work_out: W,
    ) -> Result<Arc<Page>, Failure>
    where
        L: Future<Output = Result<Version, Failure>>,
        W: Future<Output = Result<(Version, Page), Failure>>,
    {
        let slot = self.slot(question);
        let mut kept = slot.lock().await;
        let now = look.await?;
        let current = kept
            .as_ref()
            .filter(|kept| kept.version == now && kept.at.elapsed() < KEPT_FOR);
        if let Some(kept) = current {
            return Ok(Arc::clone(&kept.page));
        }
        // What was kept is of no use any more; it may be large.
        *kept = None;
        let at = Instant::now();
        let (version, page) = work_out.await?;
        let page = Arc::new(page);
        *kept = Some(Kept {
            version,
            at,
            page: Arc::clone(&page),
        });
        Ok(page)
    }

    fn slot(&self, question: &Question) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let known = slots.iter().position(|(known, _)| known == question);
        let (_, slot) = match known {
            Some(place) => slots.remove(place),
            None => (question.clone(), Slot::default()),
        };
        slots.push((question.clone(), Arc::clone(&slot)));
        let extra = slots.len().saturating_sub(KEPT);
        slots.drain(..extra);
        slot
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::future::join_all;
    use serde_json::json;

    use super::*;

    /// Counts how often a page is worked out for as many as ask at once, at this revision.
    async fn ask(pages: &Pages, asking: usize, revision: u64, worked_out: &Cell<u64>) -> Vec<u64> {
        let version = || Version::Project(Revision(revision));
        let ask = async || {
            let work_out = async {
                tokio::task::yield_now().await;
                worked_out.set(worked_out.get() + 1);
                Ok((version(), Page::new(&json!(revision))))
            };
            let look = async { Ok(version()) };
            let found = pages.find(&Question::History(1), look, work_out).await;
            found.map(|page| page.tag.clone()).ok()
        };
        let told = join_all((0..asking).map(|_| ask())).await;
        let expected = Page::new(&json!(revision)).tag;
        let right = told.iter().flatten().filter(|tag| **tag == expected);
        vec![right.count() as u64, worked_out.get()]
    }

    #[tokio::test]
    async fn a_page_is_worked_out_once_for_each_version_however_many_ask() {
        let (pages, worked_out) = (Pages::default(), Cell::new(0));
        assert_eq!(ask(&pages, 9, 1, &worked_out).await, [9, 1]);
        assert_eq!(ask(&pages, 9, 1, &worked_out).await, [9, 1]);
        assert_eq!(ask(&pages, 9, 2, &worked_out).await, [9, 2]);
    }

    #[test]
    fn only_so_many_pages_are_kept() {
        let pages = Pages::default();
        for number in 0..10 * KEPT {
            drop(pages.slot(&Question::History(number)));
        }
        assert_eq!(pages.slots.lock().unwrap().len(), KEPT);
    }
}
