//! The reference of the command line, as the program itself tells it: docs/reference/commands.md. Set
//! `TODORI_UPDATE_GOLDEN=1` to write the page anew, then read the difference.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::project::Project;

/// The long help of a verb, without blanks at the ends of lines.
fn help(project: &Project, path: &[String]) -> String {
    let printed = project.run(path.iter().map(String::as_str).chain(["--help"]));
    assert_eq!(printed.code, 0, "{path:?}");
    let lines: Vec<&str> = printed.out.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

/// The verbs that a help lists.
fn verbs(help: &str) -> Vec<String> {
    let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = listed.lines().take_while(|line| !line.is_empty());
    // What goes on in the next line is further in.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

fn describe(page: &mut String, project: &Project, path: &[String]) {
    let help = help(project, path);
    let name = ["todori".to_owned()]
        .iter()
        .chain(path)
        .cloned()
        .collect::<Vec<_>>()
        .join(" ");
    let level = "#".repeat(path.len() + 2);
    writeln!(page, "\n{level} `{name}`\n\n```text\n{help}\n```").unwrap();
    for verb in verbs(&help) {
        let path: Vec<String> = path.iter().cloned().chain([verb]).collect();
        describe(page, project, &path);
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests' own switch, and the page that they keep"
)]
fn the_commands_have_their_page() {
    let project = Project::new();
    let mut now = String::from(
        "<!-- Generated from the program's own help by `TODORI_UPDATE_GOLDEN=1 cargo test -p todori --test it reference`. \
        Do not edit. -->\n\n# The command line\n",
    );
    describe(&mut now, &project, &[]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    if std::env::var_os("TODORI_UPDATE_GOLDEN").is_some() {
        fs::write(&path, &now).unwrap();
    }
    let then = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        then == now,
        "docs/reference/commands.md is out of date: TODORI_UPDATE_GOLDEN=1 cargo test -p todori --test it reference"
    );
}
