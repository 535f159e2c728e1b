//! Tasks as they stand on real boards, the same ones in every run: about 560 bytes each in the board's file. Knows
//! nothing of files.

use std::sync::Arc;

use serde_json::{Value, json};
use todori_domain::{
    Description, Priority, Rank, SessionName, Status, Subtask, Task, TaskId, Timestamp, Title,
};

use crate::Outcome;
use crate::random::Random;

/// How many tasks belong together; tasks wait only for tasks of their own group, as in a plan made of milestones.
const GROUP: usize = 20;
/// 2026-03-02T08:00:00Z, when the first task was made.
const START: i64 = 1_772_438_400_000;
const MINUTE: i64 = 60_000;

/// Most tasks of a board that has been in use for a while are done; a few are in the hands of sessions that are gone.
const STATUSES: [Status; 20] = {
    use Status::{Blocked, Cancelled, Deferred, Done, InProgress, Pending};
    [
        Done, Done, Done, Done, Done, Done, Done, Done, Done, Done, Pending, Pending, Pending,
        Pending, Pending, Pending, InProgress, Blocked, Deferred, Cancelled,
    ]
};
const SESSIONS: [&str; 3] = [
    "claude-code-1f0c9a2e",
    "codex-77ab01d4",
    "gemini-cli-c0ffee12",
];
const KINDS: [&str; 6] = ["", "", "", "fix: ", "docs: ", "Follow-up #2: "];
const WORDS: [&str; 48] = [
    "add", "the", "login", "form", "retry", "when", "server", "answers", "late", "check", "every",
    "field", "of", "request", "before", "it", "is", "stored", "move", "tests", "into", "one",
    "module", "and", "write", "a", "page", "about", "limits", "cache", "session", "tokens", "with",
    "their", "expiry", "split", "parser", "from", "reader", "so", "that", "both", "can", "be",
    "tested", "alone", "measure", "memory",
];

/// Makes that many tasks, in list order.
pub(crate) fn tasks(count: usize) -> Outcome<Vec<Arc<Task>>> {
    let mut random = Random::new(2026);
    let ids: Vec<TaskId> = (0..count).map(|_| id(&mut random)).collect();
    let mut rank = Rank::first();
    let mut tasks = Vec::with_capacity(count);
    for (place, &id) in ids.iter().enumerate() {
        let group = ids.get(place - place % GROUP..place).unwrap_or_default();
        tasks.push(Arc::new(task(id, group, rank.clone(), place, &mut random)?));
        rank = rank.after().ok_or("there is always another rank")?;
    }
    Ok(tasks)
}

/// An id as the program would make it: 16 random bytes with the marks of version 4.
pub(crate) fn id(random: &mut Random) -> TaskId {
    let bits = (u128::from(random.number()) << 64) | u128::from(random.number());
    let version = bits & !(0xF << 76) | 0x4 << 76;
    TaskId::from_bytes((version & !(0x3 << 62) | 0x2 << 62).to_be_bytes())
}

/// A title of some words.
pub(crate) fn title(random: &mut Random) -> Outcome<Title> {
    let kind = random.pick(&KINDS).copied().unwrap_or_default();
    let words = 4 + random.below(5);
    Ok(Title::parse(&format!("{kind}{}", sentence(words, random)))?)
}

/// A description of one to four lines.
pub(crate) fn description(random: &mut Random) -> Outcome<Option<Description>> {
    let lines: Vec<String> = (0..=random.below(4))
        .map(|_| {
            let words = 4 + random.below(5);
            sentence(words, random)
        })
        .collect();
    Ok(Description::parse(&lines.join("\n"))?)
}

/// The same task as JSON: the same fields, and none that the board's file leaves out.
pub(crate) fn json(task: &Task) -> Value {
    let Task {
        id,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for,
        subtasks,
        next_subtask,
        assignee,
        rank,
        created,
        updated,
        completed,
    } = task;
    let waits_for: Vec<String> = waits_for.iter().map(ToString::to_string).collect();
    let subtasks: Vec<Value> = subtasks.iter().map(subtask_json).collect();
    let mut json = json!({
        "id": id.to_string(),
        "created": created.to_string(),
        "title": title.as_str(),
        "active_form": active_form.as_ref().map(Title::as_str),
        "description": description.as_ref().map(Description::as_str),
        "status": status.as_str(),
        "priority": priority.as_str(),
        "rank": rank.as_str(),
        "dependencies": (!waits_for.is_empty()).then_some(waits_for),
        "subtasks": (!subtasks.is_empty()).then_some(subtasks),
        "next_subtask": (*next_subtask > 1).then_some(next_subtask),
        "assignee": assignee.as_ref().map(SessionName::as_str),
        "completed": completed.map(|time| time.to_string()),
        "updated": updated.to_string(),
    });
    leave_out_nulls(&mut json);
    json
}

fn subtask_json(subtask: &Subtask) -> Value {
    let Subtask {
        number,
        title,
        description,
        status,
    } = subtask;
    let mut json = json!({
        "number": number,
        "title": title.as_str(),
        "description": description.as_ref().map(Description::as_str),
        "status": status.as_str(),
    });
    leave_out_nulls(&mut json);
    json
}

fn leave_out_nulls(json: &mut Value) {
    if let Some(fields) = json.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
}

fn task(
    id: TaskId,
    group: &[TaskId],
    rank: Rank,
    place: usize,
    random: &mut Random,
) -> Outcome<Task> {
    let created = START + i64::try_from(place)? * 7 * MINUTE + random_millis(5 * MINUTE, random);
    let mut task = Task::new(id, title(random)?, rank, Timestamp::from_millis(created));
    task.description = description(random)?;
    task.status = random.pick(&STATUSES).copied().unwrap_or(Status::Pending);
    task.priority = random
        .pick(&Priority::ALL)
        .copied()
        .unwrap_or(Priority::Medium);
    for _ in 0..random.below(3) {
        let target = random.pick(group).copied();
        task.waits_for
            .extend(target.filter(|target| !task.waits_for.contains(target)));
    }
    for number in 1..=u32::try_from(random.below(4))? {
        task.subtasks.push(Subtask {
            number,
            title: title(random)?,
            description: None,
            status: subtask_status(task.status, random),
        });
        task.next_subtask = number + 1;
    }
    task.updated = Timestamp::from_millis(created + random_millis(5 * 24 * 60 * MINUTE, random));
    match task.status {
        Status::Done => task.completed = Some(task.updated),
        Status::InProgress => {
            let session = random.pick(&SESSIONS).copied().unwrap_or_default();
            task.assignee = Some(SessionName::new(session));
        }
        Status::Pending | Status::Blocked | Status::Deferred | Status::Cancelled => {}
    }
    Ok(task)
}

/// A task that is done has no open subtasks.
fn subtask_status(task: Status, random: &mut Random) -> Status {
    if task == Status::Done || random.below(2) == 0 {
        Status::Done
    } else {
        Status::Pending
    }
}

fn random_millis(most: i64, random: &mut Random) -> i64 {
    let most = usize::try_from(most).unwrap_or(1);
    i64::try_from(random.below(most)).unwrap_or(0)
}

fn sentence(words: usize, random: &mut Random) -> String {
    let words: Vec<&str> = (0..words)
        .filter_map(|_| random.pick(&WORDS).copied())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_makes_the_same_tasks() {
        assert_eq!(tasks(100).unwrap(), tasks(100).unwrap());
    }

    #[test]
    fn there_are_tasks_of_every_kind() {
        let tasks = tasks(1_000).unwrap();
        let some = |holds: fn(&Task) -> bool| tasks.iter().any(|task| holds(task));
        assert!(some(|task| task.waits_for.len() == 2));
        assert!(some(|task| task.subtasks.len() == 3));
        assert!(some(|task| task.completed.is_some()));
        assert!(some(|task| task.assignee.is_some()));
        let id = tasks.first().map(|task| task.id.to_string()).unwrap();
        assert_eq!(id.get(14..15), Some("4"), "{id} is of version 4");
    }
}
