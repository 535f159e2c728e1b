//! What is written for each client, and that taking it back leaves every file as it was.

use serde_json::Value;

use super::Site;

/// A client, its file in each scope, and what is written into an empty one.
struct Case {
    client: &'static str,
    project: &'static str,
    user: &'static str,
    text: &'static str,
}

const CASES: [Case; 6] = [
    Case {
        client: "claude-code",
        project: ".mcp.json",
        user: "~/.claude.json",
        text: "{\n  \"mcpServers\": {\n    \"todori\": {\n      \"type\": \"stdio\",\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
    },
    Case {
        client: "codex",
        project: ".codex/config.toml",
        user: "~/.codex/config.toml",
        text: "[mcp_servers.todori]\ncommand = \"todori\"\nargs = [\"serve\"]\n",
    },
    Case {
        client: "gemini",
        project: ".gemini/settings.json",
        user: "~/.gemini/settings.json",
        text: "{\n  \"mcpServers\": {\n    \"todori\": {\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
    },
    Case {
        client: "vscode",
        project: ".vscode/mcp.json",
        user: "~/.config/Code/User/mcp.json",
        text: "{\n  \"servers\": {\n    \"todori\": {\n      \"type\": \"stdio\",\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
    },
    Case {
        client: "cursor",
        project: ".cursor/mcp.json",
        user: "~/.cursor/mcp.json",
        text: "{\n  \"mcpServers\": {\n    \"todori\": {\n      \"command\": \"todori\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
    },
    Case {
        client: "opencode",
        project: "opencode.json",
        user: "~/.config/opencode/opencode.json",
        text: "{\n  \"mcp\": {\n    \"todori\": {\n      \"type\": \"local\",\n      \"command\": [\"todori\", \"serve\"],\n      \"enabled\": true\n    }\n  }\n}\n",
    },
];

#[test]
fn each_client_gets_its_own_entry_in_its_own_file_and_nothing_is_left_of_it() {
    for case in CASES {
        let Case {
            client,
            project,
            user,
            text,
        } = case;
        for (scope, file, mode) in [("project", project, 0o644), ("user", user, 0o600)] {
            let site = Site::new();
            let printed = site.done(&["install", client, "--scope", scope, "--yes"]);
            assert!(
                printed.contains(&format!("{} (new)\n+ ", site.path(file).display())),
                "{printed}"
            );
            assert!(printed.ends_with(&format!("To take it back: todori uninstall {client}\n")));
            assert_eq!(site.read(file).as_deref(), Some(text), "{client} {scope}");
            assert_eq!(site.mode(file), mode);
            let again = site.done(&["install", client, "--scope", scope, "--yes"]);
            assert!(
                again.starts_with("It is there already, just like this: "),
                "{again}"
            );
            site.done(&["uninstall", client, "--yes"]);
            assert_eq!(
                site.files(),
                Vec::<std::path::PathBuf>::new(),
                "{client} {scope}"
            );
            let again = site.done(&["uninstall", client, "--yes"]);
            assert!(again.starts_with("todori is not installed in "), "{again}");
        }
    }
}

/// Files as people and programs leave them. `KEY` stands for where a client lists its servers.
const JSON: [&str; 19] = [
    "",
    "\n",
    "{}",
    "{}\n",
    "{\n}\n",
    "{ }",
    "{\n  \n}",
    "\u{feff}{}",
    "// nothing yet\n",
    "{\"KEY\": {}}",
    "{\"KEY\":{},\"a\":[1,2,{\"b\":null}]}",
    "{\n  \"KEY\": {}\n}\n",
    "{\r\n\t\"KEY\": {\r\n\t\t\"other\": {\"command\": \"x\", \"args\": []}\r\n\t},\r\n\t\"theme\": \"dark\"\r\n}\r\n",
    "{\n    // servers\n    \"KEY\": {\n        \"other\": {\n            \"command\": \"x\", // quick\n        }, // last\n    },\n}",
    "{\n  \"KEY\": {\n    \"other\": 1 /* one */ // two\n    // three\n  } // four\n}\n// five",
    "{\n  \"größe\": \"日本 \\\" // no comment\",\n  \"nested\": {\"KEY\": {\"todori\": 1}}\n}\n",
    "/* head */ {\"a\": 1, /* mid */ \"KEY\" /* k */ : /* v */ { \"x\" : 1 } } /* tail */",
    "{\n  \"a\": 1\n}",
    "{\n\n  \"a\": 1\n\n}\n",
];

const TOML: [&str; 13] = [
    "",
    "\n",
    "model = \"gpt\"",
    "model = \"gpt\"\n",
    "\u{feff}# head\nmodel = 'x' # c\n\n\n",
    "model = \"gpt\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"x\"\r\n",
    "[mcp_servers]\n[mcp_servers.other]\ncommand = \"x\"\nargs = [\n  \"a\", # b\n]\n\n# the end",
    "[mcp_servers.other.env]\nA = \"[mcp_servers.todori]\"\n",
    "text = \"\"\"\n[mcp_servers.todori]\n\"\"\"\n[[list]]\na = 1\n[[list]]\na = 2",
    "mcp_servers.other.command = \"x\"\n\n[projects.\"/home/größe/x\"]\ntrust_level = \"trusted\"\n",
    "# only a comment",
    "[[profiles]]\nname = \"a\"\n[profiles.env]\nA = \"1\"\n\n[[profiles]]\n[profiles.env]\nA = \"2\"\n",
    "[a]\nb = { c = 1, d = [ {}, {} ] }\n\n\n[e]",
];

#[test]
fn what_was_there_before_is_there_afterwards_to_the_last_byte() {
    for case in CASES {
        let key = match case.client {
            "vscode" => "servers",
            "opencode" => "mcp",
            _ => "mcpServers",
        };
        let site = Site::new();
        let corpus: &[&str] = if case.client == "codex" { &TOML } else { &JSON };
        for text in corpus {
            let text = text.replace("KEY", key);
            site.write(case.project, &text);
            site.done(&["install", case.client, "--scope", "project", "--yes"]);
            let written = site.read(case.project).unwrap();
            assert_ne!(written, text);
            site.done(&["uninstall", case.client, "--yes"]);
            assert_eq!(
                site.read(case.project),
                Some(text),
                "{}: {written}",
                case.client
            );
        }
    }
}

#[test]
fn somebody_elses_changes_in_between_are_kept() {
    let site = Site::new();
    site.write(
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"a\": 1\n  }\n}\n",
    );
    site.done(&["install", "claude-code", "--yes"]);
    let text = site.read(".mcp.json").unwrap();
    site.write(
        ".mcp.json",
        text.replace("\"a\": 1", "\"a\": 2, // mine\n    \"b\": 3"),
    );
    site.done(&["uninstall", "claude-code", "--yes"]);
    assert_eq!(
        site.read(".mcp.json").unwrap(),
        "{\n  \"mcpServers\": {\n    \"a\": 2, // mine\n    \"b\": 3\n  }\n}\n"
    );
    // What was made here, and is empty now, goes; what was not made here stays.
    site.done(&["install", "cursor", "--yes"]);
    let text = site.read(".cursor/mcp.json").unwrap();
    site.write(".cursor/mcp.json", text.replace("  ", "\t"));
    site.done(&["uninstall", "cursor", "--yes"]);
    assert_eq!(site.read(".cursor/mcp.json"), None);
    site.write(".cursor/mcp.json", text);
    site.done(&["uninstall", "cursor", "--yes"]);
    assert_eq!(site.read(".cursor/mcp.json").as_deref(), Some("{}\n"));
}

#[test]
fn another_entry_in_its_place_is_shown_and_replaced() {
    let site = Site::new();
    let old =
        "{\n  \"mcpServers\": {\n    \"todori\": {\"command\": \"old\"},\n    \"b\": 1\n  }\n}\n";
    site.write(".mcp.json", old);
    let shown = site.done(&["install", "claude-code", "--print"]);
    assert!(
        shown.contains("-     \"todori\": {\"command\": \"old\"},\n+     \"todori\": {\n"),
        "{shown}"
    );
    assert_eq!(site.read(".mcp.json").as_deref(), Some(old));
    site.done(&["install", "claude-code", "--yes"]);
    site.done(&["uninstall", "claude-code", "--yes"]);
    assert_eq!(
        site.read(".mcp.json").as_deref(),
        Some(old),
        "somebody else's comes back"
    );
    site.done(&["uninstall", "claude-code", "--yes"]);
    assert_eq!(
        site.read(".mcp.json").unwrap(),
        "{\n  \"mcpServers\": {\n    \"b\": 1\n  }\n}\n",
        "and goes if that is wanted"
    );
}

#[test]
fn toolsets_and_addresses_are_written() {
    let site = Site::new();
    site.done(&[
        "install",
        "claude-code",
        "--toolsets",
        "tasks,todo",
        "--yes",
    ]);
    assert!(
        site.read(".mcp.json")
            .unwrap()
            .contains(r#""args": ["serve", "--toolsets", "tasks,todo"]"#)
    );
    site.done(&["install", "cursor", "--store", "/srv/board", "--yes"]);
    assert!(
        site.read(".cursor/mcp.json")
            .unwrap()
            .contains(r#""args": ["serve", "--store", "/srv/board"]"#)
    );
    let url = "http://127.0.0.1:8636/mcp";
    for (client, file, words) in [
        ("claude-code", ".mcp.json", r#""type": "http","#),
        ("codex", "~/.codex/config.toml", "url = "),
        ("gemini", ".gemini/settings.json", r#""httpUrl": "#),
        ("vscode", ".vscode/mcp.json", r#""type": "http","#),
        ("cursor", ".cursor/mcp.json", r#""url": "#),
        ("opencode", "opencode.json", r#""type": "remote","#),
    ] {
        site.done(&["install", client, "--http", url, "--yes"]);
        let text = site.read(file).unwrap();
        assert!(
            text.contains(words) && text.contains(&format!("\"{url}\"")),
            "{text}"
        );
        assert!(!text.contains("\"serve\""), "{text}");
    }
}

#[test]
fn homes_that_are_elsewhere_are_found() {
    let site = Site::new();
    let run = |client: &str, variable: &str, file: &str| {
        let folder = site.path("~/elsewhere");
        let mut command = site.command();
        command.args(["install", client, "--scope", "user", "--yes"]);
        assert!(
            command
                .env(variable, &folder)
                .output()
                .unwrap()
                .status
                .success()
        );
        assert!(folder.join(file).is_file(), "{client}");
    };
    run("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json");
    run("codex", "CODEX_HOME", "config.toml");
    run("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json");
    run("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json");
    // The file that is there is used, with comments or without.
    site.write("opencode.jsonc", "{ /* mine */ }");
    site.done(&["install", "opencode", "--yes"]);
    assert!(site.read("opencode.jsonc").unwrap().contains("todori"));
    assert_eq!(site.read("opencode.json"), None);
}

#[test]
fn without_a_project_it_is_for_the_user_and_codex_is_always() {
    let site = Site::new();
    site.done(&["install", "codex", "--yes"]);
    assert!(site.read("~/.codex/config.toml").is_some());
    std::fs::remove_dir(site.path(".todori")).unwrap();
    site.done(&["install", "cursor", "--yes"]);
    assert!(site.read("~/.cursor/mcp.json").is_some());
}

#[test]
fn a_hook_and_a_status_line_come_on_request_and_go_again() {
    let settings = "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ]\n  }\n}\n";
    for (scope, file) in [
        ("project", ".claude/settings.json"),
        ("user", "~/.claude/settings.json"),
    ] {
        let site = Site::new();
        site.write(file, settings);
        site.done(&["install", "claude-code", "--scope", scope, "--yes"]);
        assert_eq!(site.read(file).as_deref(), Some(settings));
        let wanted = [
            "install",
            "claude-code",
            "--scope",
            scope,
            "--hook",
            "--statusline",
            "--yes",
        ];
        site.done(&wanted);
        let text = site.read(file).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let hooks = value["hooks"]["SessionStart"].as_array().unwrap();
        assert_eq!(hooks.len(), 2);
        assert_eq!(
            hooks[1].to_string(),
            r#"{"matcher":"startup|resume|clear|compact","hooks":[{"type":"command","command":"todori hook session-start","timeout":5}]}"#
        );
        assert_eq!(value["statusLine"]["command"], "todori statusline");
        assert!(site.done(&wanted).starts_with("It is there already"));
        assert_eq!(site.read(file), Some(text.clone()));
        site.done(&["uninstall", "claude-code", "--yes"]);
        assert_eq!(site.read(file).as_deref(), Some(settings));
        // The same where nothing is remembered.
        site.write(file, &text);
        site.done(&["uninstall", "claude-code", "--yes"]);
        assert_eq!(site.read(file).as_deref(), Some(settings));
    }
}

#[test]
fn somebody_elses_status_line_comes_back() {
    let site = Site::new();
    let settings = "{\"statusLine\": {\"type\": \"command\", \"command\": \"mine\"}}";
    site.write(".claude/settings.json", settings);
    let printed = site.done(&["install", "claude-code", "--statusline", "--yes"]);
    assert!(
        printed.contains("- {\"statusLine\": {\"type\": \"command\", \"command\": \"mine\"}}"),
        "{printed}"
    );
    assert!(
        site.read(".claude/settings.json")
            .unwrap()
            .contains("todori statusline")
    );
    site.done(&["uninstall", "claude-code", "--yes"]);
    assert_eq!(
        site.read(".claude/settings.json").as_deref(),
        Some(settings)
    );
    // It is not ours to remove.
    site.done(&["uninstall", "claude-code", "--yes"]);
    assert_eq!(
        site.read(".claude/settings.json").as_deref(),
        Some(settings)
    );
}

#[test]
fn an_entry_that_somebody_wrote_comes_back() {
    let entry = "{\"mcpServers\": {\"todori\": {\"command\": \"npx\", \"args\": [\"x\"], \"env\": {\"A\": \"b\"}}}}";
    let table = "[mcp_servers.todori]\ncommand = \"npx\"\nargs = [\"x\"]\n\n[mcp_servers.todori.env]\nA = \"b\"\n";
    for (client, file, text) in [
        ("claude-code", ".mcp.json", entry),
        ("codex", "~/.codex/config.toml", table),
    ] {
        let site = Site::new();
        site.write(file, text);
        site.done(&["install", client, "--yes"]);
        assert!(!site.read(file).unwrap().contains("npx"));
        // Twice, with something else.
        site.done(&["install", client, "--toolsets", "todo", "--yes"]);
        site.done(&["uninstall", client, "--yes"]);
        assert_eq!(site.read(file).as_deref(), Some(text));
        // Where the file is another one since, only what is there is taken out.
        site.done(&["install", client, "--yes"]);
        site.write(file, site.read(file).unwrap() + "\n");
        site.done(&["uninstall", client, "--yes"]);
        assert!(!site.read(file).unwrap().contains("todori"));
    }
}

#[test]
fn what_was_changed_between_two_installations_hides_no_entry_of_ours() {
    let site = Site::new();
    site.write(".mcp.json", "{}\n");
    site.done(&["install", "claude-code", "--yes"]);
    site.write(".mcp.json", site.read(".mcp.json").unwrap() + "\n");
    site.done(&["install", "claude-code", "--toolsets", "todo", "--yes"]);
    site.done(&["uninstall", "claude-code", "--yes"]);
    assert!(!site.read(".mcp.json").unwrap().contains("todori"));
}

#[test]
fn what_to_do_next_fits_the_scope() {
    let site = Site::new();
    let printed = site.done(&["install", "claude-code", "--yes"]);
    assert!(printed.contains("it asks once"), "{printed}");
    let printed = site.done(&["install", "claude-code", "--scope", "user", "--yes"]);
    assert!(!printed.contains("it asks once"), "{printed}");
    std::fs::remove_dir_all(site.path(".todori")).unwrap();
    let refused = site.run(["install", "git", "--yes"]);
    assert_eq!(refused.code, 1);
    assert!(!refused.err.contains("--scope"), "{}", refused.err);
}

#[test]
fn git_learns_who_merges_boards() {
    let site = Site::new();
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(arguments)
            .current_dir(site.project.path())
            .env_clear()
            .env("HOME", site.home.path())
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    site.write(".gitattributes", "*.png binary");
    let printed = site.done(&["install", "git", "--yes"]);
    assert!(
        printed.contains("$ git config --local merge.todori.driver 'todori merge %O %A %B'\n"),
        "{printed}"
    );
    let attributes = "*.png binary\n.todori/tasks.yaml merge=todori\n";
    assert_eq!(site.read(".gitattributes").as_deref(), Some(attributes));
    assert_eq!(
        git(&["config", "merge.todori.driver"]),
        "todori merge %O %A %B"
    );
    assert!(git(&["check-attr", "merge", ".todori/tasks.yaml"]).ends_with("merge: todori"));
    assert!(
        site.done(&["install", "git", "--yes"])
            .starts_with("It is there already")
    );
    site.done(&["uninstall", "git", "--yes"]);
    assert_eq!(site.read(".gitattributes").as_deref(), Some("*.png binary"));
    assert_eq!(git(&["config", "--get-regexp", "merge"]), "");
}

#[test]
fn all_clients_are_listed_with_where_it_is_installed() {
    let site = Site::new();
    site.done(&["install", "cursor", "--yes"]);
    let list = site.done(&["install"]);
    let cursor = format!(
        "cursor       installed in {}\n",
        site.path(".cursor/mcp.json").display()
    );
    assert!(list.contains(&cursor), "{list}");
    assert!(
        list.contains("codex        not found on the PATH\n"),
        "{list}"
    );
    let rows: Value = serde_json::from_str(&site.done(&["install", "--json"])).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 7);
    assert_eq!(
        rows[4]["installed"][0],
        site.path(".cursor/mcp.json").display().to_string()
    );
}
