//! Writing in an editor: only what was edited is written, and nothing that was typed gets lost.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::terminal::on_terminal;
use crate::project::{Printed, Project, printed};

/// A project, and a terminal whose editor is a script that gets the file as `$1`.
struct Desk {
    project: Project,
}

impl Desk {
    fn new() -> Self {
        let project = Project::new();
        fs::create_dir(project.path().join("tmp")).unwrap();
        Self { project }
    }

    /// Runs a command on a terminal of its own.
    fn run(&self, editor: &str, arguments: &[&str]) -> Printed {
        let mut command = on_terminal(&self.project, 80, arguments);
        command
            .env("TODORI", env!("CARGO_BIN_EXE_todori"))
            .env("TMPDIR", self.project.path().join("tmp"))
            .env("EDITOR", format!("e() {{ {editor}; }}; e"));
        let mut printed = printed(command.output().unwrap());
        printed.out = printed.out.replace('\r', "");
        printed
    }

    /// The files that were kept, with what is in them.
    fn kept(&self) -> Vec<(PathBuf, String)> {
        let files = fs::read_dir(self.project.path().join("tmp")).unwrap();
        files
            .map(|file| file.unwrap().path())
            .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
            .collect()
    }

    fn check_kept(&self, printed: &Printed, code: i32, text: &str) {
        assert_eq!(printed.code, code, "{printed:?}");
        let kept = self.kept();
        let [(path, kept)] = kept.as_slice() else {
            panic!("one file is kept, not {kept:?}: {printed:?}");
        };
        assert_eq!(kept, text);
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            printed.out.contains("what you wrote is kept in ") && printed.out.contains(name),
            "{printed:?}"
        );
    }
}

#[test]
fn saving_without_a_change_changes_nothing() {
    let desk = Desk::new();
    let task = desk
        .project
        .json(["add", "two\nlines ", "-d", "blanks  \n\n"]);
    let id = task["id"].as_str().unwrap();
    let before = desk.project.board_text();
    for editor in ["true", "cat \"$1\" > x; cat x > \"$1\""] {
        let printed = desk.run(editor, &["edit", id]);
        assert_eq!(
            (printed.code, printed.out.as_str()),
            (0, "Nothing was changed.\n")
        );
        assert_eq!(desk.project.board_text(), before);
    }
    assert_eq!(desk.project.json(["log"]).as_array().unwrap().len(), 1);
    assert_eq!(desk.kept(), []);
}

#[test]
fn what_others_wrote_meanwhile_stays() {
    let desk = Desk::new();
    let task = desk.project.json(["add", "Fix it", "-d", "old"]);
    let id = task["id"].as_str().unwrap();
    let editor = format!(
        "\"$TODORI\" edit {id} -d 'by an agent' >/dev/null; printf 'Mend it\\n\\nold\\n' > \"$1\""
    );
    let printed = desk.run(&editor, &["edit", id]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let shown = desk.project.json(["show", id]);
    assert_eq!(
        (&shown["title"], &shown["description"]),
        (&json!("Mend it"), &json!("by an agent"))
    );
    assert_eq!(desk.kept(), []);
    // Both wrote the same: nothing is overwritten, and nothing lost.
    let editor = format!(
        "\"$TODORI\" edit {id} -d 'by another' >/dev/null; printf 'Mend it\\n\\nmine\\n' > \"$1\""
    );
    let printed = desk.run(&editor, &["edit", id]);
    desk.check_kept(&printed, 1, "Mend it\n\nmine\n");
    assert!(
        printed
            .out
            .contains("somebody else changed the description while you wrote"),
        "{printed:?}"
    );
    assert_eq!(desk.project.json(["show", id])["description"], "by another");
}

#[test]
fn what_cannot_be_saved_is_kept() {
    let desk = Desk::new();
    let printed = desk.run("echo long > \"$1\"", &["add", "-e", "--after", "typo"]);
    assert_eq!(printed.code, 1, "{printed:?}");
    assert_eq!(desk.kept(), [], "the editor was not even opened");
    let printed = desk.run(
        "head -c 20000 /dev/zero | tr '\\0' x > \"$1\"",
        &["add", "-e"],
    );
    desk.check_kept(&printed, 2, &"x".repeat(20_000));
}

#[test]
fn a_store_that_fails_loses_no_words() {
    let desk = Desk::new();
    desk.project.run(["add", "one"]);
    let editor = "echo precious > \"$1\"; echo 'tasks: [' > .todori/tasks.yaml";
    let printed = desk.run(editor, &["add", "-e"]);
    desk.check_kept(&printed, 3, "precious\n");
}

#[test]
fn an_editor_that_fails_loses_no_words() {
    let desk = Desk::new();
    let printed = desk.run("echo precious > \"$1\"; false", &["add", "-e"]);
    desk.check_kept(&printed, 2, "precious\n");
    let other = Desk::new();
    let printed = other.run("false", &["add", "-e", "title"]);
    assert_eq!(
        (printed.code, other.kept()),
        (2, vec![]),
        "nothing was written"
    );
}
