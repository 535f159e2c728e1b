//! Generators for property tests: any text, any task, any board, any list of commands.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{letter, second};
use crate::{
    Board, Command, Description, Item, NewTask, OnDuplicate, Place, Priority, Rank, SessionName,
    Stage, Status, Subtask, SubtaskEdit, SubtaskRef, Task, TaskEdit, TaskId, TaskRef, Title, Which,
};

/// Texts that have broken programs before, and any other.
pub fn text() -> impl Strategy<Value = String> {
    let nasty = select(vec![
        "no",
        "y",
        "~",
        "null",
        "true",
        "1e3",
        "010",
        "1_000",
        "12:30:45",
        "2025-12-14",
        ".inf",
        "=",
        "<<",
        "- a",
        "a: b",
        "a #b",
        "#x",
        "'",
        "\"",
        "\\",
        "%",
        "@",
        "`",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "[",
        "]",
        "{",
        "}",
        ",",
        "?",
        " lead",
        "trail ",
        "\ttab",
        "a\tb",
        "a\nb",
        "a\n",
        "\na",
        "a\n\nb\n",
        "a\r\nb",
        "a\rb",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{fffe}",
        "\u{0}",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{202e}rtl",
        "🔧",
        "---",
        "...",
        "x: y\n  z: w",
        "line\n  indented\n\ttab",
        "  ",
        "key:",
        "日本語",
        "⟦",
        "\"quoted\": yes",
        "a\u{a0}b",
        "{}",
        "[]",
        "-",
        "--",
        "<<<<<<< HEAD",
        ">>>>>>> x",
        "=======",
    ]);
    prop_oneof![
        3 => nasty.prop_map(str::to_owned),
        3 => "[a-zA-Z ,.:#'-]{1,40}",
        2 => "\\PC{1,60}",
        1 => vec(any::<char>(), 1..40).prop_map(|chars| chars.into_iter().collect::<String>()),
        1 => "[ \n\ta-c:#-]{1,80}",
    ]
}

/// Any title.
pub fn title() -> impl Strategy<Value = Title> {
    text().prop_filter_map("blank", |text| Title::parse(&text).ok())
}

/// Any description, now and then a very long one.
pub fn description() -> impl Strategy<Value = Option<Description>> {
    let long = (text(), 1usize..400).prop_map(|(text, times)| {
        let mut text = text.repeat(times);
        while text.len() > 60_000 {
            text.pop();
        }
        text
    });
    option::of(prop_oneof![4 => text(), 1 => long])
        .prop_map(|text| text.and_then(|text| Description::parse(&text).expect("short enough")))
}

/// Any status.
pub fn status() -> impl Strategy<Value = Status> {
    select(&Status::ALL[..])
}

/// Any of the three states.
pub fn stage() -> impl Strategy<Value = Stage> {
    select(&Stage::ALL[..])
}

/// Any priority.
pub fn priority() -> impl Strategy<Value = Priority> {
    select(&Priority::ALL[..])
}

/// One of a few ids, so that tasks meet each other, or any other.
pub fn id() -> impl Strategy<Value = TaskId> {
    let few = select(vec!["a", "b", "c", "d", "e", "f", "g", "h"]).prop_map(letter);
    prop_oneof![4 => few, 1 => any::<[u8; 16]>().prop_map(TaskId::from_bytes)]
}

/// A whole id, a prefix of one, or nonsense.
pub fn reference() -> impl Strategy<Value = TaskRef> {
    prop_oneof![
        6 => id().prop_map(TaskRef::from),
        2 => (id(), 4usize..36).prop_map(|(id, length)| TaskRef::new(id.prefix(length))),
        1 => text().prop_map(TaskRef::new),
    ]
}

fn subtask() -> impl Strategy<Value = (Title, Option<Description>, Status)> {
    (title(), description(), status())
}

fn rank() -> impl Strategy<Value = Rank> {
    "[0-9A-Za-z]{1,4}".prop_map(|text| Rank::parse(&text).expect("a rank"))
}

/// Any task that a board could hold.
pub fn task(id: TaskId) -> impl Strategy<Value = Task> {
    let words = (title(), option::of(title()), description());
    let marks = (status(), priority(), rank(), option::of("[a-z-]{1,12}"));
    let links = (
        vec(super::generate::id(), 0..4),
        vec(subtask(), 0..4),
        0u32..4,
    );
    let times = (
        0i64..1_000_000,
        0i64..1_000_000,
        option::of(0i64..1_000_000),
    );
    (words, marks, links, times).prop_map(move |(words, marks, links, times)| {
        let (title, active_form, description) = words;
        let (status, priority, rank, assignee) = marks;
        let (mut waits_for, parts, spare) = links;
        waits_for.sort_unstable();
        waits_for.dedup();
        let subtasks: Vec<Subtask> = (1u32..)
            .zip(parts)
            .map(|(number, (title, description, status))| Subtask {
                number,
                title,
                description,
                status,
            })
            .collect();
        let next_subtask = u32::try_from(subtasks.len()).expect("few") + 1 + spare;
        Task {
            id,
            title,
            active_form,
            description,
            status,
            priority,
            waits_for,
            subtasks,
            next_subtask,
            assignee: assignee.map(|name| SessionName::new(&name)),
            rank,
            created: second(times.0),
            updated: second(times.1),
            completed: times.2.map(second),
        }
    })
}

/// Any board, cycles and missing dependencies included, as a merge could leave it.
pub fn board(tasks: std::ops::Range<usize>) -> impl Strategy<Value = Board> {
    vec(id().prop_flat_map(task), tasks)
        .prop_map(|tasks| Board::from_tasks(tasks.into_iter().map(Arc::new)))
}

/// Any command; ids of new tasks may be taken already only if `id` gives them twice, which callers never do.
pub fn command() -> impl Strategy<Value = Command> {
    let add = (
        any::<[u8; 16]>(),
        title(),
        description(),
        status(),
        priority(),
        vec(reference(), 0..3),
        select(vec![OnDuplicate::Add, OnDuplicate::Skip]),
    );
    let add = add.prop_map(
        |(id, title, description, status, priority, waits_for, on_duplicate)| {
            let id = TaskId::from_bytes(id);
            Command::Add(NewTask {
                description,
                status,
                priority,
                waits_for,
                on_duplicate,
                ..NewTask::titled(id, title)
            })
        },
    );
    let edit = (
        option::of(title()),
        option::of(option::of(title())),
        option::of(description()),
        option::of(status()),
        option::of(stage()),
        option::of(priority()),
        option::of(vec(reference(), 0..3)),
        vec(reference(), 0..2),
        vec(reference(), 0..2),
    );
    let edit = (reference(), edit).prop_map(|(task, edit)| {
        let (title, active_form, description, status, stage, priority, waits_for, also, no_longer) =
            edit;
        Command::Edit {
            task,
            edit: TaskEdit {
                title,
                active_form,
                description,
                status,
                stage,
                priority,
                waits_for,
                waits_also_for: also,
                waits_no_longer_for: no_longer,
            },
        }
    });
    let number = 1u32..5;
    let subtask_ref = move || {
        (reference(), number.clone()).prop_map(|(task, number)| SubtaskRef { task, number })
    };
    let edit_subtask = (
        option::of(title()),
        option::of(description()),
        option::of(status()),
    );
    let edit_subtask = edit_subtask.prop_map(|(title, description, status)| SubtaskEdit {
        title,
        description,
        status,
    });
    let which = prop_oneof![
        reference().prop_map(Which::Id),
        (0usize..6).prop_map(Which::Place),
        text().prop_map(Which::Title),
    ];
    let place = prop_oneof![
        Just(Place::First),
        Just(Place::Last),
        reference().prop_map(Place::Before),
        reference().prop_map(Place::After),
    ];
    let item = (any::<[u8; 16]>(), title(), option::of(title()), stage());
    let item = item.prop_map(|(id, title, active_form, stage)| Item {
        id: TaskId::from_bytes(id),
        title,
        active_form,
        stage,
    });
    prop_oneof![
        4 => add,
        6 => edit,
        2 => reference().prop_map(|task| Command::Delete { task }),
        2 => (reference(), title(), description())
            .prop_map(|(task, title, description)| Command::AddSubtask { task, title, description }),
        2 => (subtask_ref(), edit_subtask)
            .prop_map(|(subtask, edit)| Command::EditSubtask { subtask, edit }),
        1 => subtask_ref().prop_map(|subtask| Command::DeleteSubtask { subtask }),
        2 => (which, any::<bool>()).prop_map(|(which, completed)| Command::Complete { which, completed }),
        1 => Just(Command::DeleteCompleted),
        2 => (reference(), place).prop_map(|(task, to)| Command::Move { task, to }),
        2 => vec(reference(), 0..5).prop_map(|order| Command::Reorder { order, new: Vec::new() }),
        1 => vec(item, 0..5).prop_map(|items| Command::Replace { items }),
    ]
}

/// Commands that mostly hit: references are replaced by tasks that exist by then, as far as there are any.
pub fn commands(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Command>> {
    vec((command(), any::<Index>(), any::<bool>()), length).prop_map(|drawn| {
        let mut added: Vec<TaskId> = Vec::new();
        let mut commands = Vec::new();
        for (mut command, place, hit) in drawn {
            if hit && !added.is_empty() {
                aim(&mut command, TaskRef::from(added[place.index(added.len())]));
            }
            match &mut command {
                Command::Add(new) => added.push(new.id),
                // Any order of what could be there: refused where something is not, as it should be.
                Command::Reorder { order, .. } if hit => {
                    let turn = place.index(added.len().max(1));
                    order.clear();
                    order.extend(
                        added
                            .iter()
                            .cycle()
                            .skip(turn)
                            .take(added.len())
                            .map(|&id| TaskRef::from(id)),
                    );
                }
                Command::Reorder { .. }
                | Command::Edit { .. }
                | Command::Delete { .. }
                | Command::AddSubtask { .. }
                | Command::EditSubtask { .. }
                | Command::DeleteSubtask { .. }
                | Command::Complete { .. }
                | Command::DeleteCompleted
                | Command::Move { .. }
                | Command::Replace { .. } => {}
            }
            commands.push(command);
        }
        commands
    })
}

fn aim(command: &mut Command, at: TaskRef) {
    match command {
        Command::Add(new) => new.waits_for = vec![at],
        Command::Edit { task, .. }
        | Command::Delete { task }
        | Command::Move { task, .. }
        | Command::AddSubtask { task, .. } => {
            *task = at;
        }
        Command::EditSubtask { subtask, .. } | Command::DeleteSubtask { subtask } => {
            subtask.task = at;
        }
        Command::Complete { which, .. } => *which = Which::Id(at),
        Command::DeleteCompleted | Command::Reorder { .. } | Command::Replace { .. } => {}
    }
}
