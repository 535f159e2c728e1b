//! What each verb does and prints.

use serde_json::{Value, json};

use crate::project::{Project, printed};

/// What a command prints, with ids replaced by `#1`, `#2` … in the order of the list.
fn check(project: &Project, arguments: &[&str], expected: &str) {
    let printed = project.run(arguments);
    assert_eq!(
        (printed.code, printed.err.as_str()),
        (0, ""),
        "{arguments:?}"
    );
    assert_eq!(masked(project, &printed.out), expected, "{arguments:?}");
}

fn masked(project: &Project, text: &str) -> String {
    let mut text = text.replace(
        &project.path().canonicalize().unwrap().display().to_string(),
        "DIR",
    );
    text = text.replace(&project.path().display().to_string(), "DIR");
    for (number, id) in (1..).zip(ids(project)) {
        text = text
            .replace(&id, &format!("#{number}"))
            .replace(&id[..8], &format!("#{number}"));
    }
    text
}

fn ids(project: &Project) -> Vec<String> {
    let listed = project.json(["list", "--all"]);
    listed
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_day_at_the_command_line() {
    let project = Project::nowhere();
    check(
        &project,
        &["init"],
        "Made an empty board: DIR/.todori/tasks.yaml\n\
        Commit it to share it. Connect an agent: todori install claude-code\n",
    );
    check(
        &project,
        &["init"],
        "There is a board already: DIR/.todori/tasks.yaml\n",
    );
    check(
        &project,
        &[],
        "No tasks yet. Add one: todori add \"Run the tests\"\n\
        Connect an agent: todori install claude-code\n",
    );
    check(
        &project,
        &["list"],
        "No tasks yet. Add one: todori add \"Run the tests\"\n",
    );
    check(
        &project,
        &[
            "add",
            "Fix",
            "the",
            "login",
            "-p",
            "high",
            "-d",
            "It fails.",
        ],
        "Added #1 Fix the login\n",
    );
    let first = ids(&project).remove(0);
    check(
        &project,
        &["add", "Write the docs", "--after", &first[..6]],
        "Added #2 Write the docs\n",
    );
    check(
        &project,
        &["list"],
        "-  #1 high   Fix the login\n-  #2 medium Write the docs  (waits for 1)\n",
    );
    check(
        &project,
        &["next"],
        "-  #1 high   Fix the login\n\
        Recommended: high priority, no dependencies, topologically first, 1 task waits for it\n",
    );
    check(
        &project,
        &["start", &first[..4]],
        "Started #1 Fix the login\n",
    );
    check(
        &project,
        &[],
        "Progress: 0/2 completed  ........................ 0%\n\n\
        In progress\n>  #1 Fix the login  ada, just now\n\n\
        Next\n>  #1 high   Fix the login  (ada)\n\
        Recommended: you have it in progress, high priority, no dependencies, topologically first, 1 task waits for it\n\n\
        Held up (1)\n-  #2 medium Write the docs  (waits for 1)\n",
    );
    check(
        &project,
        &["done", &first],
        "Done #1 Fix the login\nNow free: #2 Write the docs\n",
    );
    check(&project, &["list"], "-  #2 medium Write the docs\n");
    check(
        &project,
        &["list", "--all"],
        "x  #1 high   Fix the login\n-  #2 medium Write the docs\n",
    );
    check(
        &project,
        &["list", "--status", "deferred"],
        "No such tasks; --all shows everything.\n",
    );
    let shown = project.run(["show", &first]).out;
    for line in [
        "x  Fix the login",
        "status       done",
        "priority     high",
        "It fails.",
    ] {
        assert!(
            shown.lines().any(|shown| shown == line),
            "{line} in\n{shown}"
        );
    }
    let stats = project.run(["stats"]).out;
    assert!(stats.starts_with("2 tasks\n"), "{stats}");
}

#[test]
fn all_verbs_print_a_task_as_the_same_json() {
    let project = Project::nowhere();
    assert_eq!(project.json(["init"])["created"], true);
    let task = project.json(["add", "one"]);
    let id = task["id"].as_str().unwrap();
    let keys: Vec<&String> = task.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "title",
            "activeForm",
            "description",
            "status",
            "priority",
            "dependencies",
            "subtasks",
            "nextSubtask",
            "assignee",
            "rank",
            "created",
            "updated",
            "completed"
        ]
    );
    assert_eq!(project.json(["show", id]), task);
    assert_eq!(project.json(["list"]), json!([task]));
    assert_eq!(project.json(["next"])["task"], task);
    assert_eq!(project.json(["start", id])["assignee"], "person:ada");
    assert_eq!(project.json::<&str>([])["inProgress"][0]["id"], id);
    assert_eq!(project.json(["done", id])[0]["status"], "done");
    assert_eq!(project.json(["stats"])["byStatus"]["done"], 1);
    assert_eq!(project.json(["call", "get_task_stats"])["total"], 1);
}

#[test]
fn a_tool_can_be_called_and_its_refusal_ends_with_1() {
    let project = Project::new();
    let task: Value = project.json([
        "call",
        "create_task",
        r#"{"title": "from a shell", "priority": "low"}"#,
    ]);
    assert_eq!(task["priority"], "low");
    let listed = project.json(["call", "get_tasks"]);
    assert_eq!(listed[0]["id"], task["id"]);
    let refused = project.run(["call", "get_task", r#"{"id": "ffff"}"#]);
    assert_eq!(refused.code, 1);
    assert_eq!(
        serde_json::from_str::<Value>(&refused.err).unwrap()["error"]["code"],
        -32000
    );
}

#[test]
fn the_project_can_be_named() {
    let (project, nowhere) = (Project::new(), Project::nowhere());
    let path = project.path().to_str().unwrap();
    assert_eq!(nowhere.run(["add", "elsewhere", "--project", path]).code, 0);
    let mut command = nowhere.command();
    let output = command
        .env("TODORI_PROJECT_ROOT", path)
        .args(["list", "--json"])
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("elsewhere")
    );
    assert!(project.board_text().contains("elsewhere"));
}

#[test]
fn tasks_are_edited_marked_and_deleted() {
    let project = Project::new();
    let task = project.json(["add", "one"]);
    let id = task["id"].as_str().unwrap();
    let edited = project.json([
        "edit",
        &id[..6],
        "--title",
        "two",
        "-p",
        "low",
        "-d",
        "more",
    ]);
    assert_eq!(
        (
            &edited["title"],
            &edited["priority"],
            &edited["description"]
        ),
        (&json!("two"), &json!("low"), &json!("more"))
    );
    assert_eq!(
        project.json(["edit", id, "-d", ""])["description"],
        Value::Null
    );
    for (verb, status) in [
        ("block", "blocked"),
        ("defer", "deferred"),
        ("cancel", "cancelled"),
        ("reopen", "pending"),
    ] {
        assert_eq!(project.json([verb, id])[0]["status"], status);
    }
    assert_eq!(project.json(["rm", id])["deleted"], json!([id]));
    assert_eq!(project.json(["list", "--all"]), json!([]));
    assert_eq!(project.run(["edit", id, "--title", "x"]).code, 1);
    let again = project.json(["add", "again"]);
    let nothing = project.run(["edit", again["id"].as_str().unwrap()]);
    assert_eq!(nothing.code, 2, "there is no terminal to edit in");
}

#[test]
fn what_will_not_be_done_holds_nobody_up() {
    let project = Project::new();
    let first = project.json(["add", "first"]);
    let id = first["id"].as_str().unwrap();
    project.run(["add", "second", "--after", id]);
    let printed = project.run(["cancel", id]).out;
    assert!(
        printed.starts_with("Cancelled ")
            && printed.contains("Now free: ")
            && printed.contains("second"),
        "{printed}"
    );
}

#[test]
fn subtasks_are_added_finished_and_deleted() {
    let project = Project::new();
    let task = project.json(["add", "one"]);
    let id = task["id"].as_str().unwrap();
    project.json(["sub", "add", id, "first", "subtask"]);
    assert_eq!(
        project.json(["sub", "add", id, "second"])["subtasks"][1]["title"],
        "second"
    );
    let done = project.json(["sub", "done", &format!("{}.1", &id[..6])]);
    assert_eq!(done["subtasks"][0]["status"], "done");
    assert_eq!(
        project.json(["sub", "rm", &format!("{id}.2")])["subtasks"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(project.run(["sub", "done", id]).code, 2);
    assert_eq!(project.run(["sub", "done", &format!("{id}.9")]).code, 1);
}

#[test]
fn the_log_tells_who_did_what() {
    let project = Project::new();
    let first = project.json(["add", "one"]);
    let id = first["id"].as_str().unwrap();
    project.run(["add", "two"]);
    project.run(["done", id]);
    project.run(["rm", id]);
    let log = project.json(["log"]);
    let told: Vec<(&str, &str)> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            (
                event["what"].as_str().unwrap(),
                event["by"].as_str().unwrap(),
            )
        })
        .collect();
    let ada = "person:ada";
    assert_eq!(
        told,
        [
            ("deleted", ada),
            ("now done", ada),
            ("created", ada),
            ("created", ada)
        ]
    );
    assert_eq!(log[0]["before"]["title"], "one");
    assert_eq!(project.json(["log", &id[..8]]).as_array().unwrap().len(), 3);
    assert_eq!(
        project.json(["log", "-n", "1"]).as_array().unwrap().len(),
        1
    );
    assert_eq!(project.json(["log", "--by", "nobody"]), json!([]));
    assert!(project.run(["log"]).out.contains("one: deleted  ada"));
}

#[test]
fn a_session_list_at_the_command_line_lasts_from_call_to_call() {
    let project = Project::new();
    let call = |arguments: &[&str]| {
        let mut command = project.command();
        command
            .env("XDG_RUNTIME_DIR", project.path().join("runtime"))
            .arg("call")
            .args(arguments);
        serde_json::from_slice::<Value>(&command.output().unwrap().stdout).unwrap()
    };
    call(&[
        "todolist__set",
        r#"{"todos":[{"content":"a","status":"pending","activeForm":"a"}]}"#,
    ]);
    assert_eq!(call(&["todolist__get"])["summary"]["total"], 1);
}

#[test]
fn a_task_that_somebody_has_is_refused_by_name_and_once() {
    let project = Project::new();
    project.run(["add", "one"]);
    project.run(["start", "one"]);
    let start = |json: &[&str]| {
        let mut command = project.command();
        command.env("USER", "bob").args(["start", "one"]).args(json);
        printed(command.output().unwrap())
    };
    let printed = start(&[]);
    assert_eq!((printed.code, printed.out.as_str()), (1, ""));
    assert!(
        printed.err.starts_with("todori: ada has this task"),
        "{printed:?}"
    );
    let printed = start(&["--json"]);
    assert_eq!((printed.code, printed.out.as_str()), (1, ""));
    assert!(
        serde_json::from_str::<Value>(&printed.err).is_ok(),
        "{printed:?}"
    );
}

#[test]
fn what_was_taken_away_is_named() {
    let project = Project::new();
    project.run(["add", "one"]);
    project.run(["add", "two", "--after", "one"]);
    project.run(["sub", "add", "one", "first"]);
    check(
        &project,
        &["sub", "rm", "one.1"],
        "Deleted subtask 1 first\n`todori undo` brings it back.\n#1 one: 0/0 subtasks\n",
    );
    project.run(["undo"]);
    assert_eq!(
        project.json(["show", "one"])["subtasks"][0]["title"],
        "first"
    );
    check(
        &project,
        &["dep", "rm", "two", "one"],
        "No longer waits for #1 one\n`todori undo` brings this back.\n#2 two waits for nothing\n",
    );
}

/// All verbs below these, and below those.
fn verbs(project: &Project, path: &[String], found: &mut Vec<Vec<String>>) {
    let help = project
        .run(path.iter().map(String::as_str).chain(["--help"]))
        .out;
    let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    for line in listed.lines().take_while(|line| !line.is_empty()) {
        if let Some(line) = line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
        {
            let name = line.split_whitespace().next().unwrap();
            let path: Vec<String> = path.iter().cloned().chain([name.to_owned()]).collect();
            verbs(project, &path, found);
            found.push(path);
        }
    }
}

#[test]
fn every_verb_has_an_example() {
    let project = Project::nowhere();
    let mut all = Vec::new();
    verbs(&project, &[], &mut all);
    assert!(all.len() > 35, "{all:?}");
    for path in all {
        let help = project
            .run(path.iter().map(String::as_str).chain(["--help"]))
            .out;
        let example = help.split("\nExample").nth(1).unwrap_or_default();
        let verb = path.join(" ");
        assert!(
            example.contains(&format!("todori {verb}")),
            "{verb}: {help}"
        );
    }
}

#[test]
fn a_store_is_used_wherever_one_stands() {
    let (here, kept) = (Project::new(), Project::new());
    let store = kept.path().to_str().unwrap();
    here.run(["add", "here"]);
    assert_eq!(here.run(["add", "kept", "--store", store]).code, 0);
    assert_eq!(kept.json(["list"])[0]["title"], "kept");
    assert_eq!(here.json(["list"])[0]["title"], "here");
    let mut listed = here.command();
    let listed = listed.env("TODORI_STORE", store).args(["list", "--json"]);
    let listed = printed(listed.output().unwrap());
    assert!(listed.out.contains("\"kept\""), "{listed:?}");
}

#[test]
fn an_address_of_no_known_store_is_refused_and_not_repeated() {
    let project = Project::new();
    let address = "postgres://ada:secret@db/todori";
    let flag = project.run(["list", "--store", address]);
    let mut command = project.command();
    let command = command.env("TODORI_STORE", address).arg("list");
    let variable = printed(command.output().unwrap());
    for refused in [flag, variable] {
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(
            refused
                .err
                .contains("there is no store for postgres:// addresses")
        );
        assert!(!refused.err.contains("secret"), "{refused:?}");
    }
}
