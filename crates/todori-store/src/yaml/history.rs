//! `.todori/history.jsonl`: who changed what, when, from what to what. One line for each request. Never the truth:
//! whatever goes wrong here is left out, and a board without a history is whole.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
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
const KEPT: usize = 3;

/// One line to be written.
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    pub(crate) by: SessionName,
    pub(crate) client: Option<String>,
    pub(crate) change: Change,
}

impl Entry {
    pub(crate) fn new(moment: &Moment, change: Change) -> Self {
        let actor = moment.actor.clone();
        Self {
            at: moment.at,
            by: actor.session,
            client: actor.client,
            change,
        }
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
        format!("{line}\n")
    }
}

/// Appends lines; `stamp` names the state of the board's file that they lead to.
pub(crate) fn append(paths: &Paths, entries: &[Entry], stamp: &str) -> io::Result<()> {
    let path = paths.history(0);
    let mut file = OpenOptions::new()
        .append(true)
        .read(true)
        .create(true)
        .mode(0o600)
        .custom_flags(NO_FOLLOW)
        .open(&path)?;
    let mut lines: String = entries.iter().map(|entry| entry.line(stamp)).collect();
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

/// Whether anything was ever recorded here.
pub(crate) fn exists(paths: &Paths) -> bool {
    (0..2).any(|age| {
        paths
            .history(age)
            .metadata()
            .is_ok_and(|found| found.len() > 0)
    })
}

/// The state of the board's file that the last line led to.
pub(crate) fn last_stamp(paths: &Paths) -> Option<String> {
    let line = newest_lines(paths, 1).pop()?;
    line.get("file")?.as_str().map(str::to_owned)
}

/// The newest events, newest first.
pub(crate) fn newest(paths: &Paths, count: usize) -> Vec<Event> {
    if count == 0 {
        return Vec::new();
    }
    let lines = newest_lines(paths, count);
    let events = lines
        .iter()
        .flat_map(|line| read_line(line).into_iter().rev());
    events.take(count).collect()
}

/// Newest first. What can't be read is passed over.
fn newest_lines(paths: &Paths, count: usize) -> Vec<Value> {
    let mut lines = Vec::new();
    for age in 0..KEPT {
        if lines.len() >= count {
            break;
        }
        let read = read_backwards(&paths.history(age), |line| {
            lines.extend(serde_json::from_slice::<Value>(line).ok());
            lines.len() < count
        });
        drop(read);
    }
    lines
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

fn read_line(line: &Value) -> Vec<Event> {
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
        })
        .collect()
}

/// The tasks as the history last knew them, and the time of its last line.
pub(crate) fn remembered(
    paths: &Paths,
) -> (BTreeMap<TaskId, Option<Arc<Task>>>, Option<Timestamp>) {
    let mut tasks = BTreeMap::new();
    let mut last = None;
    for age in (0..KEPT).rev() {
        let Ok(file) = super::atomic_file::open(&paths.history(age)) else {
            continue;
        };
        for line in BufReader::new(file).lines().map_while(Result::ok) {
            let Ok(line) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            for event in read_line(&line) {
                last = Some(event.at);
                if let Some(id) = event.change.id() {
                    tasks.insert(id, event.change.after);
                }
            }
        }
    }
    (tasks, last)
}

/// What changed outside since the board that the history knows: `known` if there is one in memory, else what the
/// history itself remembers.
pub(crate) fn outside_change(paths: &Paths, known: Option<&Board>, now: &Board) -> Change {
    let mut tasks = Vec::new();
    let mut compare = |before: Option<Arc<Task>>, after: Option<Arc<Task>>| {
        if before != after {
            tasks.push(TaskChange { before, after });
        }
    };
    if let Some(known) = known {
        for task in known.by_id() {
            compare(Some(Arc::clone(task)), now.get(task.id).cloned());
        }
        for task in now.by_id().filter(|task| known.get(task.id).is_none()) {
            compare(None, Some(Arc::clone(task)));
        }
    } else {
        let (remembered, last) = remembered(paths);
        for (id, before) in &remembered {
            compare(before.clone(), now.get(*id).cloned());
        }
        // A task that the history never saw is news only if it is younger: older ones were there before it began.
        let unknown = now
            .by_id()
            .filter(|task| !remembered.contains_key(&task.id));
        for task in unknown.filter(|task| last.is_some_and(|last| task.created > last)) {
            compare(None, Some(Arc::clone(task)));
        }
    }
    tasks.sort_by_key(TaskChange::id);
    Change { tasks }
}
