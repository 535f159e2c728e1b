//! What the history says, line by line: who changed what, when, from what to what. Never the truth: whatever goes wrong
//! here is left out, and a board without a history is whole. [`super::history_files`] keeps the lines, [`super::past`]
//! reads them backwards.
//!
//! A request is one line; a large one is several with the same number, each of which says where its tasks come in. The
//! last line that a writer notes together with others names the state of the board's file that they lead to.
//!
//! A file begins with the board as it was then, one line for each task: what is changed outside later can be told from
//! it, and is no news itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use todori_domain::{
    Board, Change, Event, EventNumber, Moment, SessionName, Task, TaskChange, TaskId, Timestamp,
};

use super::history_files;
use super::own_texts::{Digest, OwnTexts};
use super::paths::Paths;
use crate::task_json;

/// Who is named for changes that were made outside: with an editor, or by git.
pub(crate) const OUTSIDE: &str = "file";
/// Who is named for tasks that came and went with a change of branch.
pub(crate) const BRANCH: &str = "git";

/// From this size on, what is left of a request goes to another line. Whoever wants a few events reads little.
const LINE_FULL: usize = 256 * 1024;
/// A longer text of a task is not kept: the line would be too long for readers.
const LARGEST_BLOCK: usize = history_files::LARGEST_LINE / 16;

/// What one request changed, or a part of that: as one line tells it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    pub(crate) by: SessionName,
    pub(crate) client: Option<String>,
    pub(crate) change: Change,
    /// The place of the first task in what the request did.
    pub(crate) place: usize,
    /// The requests that it takes back.
    pub(crate) undoes: Arc<[u64]>,
    /// Whether it came with a change of branch.
    pub(crate) is_switch: bool,
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
            place: 0,
            undoes,
            is_switch: false,
            blocks: BTreeMap::new(),
        }
    }

    /// A task that was changed outside.
    pub(crate) fn outside(at: Timestamp, change: TaskChange, is_switch: bool) -> Self {
        let by = if is_switch { BRANCH } else { OUTSIDE };
        Self {
            at,
            by: SessionName::new(by),
            client: None,
            change: Change {
                tasks: vec![change],
            },
            place: 0,
            undoes: Arc::default(),
            is_switch,
            blocks: BTreeMap::new(),
        }
    }

    /// What it tells as events, newest first, if it is the request with this number.
    pub(crate) fn events(&self, request: u64) -> impl Iterator<Item = Event> {
        let tasks = self.change.tasks.iter().enumerate().rev();
        tasks.map(move |(place, change)| Event {
            number: EventNumber {
                request,
                place: self.place.saturating_add(place),
            },
            at: self.at,
            by: self.by.clone(),
            client: self.client.clone(),
            change: change.clone(),
            undoes: Arc::clone(&self.undoes),
            is_switch: self.is_switch,
        })
    }

    /// The lines of the request with this number, each without its closing brace.
    fn open_lines(&self, number: u64) -> Vec<String> {
        let mut lines = Vec::new();
        let (mut tasks, mut blocks) = (String::new(), Map::new());
        let (mut first, mut size) = (0, 0);
        for (place, change) in self.change.tasks.iter().enumerate() {
            if size > LINE_FULL {
                lines.push(self.open_line(number, first, &tasks, std::mem::take(&mut blocks)));
                tasks.clear();
                (first, size) = (place, 0);
            }
            let task = |task: &Option<Arc<Task>>| task.as_deref().map(task_json::compact);
            let pair = json!([task(&change.before), task(&change.after)]).to_string();
            if !tasks.is_empty() {
                tasks.push(',');
            }
            tasks.push_str(&pair);
            size += pair.len();
            let block = change.id().and_then(|id| Some((id, self.blocks.get(&id)?)));
            if let Some((id, text)) = block.filter(|(_, text)| text.len() <= LARGEST_BLOCK) {
                size += text.len();
                blocks.insert(id.to_string(), json!(text));
            }
        }
        lines.push(self.open_line(number, first, &tasks, blocks));
        lines
    }

    fn open_line(
        &self,
        number: u64,
        place: usize,
        tasks: &str,
        blocks: Map<String, Value>,
    ) -> String {
        let Self {
            at,
            by,
            client,
            change: _,
            place: _,
            undoes,
            is_switch,
            blocks: _,
        } = self;
        // Readers skip lines by how they begin: time and number come first.
        let mut line = Map::new();
        let mut put = |key: &str, value: Value| drop(line.insert(key.to_owned(), value));
        put("at", json!(at.to_string()));
        put(NUMBER, json!(number));
        if *is_switch {
            put(SWITCH, json!(true));
        }
        if place > 0 {
            put(PLACE, json!(place));
        }
        put("by", json!(by.as_str()));
        if let Some(client) = client {
            put("client", json!(client));
        }
        if !undoes.is_empty() {
            put("undoes", json!(undoes.to_vec()));
        }
        if !blocks.is_empty() {
            put(BLOCKS, Value::Object(blocks));
        }
        let mut line = Value::Object(line).to_string();
        line.pop();
        format!("{line},\"tasks\":[{tasks}]")
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
        let place = line.get(PLACE).and_then(Value::as_u64).unwrap_or(0);
        let blocks = line.get(BLOCKS).and_then(Value::as_object);
        let blocks = blocks.into_iter().flatten();
        let blocks =
            blocks.filter_map(|(id, text)| Some((TaskId::parse(id)?, text.as_str()?.to_owned())));
        Some(Self {
            at,
            by: SessionName::new(text("by")?),
            client: text("client").map(str::to_owned),
            change: Change {
                tasks: changes.collect(),
            },
            place: usize::try_from(place).unwrap_or(0),
            undoes: undoes.collect(),
            is_switch: line.get(SWITCH).and_then(Value::as_bool).unwrap_or(false),
            blocks: blocks.collect(),
        })
    }
}

/// Where a line keeps the number of its request.
const NUMBER: &str = "n";
/// Where a line says that it came with a change of branch.
const SWITCH: &str = "switch";
/// Where a line says which place its first task has in what the request did.
const PLACE: &str = "place";
/// Where a line keeps the text of deleted tasks.
const BLOCKS: &str = "blocks";
/// Where a line names the state of the board's file that it leads to.
const STAMP: &str = "file";
/// Where a line names what was checked out then.
const HEAD: &str = "head";
/// Where a line names the texts that were there then.
const TEXTS: &str = "texts";
/// How the line begins that says how many tasks of a board follow, each on a line of its own.
const BASELINE: &str = "baseline";
/// Where a line that keeps the text of a task names the task.
const OWN: &str = "own";
/// How the lines of those tasks begin.
pub(crate) const BASELINE_TASK: &str = "{\"task\":";

/// What lines lead to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LeadsTo {
    /// The name of a state of the board's file.
    pub(crate) stamp: String,
    /// What was checked out then, if git was there.
    pub(crate) head: Option<String>,
    /// The texts of tasks that were there then and held more than a task. The history has them all.
    pub(crate) texts: Digest,
}

impl LeadsTo {
    /// What a line leads to, if it says so.
    pub(crate) fn read(line: &Value) -> Option<Self> {
        let text = |key: &str| Some(line.get(key)?.as_str()?.to_owned());
        Some(Self {
            stamp: text(STAMP)?,
            head: text(HEAD),
            texts: Digest::parse(text(TEXTS).as_deref()),
        })
    }

    /// What it adds to an open line.
    fn closing(&self) -> String {
        let Self { stamp, head, texts } = self;
        let texts = texts.to_text();
        let texts = texts.map(|texts| format!(",\"{TEXTS}\":\"{texts}\""));
        let head = head
            .as_ref()
            .map(|head| format!(",\"{HEAD}\":{}", json!(head)));
        [Some(format!(",\"{STAMP}\":{}", json!(stamp))), head, texts]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Writes down a whole board.
pub(crate) fn baseline(
    board: &Board,
    texts: &OwnTexts,
    at: Timestamp,
    leads_to: &LeadsTo,
) -> Vec<String> {
    let count = board.len();
    let head = json!({"at": at.to_string(), "by": OUTSIDE, BASELINE: count}).to_string();
    let head = head.trim_end_matches('}');
    let mut lines = vec![format!("{head}{}}}\n", leads_to.closing())];
    let tasks = board.by_id();
    lines.extend(tasks.map(|task| format!("{BASELINE_TASK}{}}}\n", task_json::compact(task))));
    let texts = texts.iter().map(|(id, text)| text_line(*id, Some(text)));
    lines.extend(texts.flatten());
    lines
}

/// Writes down the text of a task that holds more than a task, or that it does so no more.
pub(crate) fn text_line(id: TaskId, text: Option<&str>) -> Option<String> {
    let is_kept = text.is_none_or(|text| text.len() <= LARGEST_BLOCK);
    is_kept.then(|| format!("{}\n", json!({OWN: id.to_string(), "text": text})))
}

/// Appends lines: those that come `before`, then those of the entries, of which the first has the number `first`.
pub(crate) fn append(
    paths: &Paths,
    before: Vec<String>,
    entries: &[Entry],
    first: u64,
    leads_to: &LeadsTo,
) -> io::Result<File> {
    let requests = (first..).zip(entries);
    let mut open = requests
        .flat_map(|(number, entry)| entry.open_lines(number))
        .peekable();
    // Only the last one says what they lead to: where some are missing, the history is known to end before that.
    let closed = std::iter::from_fn(|| {
        let line = open.next()?;
        let closing = if open.peek().is_none() {
            leads_to.closing()
        } else {
            String::new()
        };
        Some(format!("{line}{closing}}}\n"))
    });
    history_files::append(paths, before.into_iter().chain(closed))
}

/// What a line says to somebody who reads all of them.
pub(crate) enum Line {
    /// So many tasks of a whole board follow; what was before no longer counts.
    Baseline(u64),
    /// One of those tasks.
    Task(Arc<Task>),
    /// The text of a task holds this beside the task, or nothing any more.
    Text(TaskId, Option<String>),
    /// Tasks changed.
    Entry(Entry),
}

impl Line {
    /// Reads a line; none for what can't be read.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let line = serde_json::from_str::<Value>(line).ok()?;
        if let Some(count) = line.get(BASELINE).and_then(Value::as_u64) {
            Some(Self::Baseline(count))
        } else if let Some(task) = line.get("task") {
            Some(Self::Task(Arc::new(task_json::read(task)?)))
        } else if let Some(id) = line.get(OWN).and_then(Value::as_str) {
            let text = line.get("text").and_then(Value::as_str);
            Some(Self::Text(TaskId::parse(id)?, text.map(str::to_owned)))
        } else {
            Entry::read(&line).map(Self::Entry)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use todori_domain::testing::{letter, moment, task};
    use todori_domain::{Description, MAX_DESCRIPTION_BYTES};

    #[test]
    fn a_large_request_is_several_lines_that_are_read_as_one() {
        let description = Description::parse(&"x".repeat(MAX_DESCRIPTION_BYTES)).unwrap();
        let names: Vec<String> = ('a'..='z').map(String::from).collect();
        let tasks = names.iter().map(|name| TaskChange {
            before: Some(Arc::new(Task {
                description: description.clone(),
                ..task(name)
            })),
            after: None,
        });
        let change = Change {
            tasks: tasks.collect(),
        };
        let mut entry = Entry::new(&moment(1), change, Arc::from([3]));
        entry.blocks.insert(letter("z"), "text".to_owned());
        let lines = entry.open_lines(7);
        assert!(lines.len() > 5 && lines.iter().all(|line| line.len() < 2 * LINE_FULL));
        let read = lines.iter().map(|line| {
            let value = serde_json::from_str(&format!("{line}}}")).unwrap();
            Entry::read(&value).unwrap()
        });
        let read: Vec<Entry> = read.collect();
        let events: Vec<Event> = read.iter().rev().flat_map(|part| part.events(7)).collect();
        assert_eq!(events, entry.events(7).collect::<Vec<_>>());
        let blocks = read.iter().flat_map(|part| part.blocks.clone());
        assert!(blocks.eq(entry.blocks));
    }
}
