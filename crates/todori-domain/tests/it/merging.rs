//! Two branches of one board, brought together.

use std::sync::Arc;

use proptest::prelude::*;
use todori_domain::testing::generate::commands;
use todori_domain::testing::{letter, moment, name_of};
use todori_domain::{
    Board, Command, Disagreement, Graph, NobodyElse, Status, SubtaskEdit, TaskEdit, Title, decide,
    merge,
};

fn after(board: &Arc<Board>, commands: &[Command], at: i64) -> Arc<Board> {
    let mut board = Arc::clone(board);
    for command in commands {
        if let Ok(decision) = decide(
            &board,
            std::slice::from_ref(command),
            &moment(at),
            &NobodyElse,
        ) {
            board = decision.board;
        }
    }
    board
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_one_branch_did_alone_is_taken_as_it_is(before in commands(1..12), then in commands(1..12)) {
        let base = after(&Arc::new(Board::default()), &before, 1);
        let changed = after(&base, &then, 2);
        prop_assert_eq!(&merge(&base, &changed, &base).board, &*changed);
        prop_assert_eq!(&merge(&base, &base, &changed).board, &*changed);
        prop_assert_eq!(&merge(&base, &changed, &changed).board, &*changed);
    }

    #[test]
    fn any_two_branches_make_a_sound_board(
        before in commands(1..12),
        ours in commands(1..12),
        theirs in commands(1..12),
    ) {
        let base = after(&Arc::new(Board::default()), &before, 1);
        let (ours, theirs) = (after(&base, &ours, 2), after(&base, &theirs, 3));
        let merged = merge(&base, &ours, &theirs).board;
        for task in merged.by_id() {
            prop_assert!(task.waits_for.iter().all(|&id| merged.get(id).is_some()));
            prop_assert_eq!(task.completed.is_some(), task.status == Status::Done);
            let mut numbers: Vec<u32> = task.subtasks.iter().map(|subtask| subtask.number).collect();
            prop_assert!(numbers.iter().all(|&number| number < task.next_subtask));
            numbers.dedup();
            prop_assert_eq!(numbers.len(), task.subtasks.len());
        }
        let edges = merged.by_id().map(|task| (task.id, task.waits_for.clone()));
        prop_assert!(Graph::new(edges).longest_chain() < merged.len().max(1), "no cycles");
        // Whatever either branch added is there.
        for task in ours.by_id().chain(theirs.by_id()).filter(|task| base.get(task.id).is_none()) {
            prop_assert!(merged.get(task.id).is_some());
        }
    }
}

fn edit(name: &str, set: impl FnOnce(&mut TaskEdit)) -> Command {
    let mut edit = TaskEdit::default();
    set(&mut edit);
    let task = letter(name).into();
    Command::Edit { task, edit }
}

fn board(names: &str) -> Arc<Board> {
    let add = |name: &str| {
        let title = Title::parse(name).unwrap();
        Command::Add(todori_domain::NewTask::titled(letter(name), title))
    };
    let commands: Vec<Command> = names.split_whitespace().map(add).collect();
    after(&Arc::new(Board::default()), &commands, 1)
}

/// Each task with its title, status and description where they are not the usual ones, and then the notes.
fn check(names: &str, ours: &[Command], theirs: &[Command], expected: &str) {
    let base = board(names);
    let merged = merge(&base, &after(&base, ours, 2), &after(&base, theirs, 3));
    let show = |task: &Arc<todori_domain::Task>| {
        let mut told = name_of(task.id);
        if task.title.as_str() != told {
            told.push_str(&format!("={}", task.title.as_str()));
        }
        if task.status != Status::Pending {
            told.push_str(&format!(" {}", task.status.as_str()));
        }
        if let Some(text) = &task.description {
            told.push_str(&format!(" {:?}", text.as_str()));
        }
        if !task.waits_for.is_empty() {
            told.push('>');
        }
        told
    };
    let mut told: Vec<String> = merged.board.in_order().map(show).collect();
    told.extend(merged.notes.iter().map(|note| match note.kind {
        Disagreement::Field(name) => format!("{name} of {}", name_of(note.task)),
        Disagreement::KeptThoughDeleted => format!("kept {}", name_of(note.task)),
        Disagreement::SubtaskRenumbered => format!("renumbered in {}", name_of(note.task)),
        Disagreement::OthersFields => format!("others' fields of {}", name_of(note.task)),
        Disagreement::CycleBroken => format!("cycle at {}", name_of(note.task)),
    }));
    assert_eq!(told.join(", "), expected);
}

fn title(name: &str, new: &str) -> Command {
    edit(name, |edit| edit.title = Some(Title::parse(new).unwrap()))
}

fn status(name: &str, status: Status) -> Command {
    edit(name, |edit| edit.status = Some(status))
}

fn wait(name: &str, other: &str) -> Command {
    edit(name, |edit| {
        edit.waits_also_for = vec![letter(other).into()];
    })
}

#[test]
fn different_fields_of_one_task_come_together() {
    check(
        "a",
        &[title("a", "x")],
        &[status("a", Status::Done)],
        "a=x done",
    );
}

#[test]
fn where_both_changed_the_same_the_later_counts_and_words_are_kept() {
    check(
        "a",
        &[status("a", Status::Blocked)],
        &[status("a", Status::Done)],
        "a done, status of a",
    );
    check(
        "a",
        &[title("a", "x")],
        &[title("a", "y")],
        "a=y \"From the other branch:\\nx\", title of a",
    );
}

#[test]
fn what_one_deleted_stays_if_the_other_changed_it() {
    let delete = |name: &str| Command::Delete {
        task: letter(name).into(),
    };
    check("a b", &[delete("a")], &[title("b", "x")], "b=x");
    check("a b", &[delete("a")], &[title("a", "x")], "a=x, b, kept a");
}

#[test]
fn subtasks_that_both_added_under_one_number_are_both_kept() {
    let add = |name: &str| Command::AddSubtask {
        task: letter("a").into(),
        title: Title::parse(name).unwrap(),
        description: None,
    };
    let base = board("a");
    let merged = merge(
        &base,
        &after(&base, &[add("x")], 2),
        &after(&base, &[add("y")], 3),
    );
    let subtasks = &merged.board.get(letter("a")).unwrap().subtasks;
    let told: Vec<_> = subtasks
        .iter()
        .map(|subtask| (subtask.number, subtask.title.as_str()))
        .collect();
    assert_eq!(told, [(1, "x"), (2, "y")]);
    assert_eq!(merged.notes[0].kind, Disagreement::SubtaskRenumbered);
}

#[test]
fn a_subtask_that_both_changed_is_merged_field_by_field() {
    let subtask = || todori_domain::SubtaskRef {
        task: letter("a").into(),
        number: 1,
    };
    let add = Command::AddSubtask {
        task: letter("a").into(),
        title: Title::parse("x").unwrap(),
        description: None,
    };
    let base = after(&board("a"), &[add], 1);
    let change = |edit| Command::EditSubtask {
        subtask: subtask(),
        edit,
    };
    let titled = |title| SubtaskEdit {
        title: Some(Title::parse(title).unwrap()),
        ..SubtaskEdit::default()
    };
    let done = SubtaskEdit {
        status: Some(Status::Done),
        ..SubtaskEdit::default()
    };
    let check = |ours: SubtaskEdit, theirs: SubtaskEdit, expected: (&str, Status, Option<&str>)| {
        let (ours, theirs) = (
            after(&base, &[change(ours)], 2),
            after(&base, &[change(theirs)], 3),
        );
        let merged = merge(&base, &ours, &theirs).board;
        let subtask = &merged.get(letter("a")).unwrap().subtasks[0];
        let text = subtask
            .description
            .as_ref()
            .map(todori_domain::Description::as_str);
        assert_eq!((subtask.title.as_str(), subtask.status, text), expected);
    };
    check(titled("y"), done.clone(), ("y", Status::Done, None));
    check(done, titled("y"), ("y", Status::Done, None));
    let both = ("z", Status::Pending, Some("From the other branch:\ny"));
    check(titled("y"), titled("z"), both);
}

#[test]
fn a_cycle_that_neither_had_is_broken() {
    check(
        "a b",
        &[wait("a", "b")],
        &[wait("b", "a")],
        "a, b>, cycle at a",
    );
}
