//! Keeps the history up to date: what was changed, and before that what somebody changed outside since the last note.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::sync::Arc;

use todori_domain::{Board, TaskChange, TaskId};

use super::file_key::FileKey;
use super::git_head::{self, GitHead};
use super::history::{self, Entry, LeadsTo};
use super::history_files::{self, KEPT};
use super::own_texts::{Digest, OwnTexts, TextChange};
use super::past::{self, Last};
use super::paths::Paths;
use super::remembered::Remembered;

/// A board whose text is larger than this is not written down again each time a new file of the history begins.
const LARGEST_REPEATED: u64 = 2 * 1024 * 1024;

/// What the history is known to say.
#[derive(Debug, Default)]
pub(crate) struct Record {
    known: Option<Known>,
    /// What was changed outside, worked out once for each pair of states.
    outside: Option<(Gap, Arc<[Entry]>)>,
    /// The text of tasks that somebody deleted outside, where there was more in it than a task.
    vanished: OwnTexts,
}

/// The board as the history knows it, the state of the file that it was read from, and the last request.
#[derive(Debug)]
struct Known {
    last: Last,
    board: Arc<Board>,
}

/// One change of the file.
pub(crate) struct Step<'a> {
    pub(crate) old: Option<FileKey>,
    pub(crate) new: FileKey,
    pub(crate) before: &'a Arc<Board>,
    pub(crate) after: Arc<Board>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) texts: TextChange,
}

/// What noting a change leaves to be done.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// The board that was known until now, to be dropped when there is time.
    pub(crate) retired: Option<Arc<Board>>,
    /// The file that was written to, to be forced to the disk.
    pub(crate) file: Option<File>,
}

/// How far the history goes, seen from one state of the board's file.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) gap: Option<Gap>,
    /// The number of the last request that was noted.
    pub(crate) request: u64,
    /// The texts that it has.
    texts: Digest,
}

impl Reach {
    /// There is no history, or nobody asked.
    pub(crate) const NOWHERE: Self = Self {
        gap: None,
        request: 0,
        texts: Digest::NONE,
    };
}

/// The last line of the history and the state of the file, where that line does not lead to that state.
pub(crate) type Gap = (Last, FileKey);

/// How to find out what was changed outside: at once, or by a comparison that may take a while.
pub(crate) enum Outside {
    Known(Arc<[Entry]>),
    Compare(Comparison),
}

/// Compares a board with what the history says of it. Needs nothing but files, so that nobody has to wait for it.
pub(crate) struct Comparison {
    gap: Gap,
    /// The board as the history knows it, if this process happens to have it.
    known: Option<Arc<Board>>,
    vanished: OwnTexts,
}

impl Comparison {
    /// What was changed outside: one entry for each task, since whoever takes back what became of one task must not take
    /// back what others did to other tasks.
    pub(crate) fn run(&self, paths: &Paths, now: &Board) -> Arc<[Entry]> {
        let remembered = match &self.known {
            Some(board) => Remembered::all_of(board),
            None => Remembered::read(paths),
        };
        let changes = remembered.difference(now);
        if changes.is_empty() {
            return Arc::default();
        }
        let (last, key) = &self.gap;
        let is_switch = came_with_a_branch(last, key, git_head::read(&paths.root).as_ref());
        let entry = |change: TaskChange| {
            let deleted = change.before.as_ref().filter(|_| change.after.is_none());
            let text = deleted.and_then(|task| {
                let seen = self.vanished.get_key_value(&task.id);
                seen.or_else(|| remembered.texts.get_key_value(&task.id))
            });
            let blocks = text.map(|(id, text)| (*id, text.clone()));
            Entry {
                blocks: blocks.into_iter().collect(),
                ..Entry::outside(key.changed(), change, is_switch)
            }
        };
        changes.into_iter().map(entry).collect()
    }
}

/// Whether git exchanged the board's file when it went to another branch.
fn came_with_a_branch(last: &Last, board: &FileKey, head: Option<&GitHead>) -> bool {
    let (Some(then), Some(now)) = (&last.leads_to.head, head) else {
        return false;
    };
    now.has_exchanged(board, then)
}

impl Record {
    pub(crate) fn forget(&mut self) {
        self.known = None;
        self.outside = None;
    }

    /// Keeps the text of tasks that are gone from the file, until that is noted.
    pub(crate) fn keep_vanished(&mut self, texts: OwnTexts) {
        self.vanished.extend(texts);
    }

    /// Whether all texts of the board in this state of its file must be looked at to note a change.
    pub(crate) fn wants_texts(&self, paths: &Paths, key: Option<FileKey>) -> bool {
        let stamp = key.map(|key| key.stamp());
        let known = self.known.as_ref().map(|known| &known.last.leads_to.stamp);
        known != stamp.as_ref() || begins(paths, key)
    }

    /// Notes a change.
    pub(crate) fn note(&mut self, paths: &Paths, step: Step<'_>) -> Noted {
        let Step {
            old,
            new,
            before,
            after,
            entries,
            texts,
        } = step;
        let reach = self.reach(paths, old);
        let mut lines = self.find_outside(paths, &reach, before).to_vec();
        lines.extend(entries);
        let head = git_head::read(&paths.root).map(|head| head.mark());
        let digest = texts.all.as_ref().map_or(reach.texts, Digest::of);
        let begins = begins(paths, old);
        let mut first_lines = Vec::new();
        if begins {
            let at = old.unwrap_or(new).modified();
            let leads_to = LeadsTo {
                stamp: old.map(|old| old.stamp()).unwrap_or_default(),
                head: head.clone(),
                texts: digest,
            };
            let all = texts.all.clone().unwrap_or_default();
            first_lines = history::baseline(before, &all, at, &leads_to);
        }
        let news = texts.news(|| {
            if begins || digest == reach.texts {
                texts.all.clone().unwrap_or_default()
            } else {
                Remembered::read(paths).texts
            }
        });
        let news = news.into_iter();
        first_lines.extend(news.filter_map(|(id, text)| history::text_line(id, text.as_deref())));
        let leads_to = LeadsTo {
            stamp: new.stamp(),
            head,
            texts: digest.with(&texts.replaced).with(&texts.written),
        };
        let first = reach.request.saturating_add(1);
        // The history is never the truth: if it can't be written, the next writer notes what is missing.
        let Ok(file) = history::append(paths, first_lines, &lines, first, &leads_to) else {
            return Noted::default();
        };
        self.vanished.clear();
        let request = reach.request.saturating_add(lines.len() as u64);
        let last = Last { leads_to, request };
        let known = Known { last, board: after };
        Noted {
            retired: self.known.replace(known).map(|known| known.board),
            file: Some(file),
        }
    }

    /// How far the history goes if the board's file is in this state. Reads no more than the end of it.
    pub(crate) fn reach(&self, paths: &Paths, key: Option<FileKey>) -> Reach {
        let noted = |last: &Last| Reach {
            gap: None,
            request: last.request,
            texts: last.leads_to.texts,
        };
        let stamp = key.map(|key| key.stamp());
        let leads_here = |last: &Last| Some(&last.leads_to.stamp) == stamp.as_ref();
        // If the file is as this process left it, nobody else can have noted anything since.
        if let Some(known) = &self.known
            && leads_here(&known.last)
        {
            return noted(&known.last);
        }
        match (past::last(paths), key) {
            (None, _) => Reach::NOWHERE,
            (Some(last), None) => noted(&last),
            (Some(last), Some(_)) if leads_here(&last) => noted(&last),
            (Some(last), Some(key)) => Reach {
                request: last.request,
                texts: last.leads_to.texts,
                gap: Some((last, key)),
            },
        }
    }

    /// How to find out what was changed outside.
    pub(crate) fn outside(&self, gap: &Gap) -> Outside {
        if let Some((known, entries)) = &self.outside
            && known == gap
        {
            return Outside::Known(Arc::clone(entries));
        }
        let known = self.known.as_ref().filter(|known| known.last == gap.0);
        Outside::Compare(Comparison {
            gap: gap.clone(),
            known: known.map(|known| Arc::clone(&known.board)),
            vanished: self.vanished.clone(),
        })
    }

    /// Keeps what a comparison came to, for the next who asks.
    pub(crate) fn remember_outside(&mut self, gap: Gap, entries: Arc<[Entry]>) {
        self.outside = Some((gap, entries));
    }

    /// What was changed outside since the last note, whatever it takes to find out.
    pub(crate) fn find_outside(
        &mut self,
        paths: &Paths,
        reach: &Reach,
        now: &Board,
    ) -> Arc<[Entry]> {
        let Some(gap) = &reach.gap else {
            return Arc::default();
        };
        match self.outside(gap) {
            Outside::Known(entries) => entries,
            Outside::Compare(comparison) => {
                let entries = comparison.run(paths, now);
                self.remember_outside(gap.clone(), Arc::clone(&entries));
                entries
            }
        }
    }

    /// The text that tasks had which come back because these requests are taken back: with fields and comments that are
    /// not ours.
    pub(crate) fn deleted_texts(
        &self,
        paths: &Paths,
        undone: &BTreeSet<u64>,
        wanted: &BTreeSet<TaskId>,
    ) -> BTreeMap<TaskId, String> {
        let mut found = BTreeMap::new();
        // What was changed outside may not be noted yet; it has the numbers after the last one.
        if let Some(((last, _), entries)) = &self.outside {
            let numbered = (last.request.saturating_add(1)..).zip(entries.iter());
            let undone = numbered.filter(|(number, _)| undone.contains(number));
            undone.for_each(|(_, entry)| entry.deleted_texts(wanted, &mut found));
        }
        found.extend(past::deleted_texts(paths, undone, wanted));
        let texts = found.into_iter();
        texts.filter_map(|(id, text)| Some((id, text?))).collect()
    }
}

/// Whether a new file of the history begins that should say what the board was then.
fn begins(paths: &Paths, board: Option<FileKey>) -> bool {
    let follows = (1..KEPT).any(|age| history_files::has_file(paths, age));
    let small = board.is_none_or(|board| board.size() <= LARGEST_REPEATED);
    !history_files::has_file(paths, 0) && (small || !follows)
}

/// Whether anything was ever noted here.
pub(crate) fn exists(paths: &Paths) -> bool {
    (0..KEPT).any(|age| history_files::has_file(paths, age))
}

/// Whether there were tasks on the board when something was last noted.
pub(crate) fn has_tasks(paths: &Paths) -> bool {
    exists(paths) && Remembered::read(paths).has_tasks()
}
