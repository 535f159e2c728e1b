//! What an import takes for the same task as before, and what it does not; what it tells of those that come.

use std::fs;

use serde_json::{Value, json};

use crate::project::Project;

#[expect(
    clippy::disallowed_methods,
    reason = "this plays the other programs that write the files"
)]
fn put(project: &Project, name: &str, text: &str) {
    let path = project.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Imports something, and gives how many tasks came and how many were there.
fn import(project: &Project, from: &str) -> (usize, usize) {
    let told = project.json(["import", from]);
    let count = |name: &str| told[name].as_array().unwrap().len();
    (count("added"), count("skipped"))
}

#[test]
fn tasks_of_different_files_are_different() {
    let project = Project::new();
    put(&project, "front.md", "# Frontend\n- [ ] Write tests\n");
    put(&project, "back.md", "# Backend\n- [ ] Write tests\n");
    put(&project, "a.md", "- [ ] Write tests\n");
    put(&project, "b.md", "- [ ] Write tests\n");
    put(&project, "a/todo.txt", "(A) Call home\n");
    put(&project, "b/todo.txt", "(A) Call home\n");
    let tasks = |status: &str| {
        format!(r#"{{"tasks": [{{"id": 1, "title": "Setup", "status": "{status}"}}]}}"#)
    };
    put(&project, "a/tasks/tasks.json", &tasks("done"));
    put(&project, "b/tasks/tasks.json", &tasks("pending"));
    let backlog = "---\nid: TASK-1\ntitle: One\nstatus: To Do\n---\n";
    put(&project, "a/backlog/tasks/task-1 - One.md", backlog);
    put(&project, "b/backlog/tasks/task-1 - One.md", backlog);
    let todo = r#"{"id": "1", "subject": "Plan", "status": "pending"}"#;
    put(&project, "a/list/1.json", todo);
    put(&project, "b/list/1.json", todo);
    let sources = [
        "front.md",
        "back.md",
        "a.md",
        "b.md",
        "a/todo.txt",
        "b/todo.txt",
        "a/tasks/tasks.json",
        "b/tasks/tasks.json",
        "a/backlog",
        "b/backlog",
        "a/list",
        "b/list",
    ];
    for source in sources {
        assert_eq!(import(&project, source), (1, 0), "{source}");
    }
    for source in sources {
        assert_eq!(import(&project, source), (0, 1), "{source} again");
    }
}

#[test]
fn a_file_is_the_same_however_it_is_named() {
    let project = Project::new();
    put(&project, "sub/plan.md", "- [ ] One\n");
    assert_eq!(import(&project, "sub/plan.md"), (1, 0));
    assert_eq!(import(&project, "sub/../sub/./plan.md"), (0, 1));
    let whole = project.path().join("sub/plan.md");
    assert_eq!(import(&project, whole.to_str().unwrap()), (0, 1));
    std::os::unix::fs::symlink(&whole, project.path().join("link.md")).unwrap();
    assert_eq!(import(&project, "link.md"), (0, 1));
    let mut command = project.command();
    command.current_dir(project.path().join("sub"));
    let output = command
        .args(["--json", "import", "plan.md"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["added"], json!([]));
    // As a colleague has it, in a clone elsewhere.
    let clone = Project::new();
    put(&clone, "sub/plan.md", "- [ ] One\n");
    clone.write_board(project.board_text());
    assert_eq!(import(&clone, "sub/plan.md"), (0, 1));
    // What is finished moves to another file beside it.
    put(&project, "todo.txt", "(A) Two\n");
    assert_eq!(import(&project, "todo.txt"), (1, 0));
    put(&project, "todo.txt", "(B) Three\n");
    put(&project, "done.txt", "x Two\n");
    assert_eq!(import(&project, "done.txt"), (0, 1));
    assert_eq!(import(&project, "."), (1, 1));
    // Beads has names that are its own, wherever the file is and whatever the title has become.
    put(
        &project,
        "a.jsonl",
        r#"{"id":"bd-7","title":"Four","status":"open","priority":2}"#,
    );
    put(
        &project,
        "b.jsonl",
        r#"{"id":"bd-7","title":"Four!","status":"open","priority":2}"#,
    );
    assert_eq!(import(&project, "a.jsonl"), (1, 0));
    assert_eq!(import(&project, "b.jsonl"), (0, 1));
}

#[test]
fn only_what_came_is_counted() {
    let project = Project::new();
    put(&project, "plan.md", "# Plan\n- [ ] One\n");
    assert_eq!(
        project.json(["import", "plan.md"])["movedToDescriptions"],
        json!({"Section": 1})
    );
    put(&project, "plan.md", "# Plan\n- [ ] One\n- [ ] Two\n");
    let told = project.json(["import", "plan.md"]);
    assert_eq!(told["movedToDescriptions"], json!({"Section": 1}));
    let told = project.json(["import", "plan.md"]);
    assert_eq!(told["movedToDescriptions"], json!({}));
}

#[test]
fn what_has_no_title_and_what_is_critical_is_listed() {
    let project = Project::new();
    put(
        &project,
        "tasks.json",
        r#"{"tasks": [{"id": 7, "status": "weird"}, {"id": 8}, {"id": 9, "description": "Own words.\nMore.", "status": "odd"},
            {"id": 10, "title": "Hurry", "priority": "critical"}]}"#,
    );
    let told = project.json(["import", "tasks.json"]);
    let titles: Vec<&str> = told["added"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        ["Untitled (7)", "Untitled (8)", "Own words.", "Hurry"]
    );
    let notes = told["notes"].to_string();
    for expected in [
        "7 Untitled (7)\",\"note\":\"it had no title: it is called so now",
        "8 Untitled (8)\",\"note\":\"it had no title: it is called so now",
        "10 Hurry\",\"note\":\"there is no priority \\\"critical\\\" here: it is high now",
    ] {
        assert!(notes.contains(expected), "{expected} in {notes}");
    }
}
