//! `log` and `undo`: nothing that anybody did is beyond recall.

use serde_json::{Value, json};

use crate::project::Project;

fn add(project: &Project, title: &str) -> String {
    project.json(["add", title])["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The titles in order, with the status of those that are not pending.
fn board(project: &Project) -> String {
    let listed = project.json(["list", "--all"]);
    let show = |task: &Value| {
        let (title, status) = (
            task["title"].as_str().unwrap(),
            task["status"].as_str().unwrap(),
        );
        match status {
            "pending" => title.to_owned(),
            other => format!("{title}={other}"),
        }
    };
    let shown: Vec<String> = listed.as_array().unwrap().iter().map(show).collect();
    shown.join(" ")
}

#[test]
fn the_last_change_is_undone_and_that_too() {
    let project = Project::new();
    let one = add(&project, "one");
    project.run(["add", "two", "--after", &one]);
    project.run(["rm", &one]);
    assert_eq!(board(&project), "two");
    let undone = project.run(["undo"]);
    assert_eq!(undone.code, 0, "{}", undone.err);
    assert!(
        undone.out.starts_with("Undid 2 changes:\n"),
        "{}",
        undone.out
    );
    assert!(undone.out.contains("one: deleted"));
    assert!(
        undone
            .out
            .ends_with("Run `todori undo` again to take this back.\n")
    );
    assert_eq!(board(&project), "one two");
    let waits = project.json(["show", "two"])["dependencies"].clone();
    assert_eq!(waits, json!([one]), "it waits again");
    project.run(["undo"]);
    assert_eq!(board(&project), "two");
}

#[test]
fn all_that_an_agent_did_since_a_time_is_undone_but_not_what_others_did() {
    let project = Project::new();
    let (one, two) = (add(&project, "one"), add(&project, "two"));
    let mut agent = project.serve();
    agent.initialize("2025-11-25");
    agent.direct("update_task", json!({"id": one, "status": "done"}));
    agent.direct("delete_task", json!({"id": two}));
    agent.direct("create_task", json!({"title": "three"}));
    project.run(["edit", &one, "-p", "high"]);
    let shown = project.run(["undo", "--by", "test-client", "--since", "1h", "--dry-run"]);
    assert!(
        shown.out.starts_with("Would undo 3 changes:\n"),
        "{}",
        shown.out
    );
    assert_eq!(board(&project), "one=done three", "and nothing changed");
    let undone = project.json(["undo", "--by", "test-client", "--since", "1h"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 3);
    assert_eq!(board(&project), "one two");
    assert_eq!(
        project.json(["show", &one])["priority"],
        "high",
        "that stays"
    );
}

#[test]
fn what_came_later_is_not_lost_and_is_named() {
    let project = Project::new();
    let one = add(&project, "one");
    let mut agent = project.serve();
    agent.initialize("2025-11-25");
    agent.direct("update_task", json!({"id": one, "title": "changed"}));
    project.run(["edit", &one, "--title", "by hand"]);
    let refused = project.run(["undo", "--by", "test-client"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .err
            .starts_with("todori: nothing was undone: this came later and would be lost\n"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("by hand: edited  ada"),
        "{}",
        refused.err
    );
    assert_eq!(board(&project), "by hand");
    let one_task = project.run(["undo", "by hand"]);
    assert_eq!(one_task.code, 0);
    assert_eq!(board(&project), "changed");
    for (arguments, code) in [
        (vec!["undo", "--by", "nobody"], 1),
        (vec!["undo", "--since", "later"], 2),
        (vec!["undo", "no such task"], 1),
        (vec!["log", "--since", "soon"], 2),
    ] {
        assert_eq!(project.run(&arguments).code, code, "{arguments:?}");
    }
}

#[test]
fn the_log_is_narrowed_by_task_actor_and_time() {
    let project = Project::new();
    let one = add(&project, "one");
    add(&project, "two");
    let mut agent = project.serve();
    agent.initialize("2025-11-25");
    agent.direct("update_task", json!({"id": one, "status": "done"}));
    let count = |arguments: &[&str]| project.json(arguments).as_array().unwrap().len();
    assert_eq!(count(&["log"]), 3);
    assert_eq!(count(&["log", "one"]), 2, "by its title");
    assert_eq!(count(&["log", &one[..8]]), 2, "by its id");
    assert_eq!(count(&["log", "--by", "me"]), 2);
    assert_eq!(count(&["log", "--by", "test-client", "--since", "1h"]), 1);
    assert_eq!(count(&["log", "--since", "2100-01-01"]), 0);
    let told = project.json(["log", "-n", "1"]);
    assert_eq!(told[0]["client"], "test-client 1.0");
    assert_eq!(told[0]["before"]["status"], "pending");
}
