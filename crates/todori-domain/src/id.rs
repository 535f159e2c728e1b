//! What a task is called. Knows nothing of tasks themselves.

use std::fmt;

use uuid::Uuid;

/// The fewest characters of an id that are taken as a prefix.
pub const MIN_PREFIX: usize = 4;

/// Names one task for good. Any UUID is read; only version 4 is made, because boards are kept sorted by id and
/// time-ordered ids would make any two branches that both add a task conflict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(Uuid);

impl TaskId {
    /// Wraps 16 bytes as an id; for tests and for stores that keep ids in binary form.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// Gives the 16 bytes of the id.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Reads any spelling of a whole UUID.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text.trim()).ok().map(Self)
    }

    /// Gives the first `length` characters of the hyphenated form.
    pub fn prefix(self, length: usize) -> String {
        let mut text = self.to_string();
        text.truncate(length);
        text
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Makes new ids. An argument wherever ids are made, so that tests can foresee them.
pub trait IdSource: Send + Sync {
    /// Gives an id that was never given before.
    fn next_id(&self) -> TaskId;
}

/// Makes random ids (UUID version 4).
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn next_id(&self) -> TaskId {
        TaskId(Uuid::new_v4())
    }
}

/// How a caller names a task: a whole id or the beginning of one. It is looked up on the board inside the
/// transaction, so a prefix can't change its meaning between reading and writing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskRef(String);

impl TaskRef {
    /// Takes the words of the caller as they are; whether they name anything is for the board to say.
    pub fn new(given: impl Into<String>) -> Self {
        Self(given.into())
    }

    /// What the caller wrote.
    pub fn given(&self) -> &str {
        &self.0
    }

    /// What it can mean: one id, all ids with a prefix, or nothing.
    pub fn meaning(&self) -> IdPrefix {
        // Some people see ids with a word in front; it means nothing.
        let text = self.0.trim();
        let text = text.strip_prefix("todo-").unwrap_or(text);
        if let Some(id) = TaskId::parse(text) {
            return IdPrefix::Whole(id);
        }
        let text = text.to_ascii_lowercase();
        if text.len() < MIN_PREFIX || text.len() > 36 {
            return IdPrefix::Nothing;
        }
        first_with_prefix(&text).map_or(IdPrefix::Nothing, |first| IdPrefix::Prefix { first, text })
    }
}

impl From<TaskId> for TaskRef {
    fn from(id: TaskId) -> Self {
        Self(id.to_string())
    }
}

/// What a [`TaskRef`] can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdPrefix {
    /// Exactly this id.
    Whole(TaskId),
    /// Any id that begins with `text`; `first` is the smallest possible one.
    Prefix {
        /// The smallest id with this prefix.
        first: TaskId,
        /// The prefix in the hyphenated, lower-case form.
        text: String,
    },
    /// No id at all.
    Nothing,
}

/// Fills a prefix of the hyphenated form up with zeros.
fn first_with_prefix(prefix: &str) -> Option<TaskId> {
    const ZEROS: &str = "00000000-0000-0000-0000-000000000000";
    let rest = ZEROS.get(prefix.len()..)?;
    TaskId::parse(&format!("{prefix}{rest}"))
}

/// Names one subtask: its task and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SubtaskId {
    /// The task it belongs to.
    pub task: TaskId,
    /// Its number in that task, from 1; never reused.
    pub number: u32,
}

impl fmt::Display for SubtaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.task, self.number)
    }
}

/// How a caller names a subtask: `task.N`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubtaskRef {
    /// The task it belongs to.
    pub task: TaskRef,
    /// Its number in that task.
    pub number: u32,
}

impl SubtaskRef {
    /// Reads `task.N`; `None` when there is no number behind a dot.
    pub fn parse(given: &str) -> Option<Self> {
        let (task, number) = given.trim().rsplit_once('.')?;
        if task.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number = number.parse().ok()?;
        Some(Self {
            task: TaskRef::new(task),
            number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_a_whole_id_a_prefix_or_nothing() {
        let id = TaskId::parse("3f2b8c1e-7a4d-4e0b-9c55-0d1f6a2b7e90").unwrap();
        let whole = IdPrefix::Whole(id);
        assert_eq!(
            TaskRef::new("3F2B8C1E-7A4D-4E0B-9C55-0D1F6A2B7E90").meaning(),
            whole
        );
        assert_eq!(
            TaskRef::new("3f2b8c1e7a4d4e0b9c550d1f6a2b7e90").meaning(),
            whole
        );
        let prefix = TaskRef::new("3F2b8c1e-7").meaning();
        assert!(matches!(prefix, IdPrefix::Prefix { text, .. } if text == "3f2b8c1e-7"));
        for nothing in [
            "",
            "3f2",
            "abc-123-uuid",
            "nonexistent-uuid",
            "3f2b8c1e7",
            "ﬁve",
            "----",
        ] {
            assert_eq!(
                TaskRef::new(nothing).meaning(),
                IdPrefix::Nothing,
                "{nothing}"
            );
        }
    }

    #[test]
    fn a_subtask_reference_needs_a_number_behind_the_last_dot() {
        let parsed = SubtaskRef::parse("3f2b.12").unwrap();
        assert_eq!((parsed.task.given(), parsed.number), ("3f2b", 12));
        for bad in [
            "3f2b",
            "3f2b.",
            ".1",
            "3f2b.x",
            "3f2b.-1",
            "3f2b.+1",
            "3f2b.99999999999",
        ] {
            assert_eq!(SubtaskRef::parse(bad), None, "{bad}");
        }
    }
}
