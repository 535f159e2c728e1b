//! The history knows what was changed outside, also of tasks that it never saw change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, read, set, write};
use todori_domain::testing::moment;
use todori_domain::{Happening, Status, Store};

use crate::opening::open;

fn file(project: &TempDir, name: &str) -> PathBuf {
    project.path().join(".todori").join(name)
}

#[expect(clippy::disallowed_methods, reason = "this plays the editor")]
fn put(file: &Path, text: impl AsRef<[u8]>) {
    fs::write(file, text).unwrap();
}

/// A project as it is after `git clone`: with a board and without a history.
fn clone() -> TempDir {
    let origin = TempDir::new().unwrap();
    let commands = ["a", "b", "c"].map(add).to_vec();
    write(&open(&origin), &moment(1), commands);
    let project = TempDir::new().unwrap();
    fs::create_dir(project.path().join(".todori")).unwrap();
    fs::copy(file(&origin, "tasks.yaml"), file(&project, "tasks.yaml")).unwrap();
    project
}

fn told(store: &Arc<dyn Store>) -> Vec<(String, Happening, String)> {
    let events = read(store).history.events;
    let told = events.iter().map(|event| {
        let title = event.title().unwrap().as_str().to_owned();
        (event.by.as_str().to_owned(), event.happening(), title)
    });
    told.collect()
}

fn event(by: &str, happening: Happening, title: &str) -> (String, Happening, String) {
    (by.to_owned(), happening, title.to_owned())
}

/// Renames `a`, deletes `b`, and adds a task that is older than everything else.
fn edit(project: &TempDir) {
    let path = file(project, "tasks.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let (start, end) = (
        text.find("  62626262").unwrap(),
        text.find("  63636363").unwrap(),
    );
    let old = text[start..end]
        .replace("62626262", "7a7a7a7a")
        .replace("title: b", "title: old")
        .replace("2026", "2020");
    let text = format!("{}{}{old}", &text[..start], &text[end..]);
    put(&path, text.replace("title: a\n", "title: Renamed\n"));
}

#[test]
fn what_is_changed_in_a_fresh_clone_is_noted() {
    for cold in [false, true] {
        let project = clone();
        let store = open(&project);
        write(&store, &moment(2), vec![add("d")]);
        assert_eq!(
            told(&store),
            [event("tester", Happening::Created, "d")],
            "what was there is no news"
        );
        edit(&project);
        let store = if cold { open(&project) } else { store };
        write(&store, &moment(3), vec![add("e")]);
        let expected = [
            event("tester", Happening::Created, "e"),
            event("file", Happening::Created, "old"),
            event("file", Happening::Deleted, "b"),
            event("file", Happening::Edited, "Renamed"),
            event("tester", Happening::Created, "d"),
        ];
        assert_eq!(told(&store), expected, "cold: {cold}");
    }
}

#[test]
fn a_new_file_of_the_history_begins_with_the_board() {
    let project = TempDir::new().unwrap();
    write(
        &open(&project),
        &moment(1),
        ["a", "b", "c"].map(add).to_vec(),
    );
    let history = file(&project, "history.jsonl");
    let mut text = fs::read_to_string(&history).unwrap();
    let last = text.lines().last().unwrap().to_owned();
    text.push_str(&"{}\n".repeat(4_000_000));
    text.push_str(&format!("{last}\n"));
    put(&history, text);
    let store = open(&project);
    write(&store, &moment(2), vec![add("d")]);
    assert!(!history.exists(), "it was full");
    write(&store, &moment(3), vec![add("e")]);
    let text = fs::read_to_string(&history).unwrap();
    assert_eq!(text.lines().count(), 1 + 4 + 1, "{text}");
    // The older files are not needed any more to tell what was changed outside.
    fs::remove_file(file(&project, "history.1.jsonl")).unwrap();
    edit(&project);
    let store = open(&project);
    write(&store, &moment(4), vec![add("f")]);
    let expected = [
        event("tester", Happening::Created, "f"),
        event("file", Happening::Created, "old"),
        event("file", Happening::Deleted, "b"),
        event("file", Happening::Edited, "Renamed"),
        event("tester", Happening::Created, "e"),
    ];
    assert_eq!(told(&store), expected);
}

#[test]
fn half_a_board_in_the_history_is_not_taken_for_all_of_it() {
    let project = clone();
    write(&open(&project), &moment(2), vec![add("d")]);
    let history = file(&project, "history.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    let without_c: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("\"title\":\"c\""))
        .collect();
    assert_eq!(without_c.len() + 1, text.lines().count());
    put(&history, format!("{}\n", without_c.join("\n")));
    edit(&project);
    let store = open(&project);
    write(&store, &moment(3), vec![add("e")]);
    let told = told(&store);
    assert!(told.contains(&event("file", Happening::Edited, "Renamed")));
    assert!(!told.contains(&event("file", Happening::Created, "c")));
}

#[test]
fn a_task_without_times_is_not_changed_by_a_change_elsewhere() {
    let project = TempDir::new().unwrap();
    fs::create_dir(project.path().join(".todori")).unwrap();
    let by_hand = |title: &str| {
        format!(
            "version: 1\ntasks:\n  61616161-0000-0000-0000-000000000000:\n    title: {title}\n    rank: \"a0\"\n  62626262-0000-0000-0000-000000000000:\n    title: b\n    rank: \"a1\"\n"
        )
    };
    put(&file(&project, "tasks.yaml"), by_hand("a"));
    write(&open(&project), &moment(1), vec![add("c")]);
    let path = file(&project, "tasks.yaml");
    let text = fs::read_to_string(&path).unwrap();
    put(&path, text.replace("title: a\n", "title: Renamed\n"));
    let store = open(&project);
    write(&store, &moment(2), vec![add("d")]);
    let expected = [
        event("tester", Happening::Created, "d"),
        event("file", Happening::Edited, "Renamed"),
        event("tester", Happening::Created, "c"),
    ];
    assert_eq!(told(&store), expected);
}

#[test]
fn what_a_writer_has_not_noted_yet_is_not_taken_for_a_hand_edit() {
    let project = TempDir::new().unwrap();
    let (writer, reader) = (open(&project), open(&project));
    write(&writer, &moment(1), vec![add("a")]);
    let writing = std::thread::spawn(move || {
        for number in 0..150 {
            let status = if number % 2 == 0 {
                Status::Done
            } else {
                Status::Pending
            };
            write(&writer, &moment(2 + number), vec![set("a", status)]);
        }
    });
    let mut outside = 0;
    while !writing.is_finished() {
        let told = read(&reader).history.events;
        outside += told
            .iter()
            .filter(|event| event.by.as_str() == "file")
            .count();
    }
    writing.join().unwrap();
    assert_eq!(outside, 0, "nobody edited the file by hand");
}

fn numbers(store: &Arc<dyn Store>) -> Vec<u64> {
    let events = read(store).history.events;
    events.iter().map(|event| event.number.request).collect()
}

#[test]
fn half_a_line_changes_no_number() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    for (second, name) in (1..).zip(["a", "b", "c"]) {
        write(&store, &moment(second), vec![add(name)]);
    }
    assert_eq!(numbers(&store), [3, 2, 1]);
    let history = file(&project, "history.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    put(&history, &text[..text.len() - 40]);
    let store = open(&project);
    write(&store, &moment(4), vec![add("d")]);
    let events = numbers(&store);
    assert_eq!(
        events.first(),
        Some(&5),
        "what the line told is noted again, as done outside"
    );
    assert_eq!(
        events.last_chunk(),
        Some(&[2, 1]),
        "what came before keeps its numbers"
    );
    assert!(
        !events.contains(&3),
        "nobody else gets the number of the line"
    );
}

#[test]
fn a_history_without_numbers_is_counted() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    for (second, name) in (1..).zip(["a", "b", "c"]) {
        write(&store, &moment(second), vec![add(name)]);
    }
    let history = file(&project, "history.jsonl");
    let mut text = fs::read_to_string(&history).unwrap();
    for number in 1..=3 {
        text = text.replacen(&format!("\"n\":{number},"), "", 1);
    }
    put(&history, text);
    let store = open(&project);
    assert_eq!(numbers(&store), [3, 2, 1]);
    write(&store, &moment(4), vec![add("d")]);
    assert_eq!(numbers(&store), [4, 3, 2, 1]);
}

#[test]
fn a_file_of_the_history_that_is_put_aside_meanwhile_is_not_read_twice() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a")]);
    // As a reader meets it that has opened the first file when another process renames it.
    fs::hard_link(
        file(&project, "history.jsonl"),
        file(&project, "history.1.jsonl"),
    )
    .unwrap();
    assert_eq!(numbers(&store), [1]);
}

#[test]
fn an_absurd_number_in_the_file_does_not_stop_the_count() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    for (second, name) in (1..).zip(["a", "b"]) {
        write(&store, &moment(second), vec![add(name)]);
    }
    let history = file(&project, "history.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    let line = text.lines().last().unwrap();
    let absurd = line.replacen("\"n\":2,", "\"n\":18446744073709551615,", 1);
    put(&history, format!("{text}{absurd}\n"));
    let store = open(&project);
    assert_eq!(numbers(&store), [3, 2, 1]);
    write(&store, &moment(3), vec![add("c")]);
    write(&store, &moment(4), vec![add("d")]);
    assert_eq!(numbers(&store), [5, 4, 3, 2, 1]);
}

#[test]
fn a_line_that_is_no_text_ends_nothing() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a")]);
    let history = file(&project, "history.jsonl");
    let mut bytes = fs::read(&history).unwrap();
    bytes.extend(b"\xff\xfe\n{broken\n");
    put(&history, bytes);
    write(&store, &moment(2), vec![add("b")]);
    // Somebody else finds a change that was made outside, and must know what was there before.
    let path = file(&project, "tasks.yaml");
    let text = fs::read_to_string(&path).unwrap();
    put(&path, text.replace("title: b\n", "title: Renamed\n"));
    let expected = [
        event("file", Happening::Edited, "Renamed"),
        event("tester", Happening::Created, "b"),
        event("tester", Happening::Created, "a"),
    ];
    assert_eq!(told(&open(&project)), expected);
}

#[test]
fn each_task_that_was_changed_outside_is_a_request_of_its_own() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), ["a", "b", "c"].map(add).to_vec());
    edit(&project);
    for store in [&store, &open(&project)] {
        assert_eq!(numbers(store), [4, 3, 2, 1, 1, 1]);
    }
    write(&store, &moment(2), vec![add("d")]);
    assert_eq!(numbers(&store), [5, 4, 3, 2, 1, 1, 1], "and stays it");
}

#[test]
fn a_history_larger_than_any_of_ours_is_read_from_its_end() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a")]);
    let history = file(&project, "history.jsonl");
    let text = fs::read(&history).unwrap();
    // As an older version left it after a large import; what is in the middle takes no room on the disk.
    put(&history, "");
    let file = fs::OpenOptions::new().write(true).open(&history).unwrap();
    file.set_len(70 * 1024 * 1024).unwrap();
    drop(file);
    let mut file = fs::OpenOptions::new().append(true).open(&history).unwrap();
    std::io::Write::write_all(&mut file, &[b"\n", text.as_slice()].concat()).unwrap();
    let created = event("tester", Happening::Created, "a");
    let store = open(&project);
    assert_eq!(told(&store), std::slice::from_ref(&created));
    write(&store, &moment(2), vec![add("b")]);
    let expected = [event("tester", Happening::Created, "b"), created];
    assert_eq!(
        told(&store),
        expected,
        "nor is it forgotten when it is put aside"
    );
}

#[test]
fn half_of_what_was_noted_together_does_not_hide_the_rest() {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    write(&store, &moment(1), vec![add("a"), add("b")]);
    edit_titles(&project, &[("a", "Renamed"), ("b", "Changed")]);
    write(&store, &moment(2), vec![add("c")]);
    // A writer that was killed has noted the first of three requests.
    let history = file(&project, "history.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let kept = lines.len() - 2;
    put(&history, format!("{}\n", lines[..kept].join("\n")));
    let store = open(&project);
    let expected = [
        event("file", Happening::Created, "c"),
        event("file", Happening::Edited, "Changed"),
        event("file", Happening::Edited, "Renamed"),
        event("tester", Happening::Created, "b"),
        event("tester", Happening::Created, "a"),
    ];
    assert_eq!(told(&store), expected);
}

fn edit_titles(project: &TempDir, renamed: &[(&str, &str)]) {
    let path = file(project, "tasks.yaml");
    let mut text = fs::read_to_string(&path).unwrap();
    for (from, to) in renamed {
        text = text.replace(&format!("title: {from}\n"), &format!("title: {to}\n"));
    }
    put(&path, text);
}
