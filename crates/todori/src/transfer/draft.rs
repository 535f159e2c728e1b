//! A task as another program had it: plain words, not checked yet against what a board takes.

use todori_domain::{Priority, Status, TaskId, Timestamp};

/// A task that is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    /// What the source calls it, and what others wait for it by. Empty where it has no name there.
    pub(super) key: String,
    /// Its id, where the source has one that is ours.
    pub(super) id: Option<TaskId>,
    pub(super) title: String,
    pub(super) active_form: Option<String>,
    pub(super) description: String,
    pub(super) status: Status,
    pub(super) priority: Priority,
    /// The keys of the tasks that must be done first.
    pub(super) waits_for: Vec<String>,
    pub(super) subtasks: Vec<DraftSubtask>,
    pub(super) created: Option<Timestamp>,
    pub(super) updated: Option<Timestamp>,
    pub(super) completed: Option<Timestamp>,
    /// The session of ours that had it in progress.
    pub(super) assignee: Option<String>,
    pub(super) next_subtask: u32,
    /// Where in its source it stands, if that tells it from others of the same name.
    pub(super) section: String,
    /// What of it has no field of its own here and went into descriptions.
    pub(super) moved: Vec<String>,
}

/// A subtask that is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftSubtask {
    /// Its number, where the source has one that is ours.
    pub(super) number: Option<u32>,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) status: Status,
}

impl Draft {
    pub(super) fn new(key: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            id: None,
            title: title.into(),
            active_form: None,
            description: String::new(),
            status: Status::Pending,
            priority: Priority::Medium,
            waits_for: Vec::new(),
            subtasks: Vec::new(),
            created: None,
            updated: None,
            completed: None,
            assignee: None,
            next_subtask: 0,
            section: String::new(),
            moved: Vec::new(),
        }
    }

    /// What to call it when something about it is told.
    pub(super) fn name(&self) -> String {
        let title: String = self.title.trim().chars().take(60).collect();
        match self.key.as_str() {
            "" => title,
            key => format!("{key} {title}").trim_end().to_owned(),
        }
    }
}

impl DraftSubtask {
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self {
            number: None,
            title: title.into(),
            description: String::new(),
            status: Status::Pending,
        }
    }
}

/// Something that did not fit, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// What it is about.
    pub(crate) item: String,
    /// What was done.
    pub(crate) what: String,
}

/// Everything that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Read {
    /// The tasks, first to last.
    pub(super) drafts: Vec<Draft>,
    /// What did not fit.
    pub(super) notes: Vec<Note>,
    /// What has no field of its own here and went into the descriptions of the task that is being read.
    moving: Vec<String>,
}

impl Read {
    /// Adds a task that is read to its end.
    pub(super) fn push(&mut self, draft: Draft) {
        let draft = self.settle(draft);
        self.drafts.push(draft);
    }

    /// A task that is read to its end: what was moved since the last one belongs to it.
    pub(super) fn settle(&mut self, mut draft: Draft) -> Draft {
        draft.moved.append(&mut self.moving);
        draft
    }

    /// Tells of something that did not fit.
    pub(super) fn note(&mut self, item: impl Into<String>, what: impl Into<String>) {
        self.notes.push(Note {
            item: item.into(),
            what: what.into(),
        });
    }

    /// Adds a short fact to a description, in a line of its own.
    pub(super) fn fact(&mut self, description: &mut String, name: &str, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        add_fact(description, name, value);
        self.moving.push(name.to_owned());
    }

    /// Adds a long text to a description, under a heading.
    pub(super) fn section(&mut self, description: &mut String, name: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !description.is_empty() {
            description.push_str("\n\n");
        }
        description.push_str(&format!("## {name}\n\n{}", text.trim_end()));
        self.moving.push(name.to_owned());
    }
}

/// Whether this could be the name of a fact: a word or two that begin with a capital.
fn is_name(word: &str) -> bool {
    word.len() <= 24 && word.chars().next().is_some_and(char::is_uppercase) && !word.contains('.')
}

/// Ends a description with the name that the task had where it comes from, so that it can be found by it.
pub(super) fn came_from(description: &mut String, program: &str, key: &str) {
    add_fact(description, "Imported from", &format!("{program} {key}"));
}

/// Adds a line to a description. Facts stand together; before the first one is an empty line.
pub(super) fn add_fact(description: &mut String, name: &str, value: &str) {
    let last = description.lines().next_back().unwrap_or_default();
    let follows = last.split_once(": ").is_some_and(|(word, _)| is_name(word));
    if !description.is_empty() {
        description.push_str(if follows { "\n" } else { "\n\n" });
    }
    description.push_str(&format!("{name}: {value}"));
}

/// What a status of another program is here; none if that can't be told.
pub(super) fn status(word: &str) -> Option<Status> {
    let word: String = word
        .trim()
        .to_lowercase()
        .chars()
        .map(|c| if matches!(c, '_' | ' ') { '-' } else { c })
        .collect();
    match word.as_str() {
        "pending" | "open" | "todo" | "to-do" | "backlog" | "ready" | "new" | "not-started" => {
            Some(Status::Pending)
        }
        "in-progress" | "doing" | "started" | "active" | "hooked" | "wip" => {
            Some(Status::InProgress)
        }
        "blocked" | "on-hold" | "waiting" => Some(Status::Blocked),
        "done" | "completed" | "complete" | "closed" | "finished" | "resolved" => {
            Some(Status::Done)
        }
        "deferred" | "draft" | "later" | "someday" | "postponed" => Some(Status::Deferred),
        "cancelled" | "canceled" | "wontfix" | "won't-do" | "dropped" | "abandoned" => {
            Some(Status::Cancelled)
        }
        _ => None,
    }
}

/// Reads a status, and tells if it is none of ours. What waits for somebody's look can't go on here: it is blocked.
pub(super) fn status_or_note(word: &str, draft: &mut Draft, read: &mut Read) {
    if let Some(status) = status(word) {
        draft.status = status;
        return;
    }
    draft.status = if word.to_lowercase().contains("review") {
        Status::Blocked
    } else {
        Status::Pending
    };
    let mut description = std::mem::take(&mut draft.description);
    read.fact(&mut description, "Status", word);
    draft.description = description;
    let what = format!(
        "there is no status {word:?} here: it is {} now",
        draft.status.as_str()
    );
    read.note(draft.name(), what);
}

/// Reads a priority, and tells if it is none of ours.
pub(super) fn priority_or_note(word: &str, draft: &mut Draft, read: &mut Read) {
    let known = priority(word);
    draft.priority = known.unwrap_or(Priority::Medium);
    let own = word.trim().to_lowercase();
    if own.is_empty() || own == draft.priority.as_str() {
        return;
    }
    let mut description = std::mem::take(&mut draft.description);
    read.fact(&mut description, "Priority", word);
    draft.description = description;
    let what = format!(
        "there is no priority {word:?} here: it is {} now",
        draft.priority.as_str()
    );
    read.note(draft.name(), what);
}

/// What a priority of another program is here.
pub(super) fn priority(word: &str) -> Option<Priority> {
    match word.trim().to_lowercase().as_str() {
        "critical" | "highest" | "urgent" | "high" => Some(Priority::High),
        "medium" | "normal" | "" => Some(Priority::Medium),
        "low" | "lowest" | "minor" => Some(Priority::Low),
        _ => None,
    }
}

/// Reads a time as programs write it: with a `T` or a blank in the middle, with or without seconds and offset.
pub(super) fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    Timestamp::parse(text).or_else(|| {
        let (date, time) = text.split_once([' ', 'T'])?;
        let seconds = if time.matches(':').count() == 1 {
            ":00"
        } else {
            ""
        };
        Timestamp::parse(&format!("{date}T{time}{seconds}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_programs_write_them() {
        for (given, expected) in [
            ("2025-08-17 17:00", "2025-08-17T17:00:00.000Z"),
            ("2025-08-17T17:00", "2025-08-17T17:00:00.000Z"),
            ("2025-08-17", "2025-08-17T00:00:00.000Z"),
            (
                "2025-12-16T13:26:47.117226-08:00",
                "2025-12-16T21:26:47.117Z",
            ),
        ] {
            assert_eq!(
                time(given).map(|t| t.to_string()).as_deref(),
                Some(expected)
            );
        }
        assert_eq!(time("soon"), None);
        assert_eq!(time(""), None);
    }

    #[test]
    fn facts_stand_together_behind_the_text() {
        let mut read = Read::default();
        let mut text = "It fails.".to_owned();
        read.fact(&mut text, "Labels", "a, b");
        read.fact(&mut text, "Assignee", "@codex");
        read.fact(&mut text, "Milestone", " ");
        read.section(&mut text, "Notes", "One.\n");
        assert_eq!(
            text,
            "It fails.\n\nLabels: a, b\nAssignee: @codex\n\n## Notes\n\nOne."
        );
        let draft = read.settle(Draft::new("", "x"));
        assert_eq!(draft.moved, ["Labels", "Assignee", "Notes"]);
        assert!(read.settle(Draft::new("", "y")).moved.is_empty());
    }

    #[test]
    fn what_waits_for_a_review_is_blocked_and_told() {
        let (mut read, mut draft) = (Read::default(), Draft::new("7", "x"));
        status_or_note("review", &mut draft, &mut read);
        assert_eq!((draft.status, read.notes.len()), (Status::Blocked, 1));
        assert_eq!(draft.description, "Status: review");
    }

    #[test]
    fn a_priority_that_is_none_of_ours_is_told() {
        let check = |word: &str, expected: Priority, notes: usize| {
            let (mut read, mut draft) = (Read::default(), Draft::new("7", "x"));
            priority_or_note(word, &mut draft, &mut read);
            assert_eq!(
                (draft.priority, read.notes.len()),
                (expected, notes),
                "{word}"
            );
            assert_eq!(draft.description.is_empty(), notes == 0, "{word}");
        };
        check("High", Priority::High, 0);
        check("", Priority::Medium, 0);
        check("critical", Priority::High, 1);
        check("lowest", Priority::Low, 1);
        check("sometimes", Priority::Medium, 1);
    }
}
