//! Keeps the history up to date: what was changed, and before that what somebody changed outside since the last note.

use std::collections::BTreeMap;
use std::sync::Arc;

use todori_domain::{Board, Change, SessionName, Task, TaskChange, TaskId, Timestamp};

use super::file_key::FileKey;
use super::history::{self, Entry, KEPT, Line};
use super::paths::Paths;

/// A board whose text is larger than this is not written down again each time a new file of the history begins.
const LARGEST_REPEATED: u64 = 2 * 1024 * 1024;

/// The board as the history knows it, and the state of the file that it was read from.
#[derive(Debug, Default)]
pub(crate) struct Record {
    known: Option<(String, Arc<Board>)>,
}

/// One change of the file.
pub(crate) struct Step<'a> {
    pub(crate) old: Option<FileKey>,
    pub(crate) new: FileKey,
    pub(crate) before: &'a Arc<Board>,
    pub(crate) after: Arc<Board>,
    pub(crate) entries: Vec<Entry>,
}

impl Record {
    pub(crate) fn forget(&mut self) {
        self.known = None;
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
        let mut lines: Vec<Entry> = self.outside(paths, old, before).into_iter().collect();
        lines.extend(entries);
        let begins = begins(paths, old).then(|| {
            let (at, stamp) = old.map_or_else(
                || (new.modified(), String::new()),
                |old| (old.modified(), old.stamp()),
            );
            history::baseline(before, at, &stamp)
        });
        // The history is never the truth: if it can't be written, the next writer notes what is missing.
        let noted = history::append(paths, begins.unwrap_or_default(), &lines, &new.stamp());
        let known = noted.is_ok().then(|| (new.stamp(), after));
        let forgotten = match known {
            Some(known) => self.known.replace(known),
            None => None,
        };
        forgotten.map(|(_, board)| board)
    }

    /// What somebody changed outside since the last note, as one entry.
    pub(crate) fn outside(
        &self,
        paths: &Paths,
        old: Option<FileKey>,
        now: &Board,
    ) -> Option<Entry> {
        let old = old?;
        let known = self.known.as_ref();
        // If the file is as this process left it, nobody else can have noted anything since.
        if known.is_some_and(|(stamp, _)| *stamp == old.stamp()) {
            return None;
        }
        let last = history::last_stamp(paths)?;
        if last == old.stamp() {
            return None;
        }
        let known = known.filter(|(stamp, _)| *stamp == last);
        let change = match known {
            Some((_, board)) => difference(&Remembered::all_of(board), now),
            None => difference(&remembered(paths), now),
        };
        (!change.is_empty()).then(|| Entry {
            at: old.modified(),
            by: SessionName::new(history::OUTSIDE),
            client: None,
            change,
            blocks: BTreeMap::new(),
        })
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
            Line::Events(events) => {
                for event in events {
                    self.last = Some(event.at);
                    if let Some(id) = event.change.id() {
                        self.tasks.insert(id, event.change.after);
                    }
                }
            }
        }
    }

    /// Whether a task that is not among these was not there: so if a whole board is known.
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
