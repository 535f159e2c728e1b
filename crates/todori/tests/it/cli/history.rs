//! `log` and `undo`: nothing that anybody did is beyond recall.

use std::fs;
use std::process::Command;

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

#[test]
fn one_request_is_undone_not_its_neighbours_of_the_same_moment() {
    let project = Project::new();
    let mut agent = project.serve();
    // Sent at once, as agents do: they are written together, in one moment.
    for (id, title) in ["Alpha", "Beta", "Gamma"].into_iter().enumerate() {
        agent.send(&json!({"jsonrpc": "2.0", "id": id, "method": "create_task", "params": {"title": title}}));
    }
    for _ in 0..3 {
        agent.receive();
    }
    let undone = project.json(["undo", "Beta"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 1);
    assert_eq!(board(&project), "Alpha Gamma");
}

#[test]
fn a_task_is_undone_with_the_subtasks_that_were_added_to_it() {
    let project = Project::new();
    project.run(["add", "one"]);
    project.run(["sub", "add", "one", "a subtask"]);
    project.run(["start", "one"]);
    let undone = project.run(["undo", "--by", "me", "--since", "1h"]);
    assert_eq!(undone.code, 0, "{}", undone.err);
    assert_eq!(board(&project), "");
}

#[test]
fn what_people_put_into_a_task_comes_back_with_it() {
    let project = Project::new();
    project.run(["add", "one"]);
    let edited = project.board_text().replace(
        "    title: one\n",
        "    title: one # mine\n    estimate: 5\n",
    );
    project.write_board(&edited);
    project.run(["rm", "one"]);
    assert!(!project.board_text().contains("estimate"));
    assert_eq!(project.run(["undo"]).code, 0);
    let text = project.board_text();
    assert!(text.contains("    title: one # mine\n"), "{text}");
    assert!(text.contains("    estimate: 5\n"), "{text}");
}

#[test]
fn what_was_done_by_hand_is_in_the_log_at_once_and_can_be_undone() {
    let project = Project::new();
    project.run(["add", "one"]);
    project.run(["edit", "one", "--title", "two"]);
    let edited = project.board_text().replace("title: two", "title: three");
    project.write_board(&edited);
    let told = project.json(["log", "-n", "1"]);
    assert_eq!(
        (&told[0]["by"], &told[0]["after"]["title"]),
        (&json!("file"), &json!("three"))
    );
    let refused = project.run(["undo", "--by", "me"]);
    assert!(
        refused.err.contains("three: edited  file"),
        "{}",
        refused.err
    );
    assert_eq!(project.run(["undo"]).code, 0);
    assert_eq!(board(&project), "two");
}

#[test]
fn a_refusal_names_who_waits_and_a_dry_run_refuses_too() {
    let project = Project::new();
    let mut agent = project.serve();
    agent.initialize("2025-11-25");
    let made = agent.direct("create_task", json!({"title": "one"}));
    let id = made["id"].as_str().unwrap();
    project.run(["add", "two", "--after", id]);
    for arguments in [
        &["undo", "--by", "test-client"][..],
        &["undo", "--by", "test-client", "-n"],
    ] {
        let refused = project.run(arguments);
        assert_eq!(refused.code, 1, "{arguments:?}");
        assert!(refused.err.contains("two: created  ada"), "{}", refused.err);
    }
    project.run(["rm", "two"]);
    assert_eq!(project.run(["undo", "--by", "test-client"]).code, 0);
    let again = project.run(["undo", "--by", "test-client"]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("nothing to undo"), "{}", again.err);
}

#[test]
fn an_empty_name_undoes_nothing() {
    let project = Project::new();
    project.run(["add", "one"]);
    let refused = project.run(["undo", " "]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("the name of the task is empty"));
    assert_eq!(project.json(["list"])[0]["title"], "one");
}

/// Adds a field and a comment of a person's own to the task with this title.
fn annotate(project: &Project, title: &str) {
    let edited = project.board_text().replace(
        &format!("    title: {title}\n"),
        &format!("    title: {title} # mine\n    estimate: 5\n"),
    );
    project.write_board(&edited);
}

fn assert_annotated(project: &Project, expected: bool) {
    let text = project.board_text();
    assert_eq!(text.contains("    estimate: 5\n"), expected, "{text}");
    assert_eq!(text.contains(" # mine\n"), expected, "{text}");
}

#[test]
fn what_people_put_into_a_task_comes_back_whatever_clocks_say() {
    let project = Project::new();
    let id = add(&project, "one");
    let created = project.json(["show", "one"])["created"].clone();
    let edited = project
        .board_text()
        .replace(created.as_str().unwrap(), "2126-01-01T00:00:00.000Z");
    project.write_board(&edited);
    annotate(&project, "one");
    project.run(["rm", &id]);
    assert_annotated(&project, false);
    assert_eq!(project.run(["undo"]).code, 0);
    assert_annotated(&project, true);
}

#[test]
fn what_a_person_removed_from_a_task_does_not_come_back_with_it() {
    let project = Project::new();
    let id = add(&project, "one");
    annotate(&project, "one");
    project.run(["rm", &id]);
    project.run(["undo"]);
    assert_annotated(&project, true);
    let text = project.board_text();
    let text = text.replace(" # mine", "").replace("    estimate: 5\n", "");
    project.write_board(&text);
    project.run(["rm", &id]);
    assert_eq!(project.run(["undo"]).code, 0);
    assert_eq!(board(&project), "one");
    assert_annotated(&project, false);
}

#[test]
fn what_happened_by_a_clock_that_is_ahead_is_not_taken_for_recent() {
    let project = Project::new();
    add(&project, "one");
    let history = project.path().join(".todori/history.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    let at = project.json(["log"])[0]["at"].as_str().unwrap().to_owned();
    fs::remove_file(&history).unwrap();
    let mut file = fs::File::create(&history).unwrap();
    let text = text.replace(&at, "2126-01-01T00:00:00.000Z");
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    assert_eq!(project.run(["undo", "--since", "1h"]).code, 1);
    add(&project, "two");
    let undone = project.json(["undo", "--since", "1h"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 1);
    assert_eq!(board(&project), "one");
    assert_eq!(project.json(["log"]).as_array().unwrap().len(), 3);
}

#[test]
fn each_task_that_was_changed_by_hand_is_undone_by_itself() {
    let project = Project::new();
    project.run(["add", "one"]);
    project.run(["add", "two"]);
    let edited = project.board_text().replace("title: one", "title: First");
    project.write_board(edited.replace("title: two", "title: Second"));
    let undone = project.json(["undo", "First"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 1);
    assert_eq!(board(&project), "one Second");
}

#[test]
fn what_came_with_a_branch_is_left_to_git() {
    let project = Project::new();
    let git = |arguments: &[&str]| {
        let ran = Command::new("git")
            .args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"])
            .args(arguments)
            .current_dir(project.path())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "--quiet", "-b", "main", "."]);
    add(&project, "one");
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "1"]);
    git(&["checkout", "--quiet", "-b", "other"]);
    add(&project, "two");
    // A new branch exchanges nothing: what was changed by hand there can be taken back.
    let edited = project.board_text().replace("title: one", "title: First");
    project.write_board(&edited);
    assert_eq!(project.run(["undo", "First"]).code, 0);
    git(&["commit", "--quiet", "-am", "2"]);
    git(&["checkout", "--quiet", "main"]);
    assert_eq!(board(&project), "one");
    assert_eq!(project.json(["log", "-n", "1"])[0]["by"], "git");
    for arguments in [&["undo"][..], &["undo", "two"], &["undo", "--since", "1h"]] {
        let refused = project.run(arguments);
        assert_eq!(refused.code, 1, "{arguments:?} {refused:?}");
        let says = "todori: nothing was undone: the last change came with a change of branch\n";
        assert!(refused.err.starts_with(says), "{}", refused.err);
        assert_eq!(board(&project), "one", "{arguments:?}");
    }
    // What is done on this branch is another matter.
    add(&project, "three");
    assert_eq!(project.run(["undo"]).code, 0);
    assert_eq!(board(&project), "one");
    let undone = project.run(["undo", "two", "--by", "git"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(board(&project), "one two");
    // The branch is the same as before, but what is on it is not what was last written.
    git(&["checkout", "--quiet", "-b", "third"]);
    git(&["commit", "--quiet", "-am", "3"]);
    git(&["checkout", "--quiet", "main"]);
    assert_eq!(board(&project), "one");
    assert_eq!(project.run(["undo"]).code, 1);
    assert_eq!(board(&project), "one");
}

/// Deletes a task with an editor.
fn cut(project: &Project, id: &str) {
    let text = project.board_text();
    let start = text.find(&format!("  {id}:")).unwrap();
    let rest = &text[start + 2..];
    let mut lines = rest.match_indices("\n  ");
    let next = lines.find(|(at, _)| !rest[at + 3..].starts_with(' '));
    let end = next.map_or(rest.len(), |(at, _)| at + 1);
    project.write_board(format!("{}{}", &text[..start], &rest[end..]));
}

#[test]
fn what_people_put_into_a_task_comes_back_after_it_was_deleted_with_an_editor() {
    let project = Project::new();
    let one = add(&project, "one");
    annotate(&project, "one");
    // Any change of the board is enough for the history to know the text.
    let two = add(&project, "two");
    cut(&project, &one);
    assert_eq!(board(&project), "two");
    assert_eq!(project.run(["undo", "one"]).code, 0);
    assert_eq!(board(&project), "one two");
    assert_annotated(&project, true);
    // The undo itself, and what follows, keep it known.
    project.run(["edit", "one", "-p", "high"]);
    cut(&project, &one);
    project.run(["done", "two"]);
    assert_eq!(project.run(["undo", "one"]).code, 0);
    assert_annotated(&project, true);
    // What is removed before the task is deleted stays removed.
    let text = project.board_text();
    let text = text.replace(" # mine", "").replace("    estimate: 5\n", "");
    project.write_board(&text);
    project.run(["reopen", &two]);
    cut(&project, &one);
    assert_eq!(project.run(["undo", "one"]).code, 0);
    assert_annotated(&project, false);
}

#[test]
fn a_server_that_saw_the_text_of_a_task_keeps_it_when_it_is_deleted_with_an_editor() {
    let project = Project::new();
    let one = add(&project, "one");
    let mut agent = project.serve();
    agent.initialize("2025-11-25");
    annotate(&project, "one");
    agent.direct("get_task", json!({"id": one}));
    cut(&project, &one);
    agent.direct("create_task", json!({"title": "two"}));
    assert_eq!(project.run(["undo", "one"]).code, 0);
    assert_eq!(board(&project), "one two");
    assert_annotated(&project, true);
}
