//! `.todori/history.jsonl`: who changed what, when, from what to what. One line for each request. Never the truth:
//! whatever goes wrong here is left out, and a board without a history is whole. [`super::past`] reads it.
//!
//! A file begins with the board as it was then, one line for each task: what is changed outside later can be told from
//! it, and is no news itself.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use todori_domain::{
    Board, Change, Event, EventNumber, Moment, SessionName, Task, TaskChange, TaskId, Timestamp,
};

use super::atomic_file::NO_FOLLOW;
use super::ownership;
use super::paths::Paths;
use crate::task_json;

/// Who is named for changes that were made outside: with an editor, or by git.
pub(crate) const OUTSIDE: &str = "file";

/// A file of this size is put aside, and the oldest of three is dropped.
const ROTATE_AT: u64 = 10 * 1024 * 1024;
pub(crate) const KEPT: usize = 3;

/// What one request changed, as one line tells it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    pub(crate) by: SessionName,
    pub(crate) client: Option<String>,
    pub(crate) change: Change,
    /// The requests that it takes back.
    pub(crate) undoes: Arc<[u64]>,
    /// The text of tasks that were deleted, where it holds more than a task: fields and comments that are not ours.
    pub(crate) blocks: BTreeMap<TaskId, String>,
}

impl Entry {
    pub(crate) fn new(moment: &Moment, change: Change, undoes: Arc<[u64]>) -> Self {
        let actor = moment.actor.clone();
        Self {
            at: moment.at,
            by: actor.session,
            client: actor.client,
            change,
            undoes,
            blocks: BTreeMap::new(),
        }
    }

    /// What was changed outside.
    pub(crate) fn outside(at: Timestamp, change: Change) -> Self {
        Self {
            at,
            by: SessionName::new(OUTSIDE),
            client: None,
            change,
            undoes: Arc::default(),
            blocks: BTreeMap::new(),
        }
    }

    /// What it tells as events, newest first, if it is the request with this number.
    pub(crate) fn events(&self, request: u64) -> impl Iterator<Item = Event> {
        let tasks = self.change.tasks.iter().enumerate().rev();
        tasks.map(move |(place, change)| Event {
            number: EventNumber { request, place },
            at: self.at,
            by: self.by.clone(),
            client: self.client.clone(),
            change: change.clone(),
            undoes: Arc::clone(&self.undoes),
        })
    }

    /// The line of the request with this number, which leads to the state of the board's file that `stamp` names.
    fn line(&self, number: u64, stamp: &str) -> String {
        let Self {
            at,
            by,
            client,
            change: Change { tasks },
            undoes,
            blocks,
        } = self;
        let task = |task: &Option<Arc<Task>>| task.as_ref().map(|task| task_json::compact(task));
        let tasks: Vec<Value> = tasks
            .iter()
            .map(|change| json!([task(&change.before), task(&change.after)]))
            .collect();
        // Readers skip lines by how they begin: time and number come first.
        let mut line = Map::new();
        let mut put = |key: &str, value: Value| drop(line.insert(key.to_owned(), value));
        put("at", json!(at.to_string()));
        put(NUMBER, json!(number));
        put("by", json!(by.as_str()));
        if let Some(client) = client {
            put("client", json!(client));
        }
        put("file", json!(stamp));
        if !undoes.is_empty() {
            put("undoes", json!(undoes.to_vec()));
        }
        put("tasks", Value::Array(tasks));
        if !blocks.is_empty() {
            let blocks = blocks.iter();
            let blocks: Map<String, Value> = blocks
                .map(|(id, text)| (id.to_string(), json!(text)))
                .collect();
            put(BLOCKS, Value::Object(blocks));
        }
        format!("{}\n", Value::Object(line))
    }

    /// Reads a line; `None` for anything but a request.
    pub(crate) fn read(line: &Value) -> Option<Self> {
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        let at = Timestamp::parse(text("at")?)?;
        let tasks = line.get("tasks")?.as_array()?.iter();
        let changes = tasks.filter_map(|pair| {
            let task = |place: usize| pair.get(place).and_then(task_json::read).map(Arc::new);
            let change = TaskChange {
                before: task(0),
                after: task(1),
            };
            change.id().map(|_| change)
        });
        let undoes = line.get("undoes").and_then(Value::as_array);
        let undoes = undoes.into_iter().flatten().filter_map(Value::as_u64);
        Some(Self {
            at,
            by: SessionName::new(text("by")?),
            client: text("client").map(str::to_owned),
            change: Change {
                tasks: changes.collect(),
            },
            undoes: undoes.collect(),
            blocks: BTreeMap::new(),
        })
    }
}

/// Where a line keeps the number of its request.
const NUMBER: &str = "n";
/// Where a line keeps the text of deleted tasks.
pub(crate) const BLOCKS: &str = "blocks";
/// How the line begins that says how many tasks of a board follow, each on a line of its own.
const BASELINE: &str = "baseline";
/// How the lines of those tasks begin.
pub(crate) const BASELINE_TASK: &str = "{\"task\":";

/// Writes down a whole board; `stamp` names the state of the board's file that it was read from.
pub(crate) fn baseline(board: &Board, at: Timestamp, stamp: &str) -> String {
    let by = OUTSIDE;
    let count = board.len();
    let head = json!({"at": at.to_string(), "by": by, "file": stamp, BASELINE: count});
    let mut lines = format!("{head}\n");
    for task in board.by_id() {
        lines.push_str(&format!("{BASELINE_TASK}{}}}\n", task_json::compact(task)));
    }
    lines
}

/// Appends lines; `before` are lines that come first, `first` is the number of the first entry, `stamp` names the state
/// of the board's file that the entries lead to.
pub(crate) fn append(
    paths: &Paths,
    before: String,
    entries: &[Entry],
    first: u64,
    stamp: &str,
) -> io::Result<()> {
    let path = paths.history(0);
    let mut options = OpenOptions::new();
    options.append(true).read(true).custom_flags(NO_FOLLOW);
    let mut file = ownership::open_or_create(&mut options, &path)?;
    let mut lines = before;
    for (number, entry) in (first..).zip(entries) {
        lines.push_str(&entry.line(number, stamp));
    }
    let size = file.metadata()?.len();
    // A writer that was killed may have left half a line.
    if size > 0 && last_byte(&mut file)? != b'\n' {
        lines.insert(0, '\n');
    }
    file.write_all(lines.as_bytes())?;
    if size + lines.len() as u64 > ROTATE_AT {
        rotate(paths)?;
    }
    Ok(())
}

fn last_byte(file: &mut File) -> io::Result<u8> {
    file.seek(SeekFrom::End(-1))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn rotate(paths: &Paths) -> io::Result<()> {
    for age in (0..KEPT - 1).rev() {
        match super::atomic_file::replace(&paths.history(age), &paths.history(age + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Whether there is anything in the file of this age.
pub(crate) fn has_file(paths: &Paths, age: usize) -> bool {
    let found = paths.history(age).metadata();
    found.is_ok_and(|found| found.len() > 0)
}

/// What a line says to somebody who reads all of them.
pub(crate) enum Line {
    /// So many tasks of a whole board follow; what was before no longer counts.
    Baseline(u64),
    /// One of those tasks.
    Task(Arc<Task>),
    /// Tasks changed.
    Entry(Entry),
}

/// Gives all lines of the file of this age, oldest first; what can't be read is passed over.
pub(crate) fn read_all(paths: &Paths, age: usize, mut take: impl FnMut(Line)) {
    let Ok(file) = super::atomic_file::open(&paths.history(age)) else {
        return;
    };
    for line in BufReader::new(file).lines().map_while(Result::ok) {
        let Ok(line) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        if let Some(count) = line.get(BASELINE).and_then(Value::as_u64) {
            take(Line::Baseline(count));
        } else if let Some(task) = line.get("task") {
            if let Some(task) = task_json::read(task) {
                take(Line::Task(Arc::new(task)));
            }
        } else if let Some(entry) = Entry::read(&line) {
            take(Line::Entry(entry));
        }
    }
}
