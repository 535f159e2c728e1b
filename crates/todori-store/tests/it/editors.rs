//! Editors that save in place: they empty the file and write it anew, piece by piece. What is there in between is nothing
//! to decide on, and what comes after the file was replaced is not lost.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, delete, read, titles, work, write};
use todori_domain::testing::{block_on, letter, moment};
use todori_domain::{BoardKey, Store, StoreError};

use crate::opening::open;

fn file(project: &TempDir) -> PathBuf {
    project.path().join(".todori/tasks.yaml")
}

fn text(project: &TempDir) -> String {
    fs::read_to_string(file(project)).unwrap()
}

fn project_with(names: &[&str]) -> TempDir {
    let project = TempDir::new().unwrap();
    let store = open(&project);
    for name in names {
        write(&store, &moment(1), vec![add(name)]);
    }
    project
}

fn try_add(store: &Arc<dyn Store>, name: &str) -> Result<String, StoreError> {
    let now = moment(2);
    let added = store.transact(&BoardKey::Project, &now, work(&now, vec![add(name)]));
    block_on(added).map(|outcome| titles(&outcome.board))
}

/// An editor that has the file open and has not begun to save.
struct Editor(File);

impl Editor {
    fn on(project: &TempDir) -> Self {
        let mut options = OpenOptions::new();
        Self(options.read(true).write(true).open(file(project)).unwrap())
    }

    fn begin(&mut self, piece: &str) {
        self.0.set_len(0).unwrap();
        self.0.seek(SeekFrom::Start(0)).unwrap();
        self.0.write_all(piece.as_bytes()).unwrap();
    }

    fn end(mut self, piece: &str) {
        self.0.write_all(piece.as_bytes()).unwrap();
    }
}

/// Where the last task begins.
fn middle(text: &str) -> usize {
    let is_task = |line: &str| line.starts_with("  ") && !line.starts_with("   ");
    let last = text.lines().rfind(|line| is_task(line)).unwrap();
    text.find(last).unwrap()
}

#[test]
fn half_a_file_is_not_decided_on_and_not_shown() {
    // Both a file that only lost its tail and one that differs from the first line on; both are boards.
    for head in ["", "# mine\n"] {
        let project = project_with(&["a", "b"]);
        let stores = [open(&project), open(&project)];
        for store in &stores {
            assert_eq!(titles(&read(store).board), "a b");
        }
        let whole = text(&project);
        let (first, second) = whole.split_at(middle(&whole));
        let mut editor = Editor::on(&project);
        editor.begin(&format!("{head}{first}"));
        assert_eq!(
            titles(&read(&stores[1]).board),
            "a b",
            "the last that was whole"
        );
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| try_add(&stores[0], "c"));
            editor.end(&format!("{second}    estimate: 3 # days\n# the end\n"));
            assert_eq!(waiting.join().unwrap().unwrap(), "a b c");
        });
        let now = text(&project);
        assert!(
            now.starts_with(head) && now.contains("    estimate: 3 # days\n"),
            "{now}"
        );
        assert!(now.contains("# the end\n"), "{now}");
    }
}

#[test]
fn what_is_written_to_a_file_that_was_replaced_is_merged_by_whoever_comes_next() {
    let project = project_with(&["a", "b"]);
    let store = open(&project);
    let before = text(&project);
    let mut editor = Editor::on(&project);
    // Twice, so that it is not the last one that was replaced.
    assert_eq!(try_add(&store, "c").unwrap(), "a b c");
    assert_eq!(try_add(&store, "d").unwrap(), "a b c d");
    let typed = before.replace("title: a\n", "title: Renamed # why\n    estimate: 3\n");
    let typed = format!("{typed}# the end\n");
    editor.begin(&typed[..40]);
    assert_eq!(
        try_add(&store, "e").unwrap(),
        "a b c d e",
        "it is only begun"
    );
    editor.end(&typed[40..]);
    // By a process that knows nothing of it.
    let other = open(&project);
    assert_eq!(try_add(&other, "f").unwrap(), "Renamed b c d e f");
    let now = text(&project);
    assert!(
        now.contains("title: Renamed # why\n    estimate: 3\n"),
        "{now}"
    );
    assert!(now.contains("# the end\n"), "{now}");
    // It is in the history as what it is.
    let events = read(&other).history.events;
    let by_file = |event: &&todori_domain::Event| event.by.as_str() == "file";
    let told: Vec<_> = events
        .iter()
        .filter(by_file)
        .map(|event| event.title().unwrap().as_str())
        .collect();
    assert_eq!(told, ["Renamed"]);
    // And it is merged once.
    assert_eq!(
        try_add(&open(&project), "g").unwrap(),
        "Renamed b c d e f g"
    );
}

#[test]
fn what_is_written_to_a_file_that_was_replaced_wakes_those_who_wait() {
    let project = project_with(&["a"]);
    let store = open(&project);
    let before = text(&project);
    let mut editor = Editor::on(&project);
    assert_eq!(try_add(&store, "b").unwrap(), "a b");
    let revision = read(&store).revision;
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| block_on(store.wait_past(&BoardKey::Project, revision)));
        editor.begin("");
        editor.end(&before.replace("title: a\n", "title: Renamed\n"));
        assert!(waiting.join().unwrap().unwrap() > revision);
    });
    assert_eq!(titles(&read(&store).board), "Renamed b");
}

#[test]
fn a_file_that_is_emptied_after_it_was_replaced_takes_nothing_away() {
    let project = project_with(&["a", "b"]);
    let store = open(&project);
    let whole = text(&project);
    let mut editor = Editor::on(&project);
    assert_eq!(try_add(&store, "c").unwrap(), "a b c");
    for piece in ["", &whole[..middle(&whole)], "tasks: ["] {
        editor.begin(piece);
        write(&store, &moment(3), vec![add(&format!("d{}", piece.len()))]);
        assert!(titles(&read(&store).board).starts_with("a b c d"));
    }
    drop(editor);
    write(&store, &moment(3), vec![add("e")]);
    assert!(titles(&read(&store).board).ends_with(" e"));
}

#[test]
fn who_keeps_writing_is_waited_for_and_then_told_of() {
    let project = project_with(&["a", "b"]);
    let store = open(&project);
    read(&store);
    let mut editor = Editor::on(&project);
    editor.begin("# mine\nversion: 1\ntasks: {}\n");
    let refused = try_add(&store, "c").unwrap_err();
    let StoreError::NotApplied { reason } = &refused else {
        panic!("{refused}");
    };
    assert!(
        reason.contains("still writing .todori/tasks.yaml"),
        "{reason}"
    );
    assert_eq!(
        titles(&read(&store).board),
        "a b",
        "the last that was whole"
    );
}

#[test]
fn what_is_kept_is_bounded_and_git_does_not_see_it() {
    let project = project_with(&["a"]);
    let store = open(&project);
    for number in 0..300 {
        write(&store, &moment(2), vec![add(&format!("t{number}"))]);
    }
    let kept = fs::read_dir(project.path().join(".todori/replaced")).unwrap();
    assert!(kept.count() <= 2 * 257 + 1);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let run = git.current_dir(project.path()).args(arguments).output();
        String::from_utf8(run.unwrap().stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    assert_eq!(
        git(&["diff", "--cached", "--name-only"]),
        ".todori/.gitignore\n.todori/tasks.yaml\n"
    );
}

#[test]
fn a_link_in_the_place_of_what_is_kept_is_not_followed() {
    let project = project_with(&["a"]);
    let outside = TempDir::new().unwrap();
    let folder = project.path().join(".todori/replaced");
    drop(fs::remove_dir_all(&folder));
    std::os::unix::fs::symlink(outside.path(), &folder).unwrap();
    assert_eq!(try_add(&open(&project), "b").unwrap(), "a b");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// The files that were replaced and are kept, by the ends of their names.
fn kept(project: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.join(".todori/replaced")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == ending))
        .collect()
}

#[test]
fn what_was_deleted_does_not_come_back_in_a_copy_of_the_project() {
    let project = project_with(&["a", "b", "c"]);
    let store = open(&project);
    write(&store, &moment(2), vec![delete("b")]);
    assert!(!kept(project.path(), "yaml").is_empty());
    // Both as it is usually done, and with the times of the files.
    for how in ["-r", "-a"] {
        let copy = TempDir::new().unwrap();
        let copied = Command::new("cp")
            .arg(how)
            .arg(project.path().join(".todori"))
            .arg(copy.path())
            .status();
        assert!(copied.unwrap().success());
        let store = open(&copy);
        assert_eq!(try_add(&store, "d").unwrap(), "a c d", "cp {how}");
        drop(store);
        assert!(kept(copy.path(), "yaml").len() <= 1, "the copies are gone");
    }
}

#[test]
fn what_was_deleted_does_not_come_back_where_the_way_back_is_lost() {
    let project = project_with(&["a", "b", "c"]);
    let store = open(&project);
    let before = text(&project);
    let mut editor = Editor::on(&project);
    assert_eq!(try_add(&store, "d").unwrap(), "a b c d");
    write(&store, &moment(3), vec![delete("b")]);
    let new = before.replace("title: a\n", "title: Renamed\n");
    let made = new.replace(&letter("c").to_string(), &letter("x").to_string());
    let made = made.replace("title: c\n", "title: made\n");
    editor.begin("");
    editor.end(&format!("{new}{}", &made[middle(&made)..]));
    for way_back in kept(project.path(), "back") {
        fs::remove_file(way_back).unwrap();
    }
    // By a process that has not looked just before.
    let now = try_add(&open(&project), "e").unwrap();
    let mut now: Vec<&str> = now.split(' ').collect();
    now.sort_unstable();
    assert_eq!(now, ["Renamed", "c", "d", "e", "made"]);
}
