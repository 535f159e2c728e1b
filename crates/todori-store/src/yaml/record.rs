//! Keeps the history up to date: what was changed, and before that what somebody changed outside since the last note.

use std::collections::BTreeMap;
use std::sync::Arc;

use todori_domain::{Board, Change, Task, TaskChange, TaskId, Timestamp};

use super::file_key::FileKey;
use super::history::{self, Entry, KEPT, Line};
use super::past::{self, Last};
use super::paths::Paths;

/// A board whose text is larger than this is not written down again each time a new file of the history begins.
const LARGEST_REPEATED: u64 = 2 * 1024 * 1024;

/// What the history is known to say.
#[derive(Debug, Default)]
pub(crate) struct Record {
    known: Option<Known>,
    /// What was changed outside, worked out once for each pair of states.
    outside: Option<(Gap, Option<Arc<Entry>>)>,
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
}

/// How far the history goes, seen from one state of the board's file.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) gap: Option<Gap>,
    /// The number of the last request that was noted.
    pub(crate) request: u64,
}

/// The last line of the history and the state of the file, where that line does not lead to that state.
pub(crate) type Gap = (Last, FileKey);

/// How to find out what was changed outside: at once, or by a comparison that may take a while.
pub(crate) enum Outside {
    Known(Option<Arc<Entry>>),
    Compare(Comparison),
}

/// Compares a board with what the history says of it. Needs nothing but files, so that nobody has to wait for it.
pub(crate) struct Comparison {
    gap: Gap,
    /// The board as the history knows it, if this process happens to have it.
    known: Option<Arc<Board>>,
}

impl Comparison {
    pub(crate) fn run(&self, paths: &Paths, now: &Board) -> Option<Arc<Entry>> {
        let change = match &self.known {
            Some(board) => difference(&Remembered::all_of(board), now),
            None => difference(&remembered(paths), now),
        };
        let (_, key) = &self.gap;
        (!change.is_empty()).then(|| Arc::new(Entry::outside(key.modified(), change)))
    }
}

impl Record {
    pub(crate) fn forget(&mut self) {
        self.known = None;
        self.outside = None;
    }

    /// Notes a change. Gives back the board that was known until now, for the caller to drop when there is time.
    pub(crate) fn note(&mut self, paths: &Paths, step: Step<'_>) -> Option<Arc<Board>> {
        let Step {
            old,
            new,
            before,
            after,
            entries,
        } = step;
        let reach = self.reach(paths, old);
        let outside = self.find_outside(paths, &reach, before);
        let outside = outside.map(|entry| Entry::clone(&entry));
        let mut lines: Vec<Entry> = outside.into_iter().collect();
        lines.extend(entries);
        let begins = begins(paths, old).then(|| {
            let (at, stamp) = old.map_or_else(
                || (new.modified(), String::new()),
                |old| (old.modified(), old.stamp()),
            );
            history::baseline(before, at, &stamp)
        });
        let stamp = new.stamp();
        let first = reach.request.saturating_add(1);
        // The history is never the truth: if it can't be written, the next writer notes what is missing.
        let noted = history::append(paths, begins.unwrap_or_default(), &lines, first, &stamp);
        if noted.is_err() {
            return None;
        }
        let request = reach.request.saturating_add(lines.len() as u64);
        let last = Last { stamp, request };
        let known = Known { last, board: after };
        let forgotten = self.known.replace(known);
        forgotten.map(|known| known.board)
    }

    /// How far the history goes if the board's file is in this state. Reads no more than the end of it.
    pub(crate) fn reach(&self, paths: &Paths, key: Option<FileKey>) -> Reach {
        let noted = |last: &Last| Reach {
            gap: None,
            request: last.request,
        };
        let stamp = key.map(|key| key.stamp());
        // If the file is as this process left it, nobody else can have noted anything since.
        if let Some(known) = &self.known
            && Some(&known.last.stamp) == stamp.as_ref()
        {
            return noted(&known.last);
        }
        match (past::last(paths), key) {
            (None, _) => Reach {
                gap: None,
                request: 0,
            },
            (Some(last), None) => noted(&last),
            (Some(last), Some(_)) if Some(&last.stamp) == stamp.as_ref() => noted(&last),
            (Some(last), Some(key)) => Reach {
                request: last.request,
                gap: Some((last, key)),
            },
        }
    }

    /// How to find out what was changed outside.
    pub(crate) fn outside(&self, gap: &Gap) -> Outside {
        if let Some((known, entry)) = &self.outside
            && known == gap
        {
            return Outside::Known(entry.clone());
        }
        let known = self.known.as_ref().filter(|known| known.last == gap.0);
        Outside::Compare(Comparison {
            gap: gap.clone(),
            known: known.map(|known| Arc::clone(&known.board)),
        })
    }

    /// Keeps what a comparison came to, for the next who asks.
    pub(crate) fn remember_outside(&mut self, gap: Gap, entry: Option<Arc<Entry>>) {
        self.outside = Some((gap, entry));
    }

    /// What was changed outside since the last note, whatever it takes to find out.
    pub(crate) fn find_outside(
        &mut self,
        paths: &Paths,
        reach: &Reach,
        now: &Board,
    ) -> Option<Arc<Entry>> {
        let gap = reach.gap.as_ref()?;
        match self.outside(gap) {
            Outside::Known(entry) => entry,
            Outside::Compare(comparison) => {
                let entry = comparison.run(paths, now);
                self.remember_outside(gap.clone(), entry.clone());
                entry
            }
        }
    }
}

/// Whether a new file of the history begins that should say what the board was then.
fn begins(paths: &Paths, board: Option<FileKey>) -> bool {
    let follows = (1..KEPT).any(|age| history::has_file(paths, age));
    let small = board.is_none_or(|board| board.size() <= LARGEST_REPEATED);
    !history::has_file(paths, 0) && (small || !follows)
}

/// Whether anything was ever noted here.
pub(crate) fn exists(paths: &Paths) -> bool {
    (0..KEPT).any(|age| history::has_file(paths, age))
}

/// Whether there were tasks on the board when something was last noted.
pub(crate) fn has_tasks(paths: &Paths) -> bool {
    exists(paths) && remembered(paths).tasks.values().any(Option::is_some)
}

/// The tasks as they were last known.
#[derive(Default)]
struct Remembered {
    tasks: BTreeMap<TaskId, Option<Arc<Task>>>,
    /// The time of the last line.
    last: Option<Timestamp>,
    /// How many tasks of a board are still to come, if one was begun: none once it is whole.
    missing: Option<u64>,
}

impl Remembered {
    fn all_of(board: &Board) -> Self {
        let tasks = board.by_id().map(|task| (task.id, Some(Arc::clone(task))));
        Self {
            tasks: tasks.collect(),
            last: None,
            missing: Some(0),
        }
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Baseline(count) => {
                self.tasks.clear();
                self.missing = Some(count);
            }
            Line::Task(task) => {
                self.missing = self.missing.and_then(|missing| missing.checked_sub(1));
                self.tasks.insert(task.id, Some(task));
            }
            Line::Entry(entry) => {
                self.last = Some(entry.at);
                for change in entry.change.tasks {
                    if let Some(id) = change.id() {
                        self.tasks.insert(id, change.after);
                    }
                }
            }
        }
    }

    /// Whether a task that is not remembered must be new. It must be where a whole board is remembered.
    fn is_news(&self, task: &Task) -> bool {
        // Without one, a younger task is news: older ones may have been there before the history began.
        self.missing == Some(0) || self.last.is_some_and(|last| task.created > last)
    }
}

fn remembered(paths: &Paths) -> Remembered {
    let mut remembered = Remembered::default();
    for age in (0..KEPT).rev() {
        history::read_all(paths, age, |line| remembered.take(line));
    }
    remembered
}

/// What changed between the tasks that are remembered and the board.
fn difference(remembered: &Remembered, now: &Board) -> Change {
    let mut tasks = Vec::new();
    let mut compare = |before: Option<&Arc<Task>>, after: Option<&Arc<Task>>| {
        let same = match (before, after) {
            (Some(before), Some(after)) => same_but_for_times(before, after),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !same {
            let (before, after) = (before.cloned(), after.cloned());
            tasks.push(TaskChange { before, after });
        }
    };
    for (id, before) in &remembered.tasks {
        compare(before.as_ref(), now.get(*id));
    }
    let unknown = now
        .by_id()
        .filter(|task| !remembered.tasks.contains_key(&task.id));
    for task in unknown.filter(|task| remembered.is_news(task)) {
        compare(None, Some(task));
    }
    tasks.sort_by_key(TaskChange::id);
    Change { tasks }
}

/// Whether nothing differs that somebody did. A task that was written by hand without times shows those of the file.
fn same_but_for_times(before: &Arc<Task>, after: &Arc<Task>) -> bool {
    Arc::ptr_eq(before, after)
        || **before
            == Task {
                created: before.created,
                updated: before.updated,
                ..Task::clone(after)
            }
}
