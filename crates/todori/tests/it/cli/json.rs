//! The shapes of `--json` are those that docs/reference/json.md lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::project::Project;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/json.md");
    fs::read_to_string(path).unwrap()
}

/// The names in the first column of the table below a heading.
fn listed(heading: &str) -> BTreeSet<String> {
    let page = page();
    let below = page
        .split(&format!("## {heading}\n"))
        .nth(1)
        .unwrap_or_default();
    let section = below.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next())
        .map(str::to_owned)
        .collect()
}

fn check(heading: &str, value: &Value) {
    let fields: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
    assert_eq!(listed(heading), fields, "{heading}");
}

#[test]
fn every_shape_is_as_documented() {
    let project = Project::new();
    let added = project.json(["add", "Fix the login"]);
    let id = added["id"].as_str().unwrap();
    project.run(["sub", "add", id, "Look"]);
    let shown = project.json(["show", id]);
    check("A task", &shown);
    check("A subtask", &shown["subtasks"][0]);
    check("log", &project.json(["log"])[0]);
    check("export", &project.json(["export"]));
    let file = project.path().join("board.json");
    check(
        "export to a file",
        &project.json(["export", "-o", file.to_str().unwrap()]),
    );
    check("import", &project.json(["import", "board.json"]));
    check("stats", &project.json(["stats"]));
    check("next", &project.json(["next"]));
    check("init", &project.json(["init"]));
    check("todori alone", &project.json(Vec::<&str>::new()));
    let watched = project.json(["watch", "--once"]);
    check("watch", &watched);
    check("A watched list", &watched["project"]);
    let output = project
        .command()
        .args(["doctor", "--json"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    check("doctor", &told);
    check("A finding", &told["findings"][0]);
    for arguments in [&["move", id, "--first"][..], &["dep", "show", id]] {
        check("A task", &project.json(arguments));
    }
    check("statusline", &project.json(["statusline"]));
    check(
        "hook",
        &project.json(["hook", "session-start"])["hookSpecificOutput"],
    );
    assert!(project.json(["completions", "bash"])["script"].is_string());
    assert!(project.json(["man"])["page"].is_string());
    check("rm", &project.json(["rm", id]));
    check("undo", &project.json(["undo"]));
    let refused = project
        .command()
        .args(["--json", "show", "ffff"])
        .output()
        .unwrap();
    let error: Value = serde_json::from_slice(&refused.stderr).unwrap();
    check("An error", &error["error"]);
}

#[test]
fn what_is_written_for_others_is_as_documented() {
    let project = Project::new();
    project.run(["add", "Fix the login"]);
    let board = project.board_file();
    let board = board.to_str().unwrap();
    check("merge", &project.json(["merge", board, board, board]));
    assert!(project.json(["merge", "--print", board, board, board])["text"].is_string());
    let installed = project.json(["install", "claude-code", "--scope", "project", "--yes"]);
    check("install", &installed);
    check("A changed file", &installed["changes"][0]);
    check("install without a client", &project.json(["install"])[0]);
    check(
        "install",
        &project.json(["uninstall", "claude-code", "--yes"]),
    );
}

#[test]
fn what_track_prints_is_as_documented() {
    let project = Project::new();
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/track/recordings/tasks-2.1.325.jsonl");
    let mut command = project.command();
    command
        .args(["track", "--json"])
        .stdin(fs::File::open(recording).unwrap());
    let lines = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    check("track", &lines[0]);
    check("A tracked list", &lines[0]["lists"][0]);
    check("track at the end", lines.last().unwrap());
}

#[test]
fn every_verb_is_on_the_page() {
    let help = Project::nowhere().run(["--help"]).out;
    let commands = help.split("Commands:\n").nth(1).unwrap();
    let page = page();
    let table = page.split("\n## ").next().unwrap();
    let lines = commands.lines().take_while(|line| !line.is_empty());
    let names = lines
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next());
    let mut count = 0;
    for name in names {
        count += 1;
        assert!(
            table.contains(&format!("`{name}`")) || page.contains(&format!("## {name}\n")),
            "{name}"
        );
    }
    assert!(count > 25, "{help}");
}
