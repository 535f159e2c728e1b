//! Properties of the file format: whatever is written is read back, by both readers alike, and what a change does not
//! touch stays as it is, byte for byte.

use std::sync::Arc;

use proptest::prelude::*;
use todori_domain::testing::generate::{self, board, commands};
use todori_domain::testing::{letter, moment, task as plain_task};
use todori_domain::{
    Board, Change, Command, NobodyElse, Rank, Status, TaskEdit, Timestamp, decide,
};

use super::blocks::Loaded;
use super::{document, emit, other_layouts, quick, syntax};

const WRITTEN: Timestamp = Timestamp::UNIX_EPOCH;

fn file(board: &Board) -> String {
    let mut text = String::from("version: 1\n");
    text.push_str(if board.is_empty() {
        "tasks: {}\n"
    } else {
        "tasks:\n"
    });
    board.by_id().for_each(|task| emit::task(&mut text, task));
    text
}

fn read(text: &str) -> Loaded {
    Loaded::read(text.to_owned(), WRITTEN).unwrap_or_else(|fault| panic!("{fault:?} in\n{text}"))
}

fn change(loaded: &mut Loaded, commands: &[Command], at: i64) -> bool {
    let Ok(decision) = decide(&loaded.board, commands, &moment(at), &NobodyElse) else {
        return false;
    };
    if decision.change.is_empty() {
        return false;
    }
    let plan = loaded
        .plan(
            &decision.change,
            &decision.board,
            &std::collections::BTreeMap::new(),
        )
        .expect("every change can be written");
    loaded.apply(plan, decision.board);
    true
}

fn full(text: &str) -> Result<Vec<todori_domain::Task>, syntax::Fault> {
    other_layouts::read(text, WRITTEN)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn both_readers_read_back_any_task(task in generate::id().prop_flat_map(generate::task)) {
        let mut text = String::new();
        emit::task(&mut text, &task);
        prop_assert_eq!(quick::read(&text, &mut String::new()), Some(task.clone()), "{}", text);
        let tree = syntax::parse(&text).unwrap().unwrap();
        let syntax::Kind::Map { entries, .. } = tree.kind else { panic!("a mapping") };
        prop_assert_eq!(document::task(task.id, &entries[0].value, WRITTEN).unwrap(), task, "{}", text);
    }

    #[test]
    fn any_changes_leave_the_file_as_it_would_be_written_anew(start in board(0..8), commands in commands(1..12)) {
        let mut loaded = read(&file(&start));
        for (at, command) in (0..).zip(commands) {
            change(&mut loaded, &[command], at);
            prop_assert_eq!(&loaded.text, &file(&loaded.board));
            let again = read(&loaded.text);
            prop_assert_eq!(&again.board, &loaded.board);
            prop_assert_eq!(format!("{again:?}"), format!("{loaded:?}"));
        }
    }

    #[test]
    fn reading_a_difference_comes_to_the_same_as_reading_all(
        before in board(0..8),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
        insert in prop_oneof![
            "[ \n#a-z:0-9-]{0,60}".boxed(),
            "[ \n\r#a-c:|>+]{0,20}".boxed(),
            Just("    x: |+\n      y\n\n\n".to_owned()).boxed(),
            generate::id().prop_flat_map(generate::task).prop_map(|task| {
                let mut text = String::new();
                emit::task(&mut text, &task);
                text
            }).boxed(),
        ],
    ) {
        let old = file(&before);
        let loaded = read(&old);
        let mut ends = [cut.0.index(old.len() + 1), cut.1.index(old.len() + 1)];
        ends.sort_unstable();
        let boundary = |mut at: usize| { while !old.is_char_boundary(at) { at -= 1; } at };
        let new = format!("{}{insert}{}", &old[..boundary(ends[0])], &old[boundary(ends[1])..]);
        let again = loaded.read_again(new.clone(), WRITTEN);
        let whole = Loaded::read(new.clone(), WRITTEN);
        match (again, whole) {
            (Ok(again), Ok(whole)) => {
                prop_assert_eq!(&again.board, &whole.board);
                prop_assert_eq!(format!("{again:?}"), format!("{whole:?}"));
                let tasks = full(&new).unwrap().into_iter().map(Arc::new);
                prop_assert_eq!(Board::from_tasks(tasks), (*whole.board).clone(), "the full reader agrees");
            }
            (Err(again), Err(whole)) => prop_assert_eq!(again, whole),
            (again, whole) => prop_assert!(false, "{again:?} but {whole:?}"),
        }
    }

    #[test]
    fn swapping_whole_tasks_is_read_as_a_difference(before in board(2..8), after in board(2..8)) {
        // Two files that share some tasks, as two branches do.
        let mixed = Board::from_tasks(before.by_id().take(3).chain(after.by_id().skip(1)).cloned());
        let loaded = read(&file(&before));
        let again = loaded.read_again(file(&mixed), WRITTEN).unwrap();
        prop_assert_eq!(&*again.board, &mixed);
    }

    #[test]
    fn what_people_added_survives_any_change(
        start in board(1..6),
        noise in prop::collection::vec((any::<prop::sample::Index>(), 0usize..9), 1..6),
        frame in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        commands in commands(1..8),
    ) {
        let mut lines: Vec<String> = file(&start).lines().map(|line| format!("{line}\n")).collect();
        let mut kept = Vec::new();
        for (number, (place, kind)) in noise.into_iter().enumerate() {
            // Only where a field begins: elsewhere it would be part of a text.
            let fields: Vec<usize> = (0..lines.len())
                .filter(|&at| {
                    lines[at].starts_with("    status: ") || lines[at].starts_with("    priority: ")
                })
                .collect();
            let at = fields[place.index(fields.len())];
            // Beside a field, which may change.
            if kind == 7 {
                let beside = format!("{}  # beside {number}\n", lines[at].trim_end());
                kept.push((owner(&lines, at), format!("# beside {number}")));
                lines[at] = beside;
                continue;
            }
            let (text, mark) = match kind {
                0 => (format!("    # remark {number}\n"), format!("# remark {number}")),
                1 => (format!("    x_{number}: 010\n"), format!("x_{number}: 010")),
                2 => (format!("    x_{number}:\n      - {{a: 1.10, b: no}}\n"), "{a: 1.10, b: no}".to_owned()),
                3 => (format!("    x_{number}: |\n      # text {number}\n\n      more\n"), format!("# text {number}\n\n      more")),
                4 => (format!("    'odd {number}': \"q: \\t\"  # why\n"), format!("'odd {number}': \"q: \\t\"  # why")),
                5 => (format!("  # above {number}\n"), String::new()),
                6 => (format!("    x_{number}: |\n      blanks\n         \n      more\n"), "blanks\n         \n      more".to_owned()),
                _ => ("\n".to_owned(), String::new()),
            };
            if !mark.is_empty() {
                let id = owner(&lines, at);
                kept.push((id, mark));
            }
            lines.insert(at, text);
        }
        let (windows, unended, remarked, unversioned) = frame;
        let mut frame = vec!["# at the end".to_owned(), "team: us  # and them".to_owned()];
        lines.push("# at the end\nteam: us  # and them\n".to_owned());
        if remarked {
            lines[1] = "tasks:   # all of them\n".to_owned();
            frame.push("   # all of them\n".to_owned());
        }
        if unversioned {
            lines[0] = "# no version\n".to_owned();
            frame.push("# no version\n".to_owned());
        }
        let mut text: String = lines.concat();
        if unended {
            text.pop();
        }
        if windows {
            text = text.replace('\n', "\r\n");
        }
        let mut loaded = read(&text);
        prop_assert!(loaded.is_ours());
        prop_assert_eq!(loaded.bytes(), text.as_bytes());
        prop_assert_eq!(&*loaded.board, &start);
        for (at, command) in (0..).zip(commands) {
            let before = loaded.clone();
            let changed = change(&mut loaded, &[command], at);
            let bytes = String::from_utf8(loaded.bytes().to_vec()).unwrap();
            let again = read(&bytes);
            prop_assert_eq!(&again.board, &loaded.board);
            prop_assert_eq!(&again.text, &loaded.text);
            if changed {
                prop_assert!(bytes.ends_with('\n'));
                prop_assert_eq!(bytes.matches("\r\n").count(), if windows { bytes.matches('\n').count() } else { 0 });
            }
            for mark in &frame {
                prop_assert!(loaded.text.contains(mark.as_str()), "{mark} is lost from\n{}\nto\n{}", before.text, loaded.text);
            }
            for (id, mark) in &kept {
                if loaded.board.by_id().any(|task| task.id.to_string() == *id) {
                    prop_assert!(loaded.text.contains(mark.as_str()), "{mark} is lost from\n{}\nto\n{}", before.text, loaded.text);
                }
            }
            // Tasks that did not change keep every byte.
            for task in before.board.by_id().filter(|task| loaded.board.get(task.id) == Some(task)) {
                let block = block_of(&before.text, &task.id.to_string());
                prop_assert!(loaded.text.contains(block), "{block}\nis not in\n{}", loaded.text);
            }
        }
    }
}

/// The id of the task that a line belongs to.
fn owner(lines: &[String], at: usize) -> String {
    let heads = lines[..at].iter().rev();
    let head = heads
        .into_iter()
        .find(|line| line.starts_with("  ") && !line.starts_with("   ") && !line.contains('#'));
    head.unwrap().trim().trim_end_matches(':').to_owned()
}

/// The lines of one task, from its id to the last that is indented deeper.
fn block_of<'a>(text: &'a str, id: &str) -> &'a str {
    let start = text.find(&format!("  {id}:")).unwrap();
    let mut end = start;
    let mut last = start;
    for (place, line) in text[start..].split_inclusive('\n').enumerate() {
        if place > 0
            && !line.starts_with("   ")
            && line != "\n"
            && !line.trim_start().starts_with('#')
        {
            break;
        }
        end += line.len();
        if line != "\n" && line.starts_with("   ") || place == 0 {
            last = end;
        }
    }
    &text[start..last]
}

fn set(name: &str, status: Status) -> Command {
    let edit = TaskEdit {
        status: Some(status),
        ..TaskEdit::default()
    };
    Command::Edit {
        task: letter(name).into(),
        edit,
    }
}

#[test]
fn the_file_looks_as_documented() {
    let mut task = plain_task("a");
    task.title = todori_domain::Title::parse("fix: the #1 thing").unwrap();
    task.waits_for = vec![letter("b")];
    task.rank = Rank::parse("a3").unwrap();
    let board = Board::from_tasks([Arc::new(task)]);
    assert_eq!(
        file(&board),
        "version: 1
tasks:
  61616161-0000-0000-0000-000000000000:
    created: 2026-11-15T07:00:00.000Z
    title: \"fix: the #1 thing\"
    status: pending
    priority: medium
    rank: \"a3\"
    dependencies:
      - 62626262-0000-0000-0000-000000000000
    updated: 2026-11-15T07:00:00.000Z
"
    );
}

#[test]
fn a_task_written_by_hand_needs_a_title_only() {
    let text =
        "version: 1\ntasks:\n  61616161-0000-0000-0000-000000000000:\n    title: By hand  # mine\n";
    let mut loaded = read(text);
    assert!(change(&mut loaded, &[set("a", Status::Done)], 5));
    assert_eq!(
        loaded.text,
        "version: 1
tasks:
  61616161-0000-0000-0000-000000000000:
    created: 1970-01-01T00:00:00.000Z
    title: By hand  # mine
    status: done
    priority: medium
    completed: 2026-11-15T07:00:05.000Z
    updated: 2026-11-15T07:00:05.000Z
"
    );
}

#[test]
fn the_older_layout_is_read_and_written_in_ours() {
    let text = "# ours
version: \"1.0\"
project: demo
tasks:
  - id: 62626262-0000-0000-0000-000000000000
    title: Second
    description: |
      two
      lines
    status: in-progress
    priority: high
    dependencies: [\"61616161-0000-0000-0000-000000000000\"]
    subtasks:
      - id: 62626262-0000-0000-0000-000000000000.2
        title: Subtask
        status: done
        effort: 010
    tags: [a, b]   # keep
    metadata:
      created: 2025-12-14T12:00:00Z
      updated: 2025-12-14T12:00:00Z
      estimate: 1.10
  - {id: 61616161-0000-0000-0000-000000000000, title: First, status: done, colour: no, metadata: {created: 2025-12-13T12:00:00Z, updated: 2025-12-13T12:00:00Z}}
";
    let mut loaded = read(text);
    assert_eq!(loaded.board.len(), 2);
    assert!(change(&mut loaded, &[set("b", Status::Done)], 5));
    assert_eq!(
        loaded.text,
        "# ours
version: 1
project: demo
tasks:
  61616161-0000-0000-0000-000000000000:
    created: 2025-12-13T12:00:00.000Z
    title: First
    status: done
    priority: medium
    updated: 2025-12-13T12:00:00.000Z
    colour: no
  62626262-0000-0000-0000-000000000000:
    created: 2025-12-14T12:00:00.000Z
    title: Second
    description: |
      two
      lines
    status: done
    priority: high
    dependencies: [\"61616161-0000-0000-0000-000000000000\"]
    subtasks:
      - id: 62626262-0000-0000-0000-000000000000.2
        title: Subtask
        status: done
        effort: 010
    next_subtask: 3
    completed: 2026-11-15T07:00:05.000Z
    updated: 2026-11-15T07:00:05.000Z
    tags: [a, b]   # keep
    metadata:
      estimate: 1.10
"
    );
    assert_eq!(read(&loaded.text).board, loaded.board);
}

fn check_fault(text: &str, expected: &str) {
    let fault = Loaded::read(text.to_owned(), WRITTEN).expect_err(text);
    assert_eq!(format!("{}: {}", fault.at, fault.reason), expected);
}

#[test]
fn faults_say_where_and_what() {
    let id = "61616161-0000-0000-0000-000000000000";
    let head = format!("version: 1\ntasks:\n  {id}:\n");
    check_fault(
        &format!("{head}    status: pending\n"),
        "line 4, column 5: this task has no title",
    );
    check_fault(
        &format!("{head}    title: a\n    status: started\n"),
        "line 5, column 13: a status is one of pending, in-progress, blocked, done, deferred, cancelled",
    );
    check_fault(
        &format!("{head}    title: a\n    title: b\n"),
        "line 5, column 5: the key title stands here twice",
    );
    check_fault(
        &format!("{head}    title: a\n  {id}:\n    title: b\n"),
        &format!("line 5, column 3: the key {id} stands here twice"),
    );
    check_fault(
        &format!("{head}<<<<<<< HEAD\n    title: a\n=======\n    title: b\n>>>>>>> other\n"),
        "line 4, column 1: a merge conflict was not resolved here",
    );
    check_fault(
        "version: 1\ntasks:\n  my-task:\n    title: a\n",
        "line 3, column 3: expected the id of a task, which is a UUID",
    );
    check_fault(
        "version: 2\ntasks: {}\n",
        "line 1, column 10: this version of todori reads version 1; a newer one wrote this file",
    );
    check_fault(
        "just words\n",
        "line 1, column 1: expected `version: 1` and `tasks:` at the top of the file",
    );
    check_fault(
        &format!("{head}    title: &a x\n"),
        "line 4, column 15: an anchor (&), which is not allowed here",
    );
    check_fault(
        &format!("{head}    title: !!str x\n"),
        "line 4, column 18: a tag (!), which is not allowed here",
    );
    check_fault(
        &format!("{head}    title: x\n---\na: b\n"),
        "line 5, column 1: a second document",
    );
    for broken in [
        format!("{head}\ttitle: a\n"),
        format!("{head}    title: \"a\n"),
        format!("{head}    title: [a\n"),
    ] {
        assert!(Loaded::read(broken.clone(), WRITTEN).is_err(), "{broken}");
    }
}

#[test]
fn bombs_are_refused_quickly() {
    for bomb in ["[", "{", "- ", "? ", "! ", "&a ", ": ", "\"", "a: &a [*a, "] {
        let text = bomb.repeat(1_000_000 / bomb.len());
        assert!(Loaded::read(text, WRITTEN).is_err(), "{bomb}");
    }
    let laughs = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nversion: 1\ntasks: *b\n";
    assert!(Loaded::read(laughs.to_owned(), WRITTEN).is_err());
}

#[test]
fn an_empty_file_is_an_empty_board() {
    for text in [
        "",
        "\n",
        "# nothing yet\n",
        "version: 1\n",
        "version: 1\ntasks:\n",
        "tasks: []\n",
        "{}\n",
    ] {
        let mut loaded = read(text);
        assert!(loaded.board.is_empty());
        let add = todori_domain::testing::conformance::add("a");
        assert!(change(&mut loaded, &[add], 1), "{text}");
        assert_eq!(read(&loaded.text).board.len(), 1, "{text}");
    }
}

#[test]
fn deleting_the_last_task_leaves_a_valid_file() {
    let mut loaded = read(&file(&Board::from_tasks([Arc::new(plain_task("a"))])));
    assert!(change(
        &mut loaded,
        &[Command::Delete {
            task: letter("a").into()
        }],
        1
    ));
    assert_eq!(loaded.text, "version: 1\ntasks: {}\n");
    assert!(read(&loaded.text).board.is_empty());
    assert!(Change::default().is_empty());
}
