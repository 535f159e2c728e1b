//! A tree of nodes to tasks: the full reader, for whatever people and other programs write. Says exactly where
//! something is wrong; fills in what a task written by hand lacks.

use todori_domain::{
    Description, Position, Priority, Rank, SessionName, Status, Subtask, Task, TaskId, Timestamp,
    Title,
};

use super::syntax::{Entry, Fault, Kind, Node};

/// Reads the fields of one task. `at` is where the task begins; `written` stands in for times that are missing.
pub(crate) fn task(id: TaskId, node: &Node, written: Timestamp) -> Result<Task, Fault> {
    let Kind::Map { entries, .. } = &node.kind else {
        return Err(Fault::new(
            node.at,
            "a task needs at least a title, as in `title: Run the tests`",
        ));
    };
    let fields = Fields {
        entries,
        metadata: metadata(entries)?,
    };
    let Some(title) = fields.get("title") else {
        return Err(Fault::new(node.at, "this task has no title"));
    };
    let title = text(&title.value, Title::parse)?;
    let created = fields.read("created", time)?.unwrap_or(written);
    let description = fields.read("description", |node| text(node, Description::parse))?;
    let subtasks = fields.read("subtasks", subtasks)?.unwrap_or_default();
    let highest = subtasks
        .iter()
        .map(|subtask| subtask.number)
        .max()
        .unwrap_or(0);
    let next = fields.read("next_subtask", number)?.unwrap_or(1);
    // Field by field: one that is new must be read.
    Ok(Task {
        id,
        title,
        active_form: fields.read("active_form", |node| text(node, Title::parse))?,
        description: description.flatten(),
        status: fields.read("status", status)?.unwrap_or(Status::Pending),
        priority: fields
            .read("priority", priority)?
            .unwrap_or(Priority::Medium),
        waits_for: fields
            .read("dependencies", dependencies)?
            .unwrap_or_default(),
        subtasks,
        next_subtask: next.max(highest.saturating_add(1)),
        assignee: fields.read("assignee", |node| Ok(SessionName::new(scalar(node)?)))?,
        rank: fields.read("rank", rank)?.unwrap_or_else(Rank::unset),
        created,
        updated: fields.read("updated", time)?.unwrap_or(created),
        completed: fields.read("completed", time)?,
    })
}

/// The fields of a task; in the older layout the times stand one level deeper, under `metadata`.
struct Fields<'a> {
    entries: &'a [Entry],
    metadata: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// A field that is there and not null.
    fn get(&self, key: &str) -> Option<&'a Entry> {
        let own = self
            .entries
            .iter()
            .chain(self.metadata)
            .filter(|entry| !entry.value.is_null());
        own.into_iter().find(|entry| entry.key == key)
    }

    fn read<T>(
        &self,
        key: &str,
        read: impl Fn(&Node) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        self.get(key).map(|entry| read(&entry.value)).transpose()
    }
}

fn metadata(entries: &[Entry]) -> Result<&[Entry], Fault> {
    let Some(found) = entries.iter().find(|entry| entry.key == "metadata") else {
        return Ok(&[]);
    };
    match &found.value.kind {
        Kind::Map { entries, .. } => Ok(entries),
        Kind::Scalar { .. } | Kind::List(_) => Ok(&[]),
    }
}

pub(crate) fn scalar(node: &Node) -> Result<&str, Fault> {
    match &node.kind {
        Kind::Scalar { text, .. } => Ok(text),
        Kind::List(_) => Err(Fault::new(node.at, "expected a text, found a list")),
        Kind::Map { .. } => Err(Fault::new(node.at, "expected a text, found a mapping")),
    }
}

fn text<T>(
    node: &Node,
    parse: impl Fn(&str) -> Result<T, todori_domain::TextError>,
) -> Result<T, Fault> {
    parse(scalar(node)?).map_err(|error| Fault::new(node.at, format!("this text {error}")))
}

fn time(node: &Node) -> Result<Timestamp, Fault> {
    let expected = "expected a time such as 2026-11-15T07:12:13.123Z";
    Timestamp::parse(scalar(node)?).ok_or_else(|| Fault::new(node.at, expected))
}

fn status(node: &Node) -> Result<Status, Fault> {
    let known = Status::ALL.map(Status::as_str).join(", ");
    let text = scalar(node)?;
    // The spellings of other trackers are understood; they are written in ours.
    let text = match text {
        "in_progress" => "in-progress",
        "completed" => "done",
        other => other,
    };
    Status::parse(text).ok_or_else(|| Fault::new(node.at, format!("a status is one of {known}")))
}

fn priority(node: &Node) -> Result<Priority, Fault> {
    let known = Priority::ALL.map(Priority::as_str).join(", ");
    Priority::parse(scalar(node)?)
        .ok_or_else(|| Fault::new(node.at, format!("a priority is one of {known}")))
}

fn rank(node: &Node) -> Result<Rank, Fault> {
    let reason =
        "a rank is made of letters and digits; without one the task goes to the end of the list";
    Rank::parse(scalar(node)?).ok_or_else(|| Fault::new(node.at, reason))
}

fn number(node: &Node) -> Result<u32, Fault> {
    scalar(node)?
        .parse()
        .map_err(|_| Fault::new(node.at, "expected a number"))
}

pub(crate) fn id(text: &str, at: Position) -> Result<TaskId, Fault> {
    TaskId::parse(text).ok_or_else(|| Fault::new(at, "expected the id of a task, which is a UUID"))
}

fn list<'a>(node: &'a Node, of: &str) -> Result<&'a [Node], Fault> {
    match &node.kind {
        Kind::List(items) => Ok(items),
        Kind::Map { entries, .. } if entries.is_empty() => Ok(&[]),
        Kind::Map { .. } | Kind::Scalar { .. } => {
            Err(Fault::new(node.at, format!("expected a list of {of}")))
        }
    }
}

fn dependencies(node: &Node) -> Result<Vec<TaskId>, Fault> {
    let mut found = Vec::new();
    for item in list(node, "task ids")? {
        let id = id(scalar(item)?, item.at)?;
        if !found.contains(&id) {
            found.push(id);
        }
    }
    Ok(found)
}

fn subtasks(node: &Node) -> Result<Vec<Subtask>, Fault> {
    let mut read = Vec::new();
    for (number, at, node) in subtask_nodes(node)? {
        let number =
            number.ok_or_else(|| Fault::new(at, "a subtask is named by a number, from 1 on"))?;
        read.push(subtask(number, node)?);
    }
    read.sort_by_key(|subtask| subtask.number);
    if read
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.number == b.number))
    {
        return Err(Fault::new(node.at, "two subtasks have the same number"));
    }
    Ok(read)
}

/// A subtask in the tree: its number, if it has a sound one, where that stands, and the rest.
type SubtaskNode<'a> = (Option<u32>, Position, &'a Node);

/// The subtasks as they stand: by number, or in the older layout as a list.
pub(crate) fn subtask_nodes(node: &Node) -> Result<Vec<SubtaskNode<'_>>, Fault> {
    match &node.kind {
        Kind::Map { entries, .. } => {
            let number = |entry: &'_ Entry| entry.key.parse().ok().filter(|&number| number > 0);
            let entries = entries.iter();
            Ok(entries
                .map(|entry| (number(entry), entry.at, &entry.value))
                .collect())
        }
        Kind::List(items) => {
            let items = (1..).zip(items);
            let number = |place, item| listed_number(item).unwrap_or(place);
            Ok(items
                .map(|(place, item)| (Some(number(place, item)), item.at, item))
                .collect())
        }
        Kind::Scalar { .. } => Err(Fault::new(node.at, "expected the subtasks by number")),
    }
}

/// The number of a subtask in the older layout: what stands behind the last dot of its `id`.
fn listed_number(item: &Node) -> Option<u32> {
    let Kind::Map { entries, .. } = &item.kind else {
        return None;
    };
    let id = entries.iter().find(|entry| entry.key == "id")?;
    scalar(&id.value)
        .ok()?
        .rsplit('.')
        .next()?
        .parse()
        .ok()
        .filter(|&number| number > 0)
}

fn subtask(number: u32, node: &Node) -> Result<Subtask, Fault> {
    // A subtask may be written as its title alone.
    if let Kind::Scalar { .. } = &node.kind {
        let title = text(node, Title::parse)?;
        return Ok(Subtask {
            number,
            title,
            description: None,
            status: Status::Pending,
        });
    }
    let Kind::Map { entries, .. } = &node.kind else {
        return Err(Fault::new(
            node.at,
            "expected a title, a status and perhaps a description",
        ));
    };
    let fields = Fields {
        entries,
        metadata: &[],
    };
    let Some(title) = fields.get("title") else {
        return Err(Fault::new(node.at, "this subtask has no title"));
    };
    Ok(Subtask {
        number,
        title: text(&title.value, Title::parse)?,
        description: fields
            .read("description", |node| text(node, Description::parse))?
            .flatten(),
        status: fields.read("status", status)?.unwrap_or(Status::Pending),
    })
}
