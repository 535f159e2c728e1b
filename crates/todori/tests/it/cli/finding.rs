//! Tasks by words of their title, moving them, what they wait for, and how lists are narrowed.

use serde_json::{Value, json};

use crate::project::Project;

fn three(project: &Project) {
    project.run(["add", "Fix the login", "-p", "high"]);
    project.run(["add", "Write the docs", "--after", "login"]);
    project.run(["add", "Ship it", "--after", "docs", "--after", "login"]);
}

fn titles(listed: &Value) -> Vec<&str> {
    let tasks = listed.as_array().unwrap().iter();
    tasks.map(|task| task["title"].as_str().unwrap()).collect()
}

/// What is drawn, with `#` for ids.
fn check_tree(project: &Project, arguments: &[&str], expected: &str) {
    let mut drawn = project.run(arguments).out;
    for task in project.json(["list", "--all"]).as_array().unwrap() {
        drawn = drawn.replace(&task["id"].as_str().unwrap()[..8], "#");
    }
    assert_eq!(drawn, expected);
}

#[test]
fn a_task_is_known_by_words_of_its_title() {
    let project = Project::new();
    three(&project);
    let show = |given: &str| project.json(["show", given])["title"].clone();
    assert_eq!(show("login"), "Fix the login");
    assert_eq!(show("docs write"), "Write the docs");
    assert_eq!(show("lgoin"), "Fix the login", "a slip of the finger");
    let several = project.run(["done", "the"]);
    assert_eq!(several.code, 1, "nobody can be asked");
    assert!(
        several.err.contains("2 tasks could be meant by the"),
        "{}",
        several.err
    );
    assert!(several.err.contains("Fix the login (pending)"));
    assert_eq!(project.json(["list", "--status", "done"]), json!([]));
    assert_eq!(project.run(["done", "nothing like it"]).code, 1);
    // What is done is meant only where nothing open could be.
    project.run(["done", "login"]);
    assert_eq!(show("the"), "Write the docs");
    assert_eq!(show("login"), "Fix the login");
}

#[test]
fn a_part_of_several_titles_decides_nothing() {
    let project = Project::new();
    project.run(["add", "Fix the login"]);
    project.run(["add", "Login page colour"]);
    project.run(["add", "Log in"]);
    for verb in ["rm", "show", "done"] {
        let printed = project.run([verb, "login"]);
        assert_eq!(printed.code, 1, "{printed:?}");
        for line in [
            "2 tasks could be meant by login",
            "Fix the login (pending)",
            "Login page colour (pending)",
        ] {
            assert!(printed.err.contains(line), "{line}: {printed:?}");
        }
    }
    assert_eq!(project.json(["list"]).as_array().unwrap().len(), 3);
    // The whole title, whatever its case, is enough; and a slip counts only where nothing else does.
    project.run(["add", "LOGIN"]);
    project.run(["add", "Lagoon login"]);
    assert_eq!(project.json(["show", "login"])["title"], "LOGIN");
    assert_eq!(project.json(["show", "lagoom"])["title"], "Lagoon login");
    // What is done and named in full is not passed over for a part of another.
    project.run(["done", "login"]);
    assert_eq!(project.run(["reopen", "login"]).code, 1);
    assert!(
        project
            .run(["reopen", "login"])
            .err
            .contains("LOGIN (done)")
    );
}

#[test]
fn a_subtask_that_is_not_there_is_told_from_those_that_are() {
    let project = Project::new();
    let task = project.json(["add", "one"]);
    let id = &task["id"].as_str().unwrap()[..8];
    let check = |hint: &str| {
        let printed = project.run(["sub", "done", "one.9"]);
        let expected = format!("todori: {id} one has no subtask 9\n  {hint}\n");
        assert_eq!((printed.code, printed.err), (1, expected));
    };
    check(&format!("it has none; add one: todori sub add {id} TITLE"));
    project.run(["sub", "add", "one", "first"]);
    check(&format!("its only subtask is 1: {id}.1"));
    project.run(["sub", "add", "one", "second"]);
    check(&format!("its subtasks are 1, 2; write one as {id}.1"));
}

#[test]
fn tasks_are_moved_and_wait_for_each_other() {
    let project = Project::new();
    three(&project);
    let moved = project.run(["move", "ship", "--first"]);
    assert!(
        moved.out.ends_with("Ship it: it is now 1 of 3\n"),
        "{}",
        moved.out
    );
    project.run(["move", "docs", "--before", "ship"]);
    let listed = project.json(["list"]);
    assert_eq!(
        titles(&listed),
        ["Write the docs", "Ship it", "Fix the login"]
    );
    assert_eq!(project.run(["move", "docs"]).code, 2, "where to?");
    let cycle = project.run(["dep", "add", "login", "ship"]);
    assert_eq!(cycle.code, 1);
    assert!(
        cycle.err.contains("wait for each other for ever"),
        "{}",
        cycle.err
    );
    project.run(["dep", "rm", "ship", "login"]);
    let waits = project.json(["show", "ship"])["dependencies"].clone();
    assert_eq!(waits.as_array().unwrap().len(), 1);
    check_tree(
        &project,
        &["dep", "show", "ship"],
        "-  # Ship it\n`- -  # Write the docs\n   `- -  # Fix the login\n",
    );
}

#[test]
fn a_list_is_narrowed_sorted_and_drawn_as_a_tree() {
    let project = Project::new();
    three(&project);
    let check = |arguments: &[&str], expected: &[&str]| {
        let listed = project.json(arguments);
        assert_eq!(titles(&listed), expected, "{arguments:?}");
    };
    check(&["list", "--ready"], &["Fix the login"]);
    check(&["list", "--waiting"], &["Write the docs", "Ship it"]);
    check(&["list", "DOCS"], &["Write the docs"]);
    check(
        &["list", "--sort", "priority"],
        &["Fix the login", "Ship it", "Write the docs"],
    );
    project.run(["start", "login"]);
    check(&["list", "--by", "me"], &["Fix the login"]);
    check(&["list", "--by", "nobody"], &[]);
    check_tree(
        &project,
        &["list", "--tree"],
        "-  # Ship it\n|- -  # Write the docs\n|  `- >  # Fix the login\n`- >  # Fix the login\n",
    );
    let mut others = project.command();
    others
        .env("TODORI_SESSION", "some-agent")
        .args(["start", "docs"]);
    assert!(others.output().unwrap().status.success());
    check(&["list", "--by", "me"], &["Fix the login"]);
    check(&["list", "--by", "some"], &["Write the docs"]);
}

#[test]
fn completions_and_the_manual_name_every_verb() {
    let project = Project::nowhere();
    let help = project.run(["--help"]).out;
    let commands = help.split("Commands:\n").nth(1).unwrap();
    let commands = commands.split("\n\n").next().unwrap();
    let verbs: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        verbs.contains(&"undo") && verbs.contains(&"move"),
        "{verbs:?}"
    );
    let manual = project.run(["man"]).out;
    for shell in ["bash", "zsh", "fish"] {
        let script = project.run(["completions", shell]);
        assert_eq!(script.code, 0);
        for verb in &verbs {
            assert!(script.out.contains(verb), "{verb} in {shell}");
        }
    }
    for verb in &verbs {
        let heading = format!(".SH \"TODORI {}\"", verb.to_uppercase());
        assert!(manual.contains(&heading), "{heading}");
    }
    for heading in [".SH \"EXIT STATUS\"", ".SH ENVIRONMENT", "TODORI_SESSION"] {
        assert!(manual.contains(heading), "{heading}");
    }
    assert_eq!(project.run(["completions", "tcsh"]).code, 2);
}

#[test]
fn shells_complete_the_words_that_an_argument_takes() {
    let project = Project::nowhere();
    let check = |verb: &str, words: &[&str]| {
        for shell in ["bash", "zsh", "fish"] {
            let script = project.run(["completions", shell]).out;
            // The part about this verb.
            let part: String = match shell {
                "bash" => script
                    .split(&format!("        todori__subcmd__{verb})\n"))
                    .nth(1)
                    .and_then(|rest| rest.split("        todori__").next())
                    .unwrap_or_default()
                    .to_owned(),
                "zsh" => script
                    .split(&format!("\n({verb})\n"))
                    .nth(1)
                    .and_then(|rest| rest.split("\n;;").next())
                    .unwrap_or_default()
                    .to_owned(),
                _ => script
                    .split("\ncomplete ")
                    .filter(|part| part.contains(&format!("subcommand {verb}\"")))
                    .filter_map(|part| part.split(" -a ").nth(1))
                    .collect(),
            };
            for word in words {
                assert!(part.contains(word), "{shell}: {word} for {verb}: {part}");
            }
        }
    };
    check("list", &["in-progress", "cancelled", "medium", "updated"]);
    check("add", &["high", "medium", "low"]);
    check("edit", &["high", "medium", "low"]);
    check("completions", &["bash", "zsh", "fish"]);
    check("install", &["claude-code", "opencode", "user", "project"]);
    check("uninstall", &["claude-code", "opencode", "user", "project"]);
    check("export", &["markdown", "csv", "deferred", "low"]);
    check("import", &["task-master", "backlog-md", "todo-txt"]);
    check("hook", &["session-start"]);
}
