//! `.todori/history.jsonl`: who changed what, when, from what to what. One line for each request. Never the truth:
//! whatever goes wrong here is left out, and a board without a history is whole.
//!
//! A file begins with the board as it was then, one line for each task: what is changed outside later can be told from
//! it, and is no news itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use todori_domain::{
    Board, Change, Event, Moment, SessionName, Task, TaskChange, TaskId, Timestamp,
};

use super::atomic_file::NO_FOLLOW;
use super::paths::Paths;
use super::task_json;

/// Who is named for changes that were made outside: with an editor, or by git.
pub(crate) const OUTSIDE: &str = "file";

/// A file of this size is put aside, and the oldest of three is dropped.
const ROTATE_AT: u64 = 10 * 1024 * 1024;
pub(crate) const KEPT: usize = 3;

/// One line to be written.
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    pub(crate) by: SessionName,
    pub(crate) client: Option<String>,
    pub(crate) change: Change,
    /// The text of tasks that were deleted, where it holds more than a task: fields and comments that are not ours.
    pub(crate) blocks: BTreeMap<TaskId, String>,
}

impl Entry {
    pub(crate) fn new(moment: &Moment, change: Change) -> Self {
        let actor = moment.actor.clone();
        Self {
            at: moment.at,
            by: actor.session,
            client: actor.client,
            change,
            blocks: BTreeMap::new(),
        }
    }

    /// What it tells as events; `request` tells them from those of others.
    pub(crate) fn events(&self, request: u64) -> impl Iterator<Item = Event> {
        self.change.tasks.iter().map(move |change| Event {
            at: self.at,
            by: self.by.clone(),
            client: self.client.clone(),
            change: change.clone(),
            request,
        })
    }

    fn line(&self, stamp: &str) -> String {
        let Change { tasks } = &self.change;
        let task = |task: &Option<Arc<Task>>| task.as_ref().map(|task| task_json::write(task));
        let tasks: Vec<Value> = tasks
            .iter()
            .map(|change| json!([task(&change.before), task(&change.after)]))
            .collect();
        let mut line = json!({"at": self.at.to_string(), "by": self.by.as_str()});
        if let (Some(client), Some(map)) = (&self.client, line.as_object_mut()) {
            map.insert("client".to_owned(), json!(client));
        }
        if let Some(map) = line.as_object_mut() {
            map.insert("file".to_owned(), json!(stamp));
            map.insert("tasks".to_owned(), Value::Array(tasks));
        }
        if let (false, Some(map)) = (self.blocks.is_empty(), line.as_object_mut()) {
            let blocks = self.blocks.iter();
            let blocks: Map<String, Value> = blocks
                .map(|(id, text)| (id.to_string(), json!(text)))
                .collect();
            map.insert(BLOCKS.to_owned(), Value::Object(blocks));
        }
        format!("{line}\n")
    }
}

/// Where a line keeps the text of deleted tasks.
const BLOCKS: &str = "blocks";

/// How the line begins that says how many tasks of a board follow, each on a line of its own.
const BASELINE: &str = "baseline";
/// How the lines of those tasks begin.
const BASELINE_TASK: &str = "{\"task\":";

/// Writes down a whole board; `stamp` names the state of the board's file that it was read from.
pub(crate) fn baseline(board: &Board, at: Timestamp, stamp: &str) -> String {
    let by = OUTSIDE;
    let count = board.len();
    let head = json!({"at": at.to_string(), "by": by, "file": stamp, BASELINE: count});
    let mut lines = format!("{head}\n");
    for task in board.by_id() {
        lines.push_str(&format!("{BASELINE_TASK}{}}}\n", task_json::write(task)));
    }
    lines
}

/// Appends lines; `before` are lines that come first, `stamp` names the state of the board's file that the entries
/// lead to.
pub(crate) fn append(
    paths: &Paths,
    before: String,
    entries: &[Entry],
    stamp: &str,
) -> io::Result<()> {
    let path = paths.history(0);
    let mut file = OpenOptions::new()
        .append(true)
        .read(true)
        .create(true)
        .mode(0o600)
        .custom_flags(NO_FOLLOW)
        .open(&path)?;
    let mut lines = before;
    for entry in entries {
        lines.push_str(&entry.line(stamp));
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

/// The state of the board's file that the last line led to.
pub(crate) fn last_stamp(paths: &Paths) -> Option<String> {
    let mut last: Option<Value> = None;
    for age in 0..KEPT {
        let read = read_backwards(&paths.history(age), |line| {
            last = serde_json::from_slice(line).ok();
            last.is_none()
        });
        drop(read);
        if last.is_some() {
            break;
        }
    }
    last?.get("file")?.as_str().map(str::to_owned)
}

/// The newest events, newest first. What can't be read is passed over.
pub(crate) fn newest(paths: &Paths, count: usize) -> Vec<Event> {
    let mut events = Vec::new();
    let mut requests = 0;
    for age in 0..KEPT {
        if events.len() >= count {
            break;
        }
        let read = read_backwards(&paths.history(age), |line| {
            // The board that a file begins with is no news, and nothing that is stands before it.
            if line.starts_with(BASELINE_TASK.as_bytes()) {
                return false;
            }
            if let Ok(line) = serde_json::from_slice::<Value>(line) {
                requests += 1;
                events.extend(read_line(&line, requests).into_iter().rev());
            }
            events.len() < count
        });
        drop(read);
    }
    events.truncate(count);
    events
}

/// Gives the lines of a file, last first, while `more` says so. Reads no more of it than is needed.
fn read_backwards(path: &Path, mut more: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
    const STEP: u64 = 64 * 1024;
    let mut file = super::atomic_file::open(path)?;
    let mut start = file.metadata()?.len();
    let mut tail: Vec<u8> = Vec::new();
    while start > 0 {
        let step = STEP.min(start);
        start -= step;
        file.seek(SeekFrom::Start(start))?;
        let mut piece = vec![0; usize::try_from(step).unwrap_or(0)];
        file.read_exact(&mut piece)?;
        piece.append(&mut tail);
        tail = piece;
        // All but the first line are whole; the first may go on before what was read.
        while let Some(newline) = tail.iter().rposition(|&byte| byte == b'\n') {
            let line = tail.split_off(newline + 1);
            tail.truncate(newline);
            if !line.is_empty() && !more(&line) {
                return Ok(());
            }
        }
    }
    if !tail.is_empty() {
        more(&tail);
    }
    Ok(())
}

/// The text that deleted tasks had last, as far as it was kept.
pub(crate) fn deleted_blocks(paths: &Paths, wanted: &BTreeSet<TaskId>) -> BTreeMap<TaskId, String> {
    let mut found = BTreeMap::new();
    let marked = format!("\"{BLOCKS}\":");
    for age in 0..KEPT {
        let read = read_backwards(&paths.history(age), |line| {
            let has_blocks = line
                .windows(marked.len())
                .any(|piece| piece == marked.as_bytes());
            let line: Option<Value> = has_blocks
                .then(|| serde_json::from_slice(line).ok())
                .flatten();
            let blocks = line.as_ref().and_then(|line| line.get(BLOCKS)?.as_object());
            for (id, text) in blocks.into_iter().flatten() {
                let id = TaskId::parse(id).filter(|id| wanted.contains(id));
                if let (Some(id), Some(text)) = (id, text.as_str()) {
                    found.entry(id).or_insert_with(|| text.to_owned());
                }
            }
            found.len() < wanted.len()
        });
        drop(read);
    }
    found
}

fn read_line(line: &Value, request: u64) -> Vec<Event> {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    let (Some(at), Some(by)) = (text("at").and_then(Timestamp::parse), text("by")) else {
        return Vec::new();
    };
    let tasks = line
        .get("tasks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let changes = tasks.filter_map(|pair| {
        let task = |place: usize| pair.get(place).and_then(task_json::read).map(Arc::new);
        let change = TaskChange {
            before: task(0),
            after: task(1),
        };
        change.id().map(|_| change)
    });
    let (by, client) = (SessionName::new(by), text("client").map(str::to_owned));
    changes
        .map(|change| Event {
            at,
            by: by.clone(),
            client: client.clone(),
            change,
            request,
        })
        .collect()
}

/// What a line says to somebody who reads all of them.
pub(crate) enum Line {
    /// So many tasks of a whole board follow; what was before no longer counts.
    Baseline(u64),
    /// One of those tasks.
    Task(Arc<Task>),
    /// Tasks changed.
    Events(Vec<Event>),
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
            task_json::read(task)
                .map(Arc::new)
                .into_iter()
                .for_each(|task| take(Line::Task(task)));
        } else {
            take(Line::Events(read_line(&line, 0)));
        }
    }
}
