//! Makes tasks of drafts: gives them ids, keeps them within what a board takes, and says what did not fit. Decides
//! nothing about the board itself; that is for the domain, in one request.

use std::collections::{BTreeMap, HashMap, HashSet};

use todori_domain::{
    Board, Command, Description, IdSource, MAX_DESCRIPTION_BYTES, MAX_TITLE_CHARS, NewTask, Past,
    SessionName, Status, Subtask, TaskEdit, TaskId, TaskRef, Title, blocked_by_cycles, find_cycle,
};

use super::draft::{Draft, DraftSubtask, Note, Read, add_fact};
use super::{Format, Unreadable};

/// The most tasks that come in one go.
const MAX_TASKS: usize = 10_000;

/// What to do with tasks that are here already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// They are left as they are.
    Skip,
    /// They come once more, under new ids.
    Add,
}

/// What an import will do.
#[derive(Debug)]
pub(crate) struct Plan {
    /// All of it, for one request.
    pub(crate) commands: Vec<Command>,
    /// The tasks that come, first to last.
    pub(crate) added: Vec<TaskId>,
    /// The tasks that are here already.
    pub(crate) skipped: Vec<TaskId>,
    /// What did not fit.
    pub(crate) notes: Vec<Note>,
    /// What went into descriptions: its name, and how often.
    pub(crate) moved: BTreeMap<String, usize>,
}

/// Which source the tasks come from: tasks of the same source get the same ids in every import.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceId<'a> {
    pub(crate) format: Format,
    /// What tells this source from others, where names do not.
    pub(crate) place: &'a str,
}

/// Plans an import onto this board.
pub(crate) fn plan(
    read: Read,
    source: SourceId<'_>,
    board: &Board,
    again: Again,
    ids: &dyn IdSource,
) -> Result<Plan, Unreadable> {
    let mut told = read;
    let drafts = std::mem::take(&mut told.drafts);
    if drafts.len() > MAX_TASKS {
        let message = format!(
            "{} tasks are too many; at most {MAX_TASKS} come in one go",
            drafts.len()
        );
        return Err(
            Unreadable::new(message).with_hint("split the file, and import the parts one by one")
        );
    }
    let mut drafts: Vec<Draft> = drafts
        .into_iter()
        .filter_map(|draft| titled(draft, &mut told))
        .collect();
    let named = name(&drafts, source, again, ids, &mut told);
    let waits = waits(&mut drafts, &named, board, &mut told);
    let waits = without_cycles(&drafts, &named, waits, board, &mut told);
    let (mut added, mut skipped, mut adds, mut edits) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut moved: BTreeMap<String, usize> = BTreeMap::new();
    let mut there: HashSet<TaskId> = HashSet::new();
    let open = board.by_id().filter(|task| task.status.is_open());
    let open: HashSet<&str> = open.map(|task| task.title.as_str()).collect();
    for ((mut draft, &id), waits_for) in drafts.into_iter().zip(&named).zip(waits) {
        if board.get(id).is_some() {
            // What did not fit of a task that does not come is no news.
            let name = draft.name();
            told.notes.retain(|note| note.item != name);
            skipped.push(id);
            continue;
        }
        if again == Again::Skip && open.contains(draft.title.as_str()) {
            told.note(
                draft.name(),
                "an open task has the same title; it comes all the same",
            );
        }
        let all: Vec<TaskRef> = waits_for.iter().map(|&id| id.into()).collect();
        // What comes later can be waited for only once it is there.
        let is_there = |id: &TaskId| there.contains(id) || board.get(*id).is_some();
        let waits_for = if waits_for.iter().all(is_there) {
            all
        } else {
            edits.push(Command::Edit {
                task: id.into(),
                edit: TaskEdit {
                    waits_for: Some(all),
                    ..TaskEdit::default()
                },
            });
            Vec::new()
        };
        let names = std::mem::take(&mut draft.moved);
        if let Some(new) = new_task(draft, id, waits_for, &mut told) {
            there.insert(id);
            added.push(id);
            for name in names {
                *moved.entry(name).or_default() += 1;
            }
            adds.push(Command::Add(new));
        }
    }
    adds.extend(edits);
    Ok(Plan {
        commands: adds,
        added,
        skipped,
        notes: told.notes,
        moved,
    })
}

/// A draft that has a title: its own, or else the first line of what somebody wrote about it, or else what it is called
/// there.
fn titled(mut draft: Draft, told: &mut Read) -> Option<Draft> {
    if !draft.title.trim().is_empty() {
        return Some(draft);
    }
    let first = draft
        .description
        .lines()
        .find(|line| !line.trim().is_empty());
    let first = first.filter(|line| !is_made_up(line, &draft.moved));
    let what = match (first.map(str::to_owned), draft.key.as_str()) {
        (Some(first), _) => {
            draft.title = first;
            "it had no title: the first line of its description is one now"
        }
        (None, "") => {
            told.note(named_or(&draft, "a task"), "it has no title; left out");
            return None;
        }
        (None, key) => {
            draft.title = format!("Untitled ({key})");
            "it had no title: it is called so now"
        }
    };
    told.note(draft.name(), what);
    Some(draft)
}

/// Whether a line of a description was put there by a reader.
fn is_made_up(line: &str, moved: &[String]) -> bool {
    let word = line.strip_prefix("## ").unwrap_or(line);
    let is = |name: &str| {
        word.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
    };
    is("Imported from") || moved.iter().any(|name| is(name))
}

fn named_or(draft: &Draft, other: &str) -> String {
    let name = draft.name();
    if name.trim().is_empty() {
        other.to_owned()
    } else {
        name
    }
}

/// Gives each draft its id: its own, or one that follows from where it comes from and what it is called, so that the
/// same task gets the same id whenever it is imported.
fn name(
    drafts: &[Draft],
    source: SourceId<'_>,
    again: Again,
    ids: &dyn IdSource,
    told: &mut Read,
) -> Vec<TaskId> {
    let mut used = HashSet::new();
    let mut seen: HashMap<Vec<&str>, usize> = HashMap::new();
    let mut named = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let words = words(draft, source);
        let count = seen.entry(words.clone()).or_default();
        *count += 1;
        let own = draft.id.filter(|id| !used.contains(id));
        if draft.id.is_some() && own.is_none() {
            told.note(
                draft.name(),
                "its id is there twice: this one has a new one",
            );
        }
        let id = match (again, own) {
            (Again::Add, _) => ids.next_id(),
            (Again::Skip, Some(own)) => own,
            (Again::Skip, None) => {
                let count = count.to_string();
                derived(words.into_iter().chain([count.as_str()]))
            }
        };
        used.insert(id);
        named.push(id);
    }
    named
}

/// What makes a task the same one in every import.
fn words<'a>(draft: &'a Draft, source: SourceId<'a>) -> Vec<&'a str> {
    let SourceId { format, place } = source;
    let (key, title) = (draft.key.as_str(), draft.title.as_str());
    // Issues of beads have names that no other has, wherever they are.
    if format == Format::Beads && !key.is_empty() {
        return vec![format.name(), key];
    }
    vec![format.name(), place, &draft.section, key, title]
}

/// An id that is the same for the same words in every run: FNV-1a in 128 bits, stirred, in the shape of version 4. No
/// secret is safe behind it.
fn derived<'a>(words: impl Iterator<Item = &'a str>) -> TaskId {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in words.flat_map(|word| word.bytes().chain([0xff])) {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    }
    // The first characters are what people type: they must depend on all of the words.
    for _ in 0..3 {
        hash ^= hash >> 61;
        hash = hash.wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        hash ^= hash.rotate_left(64);
        hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    }
    hash = hash & !(0xf << 76) | (4 << 76);
    hash = hash & !(0x3 << 62) | (2 << 62);
    TaskId::from_bytes(hash.to_be_bytes())
}

/// What each draft waits for, by id; what is not there is told, and kept in words.
fn waits(
    drafts: &mut [Draft],
    named: &[TaskId],
    board: &Board,
    told: &mut Read,
) -> Vec<Vec<TaskId>> {
    let mut by_key: HashMap<String, TaskId> = HashMap::new();
    for (draft, &id) in drafts.iter().zip(named) {
        if draft.key.is_empty() {
            continue;
        }
        if by_key.contains_key(&draft.key) {
            told.note(
                draft.name(),
                "its name is there twice: what waits for it waits for the first",
            );
        } else {
            by_key.insert(draft.key.clone(), id);
        }
    }
    let mut all = Vec::with_capacity(drafts.len());
    for (draft, &own) in drafts.iter_mut().zip(named) {
        let mut waits_for: Vec<TaskId> = Vec::new();
        let mut missing = Vec::new();
        for key in std::mem::take(&mut draft.waits_for) {
            let on_board = || TaskId::parse(&key).filter(|&id| board.get(id).is_some());
            match by_key.get(&key).copied().or_else(on_board) {
                Some(id) if id == own => told.note(draft.name(), "it waits for itself: left out"),
                Some(id) if waits_for.contains(&id) => {}
                Some(id) => waits_for.push(id),
                None => missing.push(key),
            }
        }
        if !missing.is_empty() {
            let missing = missing.join(", ");
            told.note(
                draft.name(),
                format!("what it waits for is not there: {missing}; kept in its description"),
            );
            let mut description = std::mem::take(&mut draft.description);
            add_fact(&mut description, "Waits for", &missing);
            draft.description = description;
            draft.moved.push("Waits for".to_owned());
        }
        all.push(waits_for);
    }
    all
}

/// Leaves out what would make tasks wait for each other in a cycle.
fn without_cycles(
    drafts: &[Draft],
    named: &[TaskId],
    waits: Vec<Vec<TaskId>>,
    board: &Board,
    told: &mut Read,
) -> Vec<Vec<TaskId>> {
    let titles: HashMap<TaskId, String> = named
        .iter()
        .zip(drafts)
        .map(|(&id, draft)| (id, draft.name()))
        .collect();
    let edges = named.iter().copied().zip(waits.iter().map(Vec::as_slice));
    let suspects = blocked_by_cycles(edges);
    let mut edges: HashMap<TaskId, Vec<TaskId>> = HashMap::new();
    // Those that can't be in a cycle first: the others are looked at edge by edge.
    for (&id, targets) in named.iter().zip(&waits) {
        let kept = targets
            .iter()
            .filter(|target| !(suspects.contains(&id) && suspects.contains(*target)));
        edges.insert(id, kept.copied().collect());
    }
    for (&id, targets) in named.iter().zip(&waits) {
        if !suspects.contains(&id) {
            continue;
        }
        for &target in targets.iter().filter(|target| suspects.contains(*target)) {
            let path = {
                let waits_for = |id: TaskId| {
                    let own = edges.get(&id).map(Vec::as_slice);
                    own.or_else(|| board.get(id).map(|task| task.waits_for.as_slice()))
                        .unwrap_or_default()
                };
                let target = [target];
                find_cycle(id, &target, waits_for).map(|path| path.len())
            };
            let name = |id: &TaskId| titles.get(id).cloned().unwrap_or_default();
            match path {
                None => edges.entry(id).or_default().push(target),
                Some(length) => told.note(
                    name(&id),
                    format!(
                        "waiting for {} would close a cycle of {length}: left out",
                        name(&target)
                    ),
                ),
            }
        }
    }
    // In the order in which they were given.
    let kept = named.iter().zip(waits).map(|(id, targets)| {
        let kept = edges.get(id).cloned().unwrap_or_default();
        targets
            .into_iter()
            .filter(|target| kept.contains(target))
            .collect()
    });
    kept.collect()
}

fn new_task(draft: Draft, id: TaskId, waits_for: Vec<TaskRef>, told: &mut Read) -> Option<NewTask> {
    let name = draft.name();
    let Draft {
        key: _,
        id: _,
        title,
        active_form,
        description,
        status,
        priority,
        waits_for: _,
        subtasks,
        created,
        updated,
        completed,
        assignee,
        next_subtask,
        section: _,
        moved: _,
    } = draft;
    let (title, description) = fitting(&title, description, &name, told)?;
    let active_form = active_form.and_then(|form| {
        let (form, rest) = cut_title(&form);
        if !rest.is_empty() {
            told.note(name.clone(), "its active form was too long: cut");
        }
        Title::parse(&form).ok()
    });
    let done_at = completed.or(updated).filter(|_| status == Status::Done);
    Some(NewTask {
        active_form,
        description,
        status,
        priority,
        waits_for,
        subtasks: numbered(subtasks, &name, told),
        past: Some(Past {
            created,
            updated,
            completed: done_at,
            assignee: assignee.map(|name| SessionName::new(&name)),
            next_subtask,
        }),
        ..NewTask::titled(id, title)
    })
}

/// The subtasks with their numbers; where those are missing or not clear, they are counted.
fn numbered(subtasks: Vec<DraftSubtask>, task: &str, told: &mut Read) -> Vec<Subtask> {
    let mut titled = Vec::with_capacity(subtasks.len());
    for mut subtask in subtasks {
        if subtask.title.trim().is_empty() {
            let first = subtask
                .description
                .lines()
                .find(|line| !line.trim().is_empty());
            let Some(first) = first.map(str::to_owned) else {
                told.note(task, "a subtask has no title; left out");
                continue;
            };
            subtask.title = first;
        }
        titled.push(subtask);
    }
    let numbers: HashSet<u32> = titled
        .iter()
        .filter_map(|subtask| subtask.number)
        .filter(|&number| number > 0)
        .collect();
    let clear = numbers.len() == titled.len();
    let subtasks = (1..).zip(titled).filter_map(|(place, subtask)| {
        let (title, description) = fitting(&subtask.title, subtask.description, task, told)?;
        Some(Subtask {
            number: subtask.number.filter(|_| clear).unwrap_or(place),
            title,
            description,
            status: subtask.status,
        })
    });
    subtasks.collect()
}

/// A title and a description within the limits: what a title can't hold goes into the description.
fn fitting(
    title: &str,
    mut description: String,
    name: &str,
    told: &mut Read,
) -> Option<(Title, Option<Description>)> {
    let (short, rest) = cut_title(title);
    if !rest.is_empty() {
        told.note(
            name,
            format!("its title is longer than {MAX_TITLE_CHARS} characters: the rest is in its description"),
        );
        let gap = if description.is_empty() { "" } else { "\n\n" };
        description = format!("…{rest}{gap}{description}");
    }
    if description.len() > MAX_DESCRIPTION_BYTES {
        let end = (0..=MAX_DESCRIPTION_BYTES - "…".len())
            .rev()
            .find(|&end| description.is_char_boundary(end));
        let lost = description.len() - end.unwrap_or_default();
        description.truncate(end.unwrap_or_default());
        description.push('…');
        told.note(
            name,
            format!("its description is longer than {MAX_DESCRIPTION_BYTES} bytes: the last {lost} did not fit"),
        );
    }
    let Ok(title) = Title::parse(&short) else {
        told.note(name, "it begins with nothing but blanks; left out");
        return None;
    };
    Some((title, Description::parse(&description).unwrap_or_default()))
}

/// What fits a title, and the rest.
fn cut_title(text: &str) -> (String, String) {
    if text.chars().count() <= MAX_TITLE_CHARS {
        return (text.to_owned(), String::new());
    }
    let short: String = text.chars().take(MAX_TITLE_CHARS - 1).collect();
    let rest = text.get(short.len()..).unwrap_or_default().to_owned();
    (short + "…", rest)
}
