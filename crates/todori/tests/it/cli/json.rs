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
    check("A step", &shown["subtasks"][0]);
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
    check("rm", &project.json(["rm", id]));
    let refused = project
        .command()
        .args(["--json", "show", "ffff"])
        .output()
        .unwrap();
    let error: Value = serde_json::from_slice(&refused.stderr).unwrap();
    check("An error", &error["error"]);
}
