//! Tasks that come from other programs and go to them, through the real program.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::project::{Printed, Project};

#[expect(
    clippy::disallowed_methods,
    reason = "this plays the other programs that write the files"
)]
fn put(project: &Project, name: &str, text: impl AsRef<[u8]>) {
    let path = project.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// All tasks in their order. Ranks differ from board to board.
fn tasks(project: &Project) -> Vec<Value> {
    let mut tasks = project.json(["list", "--all"]).as_array().unwrap().clone();
    for task in &mut tasks {
        task.as_object_mut().unwrap().remove("rank");
    }
    tasks
}

/// The board in short: titles with their states, priorities, subtasks and what they wait for.
fn board(project: &Project) -> String {
    let tasks = tasks(project);
    let title = |id: &Value| {
        let task = tasks.iter().find(|task| task["id"] == *id).unwrap();
        task["title"].as_str().unwrap().to_owned()
    };
    let line = |task: &Value| {
        let text = |name: &str| task[name].as_str().unwrap().to_owned();
        let waits = task["dependencies"].as_array().unwrap();
        let waits: Vec<String> = waits.iter().map(title).collect();
        let subtasks = task["subtasks"].as_array().unwrap();
        let subtasks: Vec<String> = subtasks
            .iter()
            .map(|subtask| {
                format!(
                    "{} {}",
                    subtask["title"].as_str().unwrap(),
                    subtask["status"].as_str().unwrap()
                )
            })
            .collect();
        format!(
            "{} {} {} >[{}] subtasks[{}]\n",
            text("title"),
            text("status"),
            text("priority"),
            waits.join(", "),
            subtasks.join(", ")
        )
    };
    tasks.iter().map(line).collect()
}

fn refused(project: &Project, arguments: &[&str], message: &str) {
    let before = board(project);
    let Printed { out, err, code } = project.run(arguments);
    assert_eq!((code, out.as_str()), (1, ""), "{arguments:?}: {err}");
    assert!(
        err.starts_with(&format!("todori: {message}")),
        "{arguments:?}: {err}"
    );
    assert_eq!(board(project), before, "nothing was changed");
}

const TASKS_JSON: &str = r#"{"master": {"tasks": [
    {"id": 1, "title": "Test", "status": "pending", "dependencies": [2, 3]},
    {"id": 2, "title": "Build", "status": "in-progress", "priority": "high", "dependencies": [3],
     "subtasks": [{"id": 1, "title": "Plan", "status": "done"}, {"id": 2, "title": "Code", "status": "pending"}]},
    {"id": 3, "title": "Set up", "status": "done", "priority": "low", "dependencies": [1, 99]}]}}"#;

#[test]
fn what_is_imported_twice_comes_once() {
    let project = Project::new();
    put(&project, "tasks.json", TASKS_JSON);
    let dry = project.json(["import", "tasks.json", "--dry-run"]);
    assert_eq!(dry["added"].as_array().unwrap().len(), 3);
    assert_eq!(board(&project), "", "a rehearsal changes nothing");
    let done = project.json(["import", "tasks.json"]);
    assert_eq!(done["format"], "task-master");
    let expected = "Test pending medium >[Build, Set up] subtasks[]\n\
        Build in-progress high >[Set up] subtasks[Plan done, Code pending]\n\
        Set up done low >[] subtasks[]\n";
    assert_eq!(board(&project), expected);
    let notes: Vec<&str> = done["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note["note"].as_str().unwrap())
        .collect();
    assert_eq!(
        notes,
        [
            "what it waits for is not there: 99; kept in its description",
            "waiting for 1 Test would close a cycle of 3: left out"
        ]
    );
    // Somebody renames one and finishes it; it is known all the same.
    let id = tasks(&project)[0]["id"].as_str().unwrap().to_owned();
    project.json(["edit", &id, "--title", "Test it"]);
    project.json(["done", &id]);
    let again = project.json(["import", "tasks.json"]);
    assert_eq!(again["skipped"].as_array().unwrap().len(), 3);
    assert_eq!(again["added"], json!([]));
    assert_eq!(tasks(&project).len(), 3);
    // What is new in the file may wait for what is here.
    let longer = TASKS_JSON.replace(
        "\"tasks\": [",
        "\"tasks\": [{\"id\": 4, \"title\": \"New\", \"dependencies\": [2]},",
    );
    put(&project, "tasks.json", longer);
    let more = project.json(["import", "tasks.json"]);
    assert_eq!(more["added"][0]["title"], "New");
    assert!(board(&project).contains("New pending medium >[Build]"));
    // What somebody wrote by hand is not taken for it, but told.
    put(&project, "by-hand.md", "- [ ] New\n");
    let told = project.json(["import", "by-hand.md", "--dry-run"]);
    assert_eq!(
        told["notes"][0]["note"],
        "an open task has the same title; it comes all the same"
    );
    let twice = project.json(["import", "tasks.json", "--again"]);
    assert_eq!(twice["added"].as_array().unwrap().len(), 4);
    assert_eq!(tasks(&project).len(), 8);
}

#[test]
fn an_import_is_one_step() {
    let project = Project::new();
    put(&project, "tasks.json", TASKS_JSON);
    project.json(["import", "tasks.json"]);
    let log = project.json(["log"]);
    let times: Vec<&Value> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["at"])
        .collect();
    assert_eq!(times.len(), 3);
    assert!(times.iter().all(|at| *at == times[0]));
    assert_eq!(
        project.json(["undo"])["undone"].as_array().unwrap().len(),
        3
    );
    assert_eq!(board(&project), "", "all of it is taken back at once");
}

#[test]
fn folders_of_other_programs_are_known() {
    let project = Project::new();
    put(
        &project,
        "a/backlog/tasks/back-1 - One.md",
        "---\nid: BACK-1\ntitle: One\nstatus: To Do\n---\n\n## Description\n\nWhy.\n",
    );
    put(
        &project,
        "a/backlog/completed/back-2 - Two.md",
        "---\nid: BACK-2\ntitle: Two\nstatus: Done\n---\n",
    );
    assert_eq!(project.json(["import", "a"])["format"], "backlog-md");
    put(
        &project,
        "b/.beads/issues.jsonl",
        "{\"id\":\"bd-1\",\"title\":\"Three\",\"status\":\"open\",\"priority\":2}\n",
    );
    assert_eq!(project.json(["import", "b"])["format"], "beads");
    put(
        &project,
        "c/1.json",
        r#"{"id": "1", "subject": "Four", "status": "completed", "activeForm": "Doing four"}"#,
    );
    put(&project, "c/.lock", "");
    assert_eq!(project.json(["import", "c"])["format"], "claude-code");
    put(&project, "d/todo.txt", "(A) Five\n");
    put(&project, "d/done.txt", "x 2026-01-02 2026-01-01 Six\n");
    assert_eq!(project.json(["import", "d"])["format"], "todo-txt");
    put(
        &project,
        "plan.md",
        "# Plan\n- [ ] Seven\n  - [x] Subtask\n",
    );
    assert_eq!(project.json(["import", "plan.md"])["format"], "markdown");
    assert_eq!(
        board(&project),
        "One pending medium >[] subtasks[]\nTwo done medium >[] subtasks[]\nThree pending medium >[] subtasks[]\n\
        Four done medium >[] subtasks[]\nFive pending high >[] subtasks[]\nSix done medium >[] subtasks[]\n\
        Seven pending medium >[] subtasks[Subtask done]\n"
    );
    let six = &tasks(&project)[5];
    assert_eq!(
        (&six["created"], &six["completed"]),
        (
            &json!("2026-01-01T00:00:00.000Z"),
            &json!("2026-01-02T00:00:00.000Z")
        )
    );
}

#[test]
fn bad_input_changes_nothing_and_is_told() {
    let project = Project::new();
    project.run(["add", "There before"]);
    put(&project, "binary", b"\x7fELF\x00\x01");
    put(&project, "latin", b"caf\xe9");
    put(&project, "broken.json", "{\"tasks\": [\n  {]}");
    put(
        &project,
        "broken.jsonl",
        "{\"id\":\"a\",\"title\":\"x\"}\n{\"id\":\n",
    );
    put(&project, "empty", "");
    put(&project, "words", "some words\n");
    put(&project, "no-list.md", "# Title\n");
    put(&project, "newer.json", "{\"todori\": 2, \"tasks\": []}");
    put(&project, "several/tasks.json", TASKS_JSON);
    put(&project, "several/todo.txt", "x");
    put(&project, "lists/one/1.json", "{}");
    fs::create_dir(project.path().join("nothing")).unwrap();
    for (file, message) in [
        ("binary", "binary is no text: byte 5"),
        ("latin", "latin is no text: byte 4"),
        ("broken.json", "broken.json is no JSON at line 2, column 4"),
        (
            "broken.jsonl",
            "broken.jsonl is no JSON at line 2, column 6",
        ),
        ("empty", "empty is empty"),
        ("words", "it can't be told what format words is in"),
        ("no-list.md", "there is no check list in no-list.md"),
        ("newer.json", "newer.json was written by a newer todori"),
        ("several", "several holds tasks in several formats"),
        ("lists", "lists holds 1 lists of Claude Code, not one"),
        ("nothing", "there are no tasks in nothing"),
        ("missing", "there is no missing"),
    ] {
        refused(&project, &["import", file], message);
    }
    assert_eq!(
        project.run(["import", "words", "--from", "nonsense"]).code,
        2
    );
    let deep = "[".repeat(100_000);
    put(&project, "deep.json", deep);
    refused(
        &project,
        &["import", "deep.json"],
        "deep.json is no JSON at line 1, column",
    );
}

#[test]
fn what_is_too_long_is_cut_and_kept() {
    let project = Project::new();
    let long = "é".repeat(2_500);
    let text = json!({"tasks": [
        {"id": 1, "title": long, "description": "More."},
        {"id": 2, "title": "", "description": "First line\nsecond"},
        {"id": 3, "title": " "},
        {"id": 4, "title": "Big", "description": "x".repeat(70_000)},
    ]});
    put(&project, "tasks.json", text.to_string());
    let told = project.json(["import", "tasks.json"]);
    let tasks = tasks(&project);
    assert_eq!(tasks.len(), 4);
    assert_eq!(tasks[0]["title"].as_str().unwrap().chars().count(), 2_000);
    let description = tasks[0]["description"].as_str().unwrap();
    assert!(description.starts_with(&format!("…{}\n\nMore.", "é".repeat(501))));
    assert_eq!(tasks[1]["title"], "First line");
    assert_eq!(tasks[2]["title"], "Untitled (3)");
    assert!(tasks[3]["description"].as_str().unwrap().len() <= 64 * 1024);
    assert_eq!(told["notes"].as_array().unwrap().len(), 4);
}

#[test]
fn standard_input_is_read() {
    let project = Project::new();
    let mut command = project.command();
    command
        .args(["import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"- [ ] From a pipe\n")
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(
        board(&project),
        "From a pipe pending medium >[] subtasks[]\n"
    );
}

/// A board with something of everything.
fn rich() -> Project {
    let project = Project::new();
    project.write_board(
        "version: 1\ntasks:\n  \
        11111111-1111-4111-8111-111111111111:\n    created: 2026-01-02T03:04:05.678Z\n    title: \"Fix <!-- the\\nlogin & \\u202e&#x41; \"\n    \
        active_form: Fixing\n    description: |-\n      It fails.\n\n      - [ ] not a subtask\n        ## not a heading\n    status: in-progress\n    \
        priority: high\n    rank: \"a2\"\n    dependencies:\n      - 22222222-2222-4222-8222-222222222222\n    subtasks:\n      2:\n        \
        title: Two\n        status: blocked\n        description: Why\n      5:\n        title: \" five\"\n        status: done\n    \
        next_subtask: 9\n    assignee: some-session\n    updated: 2026-01-03T03:04:05.678Z\n  \
        22222222-2222-4222-8222-222222222222:\n    created: 2026-01-01T00:00:00.000Z\n    title: =SUM(A1)\n    status: done\n    \
        priority: low\n    rank: \"a1\"\n    updated: 2026-01-02T00:00:00.000Z\n    completed: 2026-01-02T00:00:00.000Z\n  \
        33333333-3333-4333-8333-333333333333:\n    created: 2026-01-01T00:00:00.000Z\n    title: ~~gone~~\n    status: cancelled\n    \
        priority: medium\n    rank: \"a3\"\n    updated: 2026-01-02T00:00:00.000Z\n",
    );
    project
}

#[test]
fn what_is_exported_as_json_comes_back_without_a_loss() {
    let (from, to) = (rich(), Project::new());
    let file = to.path().join("board.json");
    from.json(["export", "--all", "-o", file.to_str().unwrap()]);
    let told = to.json(["import", "board.json"]);
    assert_eq!(told["notes"], json!([]));
    assert_eq!(tasks(&from), tasks(&to));
    let told = from.json(["import", file.to_str().unwrap()]);
    assert_eq!(told["skipped"].as_array().unwrap().len(), 3);
    // Not even the counter of subtasks: what was deleted is not named again.
    to.run(["sub", "add", "11111111", "Another"]);
    let numbers = &tasks(&to)[1]["subtasks"][2]["id"];
    assert_eq!(*numbers, "11111111-1111-4111-8111-111111111111.9");
}

#[test]
fn what_is_exported_as_markdown_can_be_read_again() {
    let (from, to) = (rich(), Project::new());
    let text = from.run(["export", "--all", "--to", "markdown"]).out;
    assert!(
        !text.contains('\u{202e}'),
        "nothing that a terminal obeys: {text}"
    );
    put(&to, "TASKS.md", &text);
    let told = to.json(["import", "TASKS.md"]);
    assert_eq!(told["notes"], json!([]));
    let kept = |project: &Project| -> Vec<Value> {
        let mut tasks = tasks(project);
        for task in &mut tasks {
            // What Markdown has no place for.
            let lost = [
                "created",
                "updated",
                "completed",
                "activeForm",
                "assignee",
                "nextSubtask",
            ];
            for name in lost {
                task.as_object_mut().unwrap().remove(name);
            }
        }
        tasks.sort_by_key(|task| task["id"].to_string());
        tasks
    };
    assert_eq!(kept(&from), kept(&to));
}

#[test]
fn a_table_holds_no_formula() {
    let text = rich().run(["export", "--all", "--to", "csv"]).out;
    assert!(text.starts_with("id,title,status,"));
    assert!(text.contains("\r\n22222222-2222-4222-8222-222222222222,'=SUM(A1),done,low,,0,0,,"));
    assert!(text.contains("2,1,some-session,"), "{text}");
    assert!(
        text.contains(",\"[blocked] Two\n[done]  five\"\r\n"),
        "{text}"
    );
    assert!(!text.contains('\u{202e}'));
}

#[test]
fn a_file_is_not_replaced_unasked() {
    let project = rich();
    let wrote = project.run(["export", "-o", "out.md"]);
    assert_eq!(
        (wrote.code, wrote.out.as_str()),
        (0, "Wrote 1 task to out.md\n")
    );
    assert_eq!(
        wrote.err,
        "todori: 2 left out; --all takes what is done or cancelled too\n"
    );
    let path = project.path().join("out.md");
    let before = fs::read_to_string(&path).unwrap();
    let refused = project.run(["export", "--all", "-o", "out.md"]);
    assert_eq!(
        (refused.code, refused.err.as_str()),
        (
            1,
            "todori: out.md is there already\n  --force replaces it\n"
        )
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    assert_eq!(
        project
            .run(["export", "--all", "-o", "out.md", "--force"])
            .code,
        0
    );
    assert_ne!(fs::read_to_string(&path).unwrap(), before);
    let names: Vec<_> = fs::read_dir(project.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "no litter: {names:?}");
    assert_eq!(project.run(["export", "-o", "out.xls"]).code, 2);
    assert_eq!(project.run(["export", "-o", "no/such/folder.json"]).code, 3);
    assert_eq!(project.run(["export", "--json", "--to", "csv"]).code, 2);
}
