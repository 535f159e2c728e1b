//! What is in the way of installing is said, and nothing is damaged by trying.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::Value;

use super::Site;

/// Fails with these words, and leaves a file as it was.
fn check(site: &Site, arguments: &[&str], code: i32, words: &str) {
    let before = site.files();
    let printed = site.run(arguments);
    assert_eq!(printed.code, code, "{printed:?}");
    assert!(printed.err.contains(words), "{}", printed.err);
    assert_eq!(site.files(), before);
}

#[test]
fn a_file_that_can_not_be_read_stays_as_it_is() {
    let site = Site::new();
    let check_text = |file: &str, client: &str, text: &[u8], words: &str| {
        site.write(file, text);
        for verb in ["install", "uninstall"] {
            check(
                &site,
                &[verb, client, "--scope", "project", "--yes"],
                1,
                words,
            );
            assert_eq!(fs::read(site.path(file)).unwrap(), text);
        }
    };
    let json = ".mcp.json";
    check_text(
        json,
        "claude-code",
        b"{\"mcpServers\": {",
        "is broken at line 1, column 16: unterminated object\n  mend the file",
    );
    check_text(
        json,
        "claude-code",
        b"{\n  mcpServers: {}\n}",
        "is broken at line 2, column 3",
    );
    check_text(
        json,
        "claude-code",
        b"{\"mcpServers\": {}, \"mcpServers\": {}}",
        "has mcpServers twice",
    );
    check_text(
        json,
        "claude-code",
        b"{\"mcpServers\": []}",
        "mcpServers is not an object",
    );
    check_text(json, "claude-code", b"[]", "the file is not an object");
    check_text(json, "claude-code", b"\xff\xfe{\0}\0", "is not UTF-8 text");
    let toml = ".codex/config.toml";
    check_text(
        toml,
        "codex",
        b"model = \n",
        "is broken at line 1, column 9: string values must be quoted",
    );
    check_text(
        toml,
        "codex",
        b"[a]\n[a]\n",
        "is broken at line 2, column 2: duplicate key",
    );
    check_text(
        toml,
        "codex",
        b"[mcp_servers.todori\n",
        "is broken at line 1, column 20: unclosed table",
    );
    site.write(toml, "mcp_servers = {}\n");
    let arguments = ["install", "codex", "--scope", "project", "--yes"];
    check(&site, &arguments, 1, "mcp_servers is written as one value");
}

#[test]
fn a_folder_in_its_place_a_read_only_home_and_no_home_are_said() {
    let site = Site::new();
    fs::create_dir_all(site.path(".cursor/mcp.json")).unwrap();
    check(
        &site,
        &["install", "cursor", "--yes"],
        1,
        "mcp.json is a folder\n",
    );
    fs::remove_dir_all(site.path(".cursor")).unwrap();
    site.write(".cursor", "a file");
    check(&site, &["install", "cursor", "--yes"], 3, "cannot read ");
    fs::remove_file(site.path(".cursor")).unwrap();
    let mut command = site.command();
    command
        .env_remove("HOME")
        .args(["install", "cursor", "--scope", "user", "--yes"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("nobody knows where your home is")
    );
    // A home in which nobody can make anything, not even the superuser.
    let mut command = site.command();
    command
        .env("HOME", "/proc")
        .args(["install", "gemini", "--scope", "user", "--yes"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(
        words.starts_with("todori: cannot make /proc/.gemini: "),
        "{words}"
    );
    assert!(words.ends_with("nothing was changed\n"), "{words}");
}

#[test]
fn links_are_followed_to_the_users_own_files_only() {
    let site = Site::new();
    // Dotfiles that are kept elsewhere are common.
    site.write("~/dotfiles/gemini.json", "{\"a\": 1}");
    fs::set_permissions(
        site.path("~/dotfiles/gemini.json"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    fs::create_dir(site.path("~/.gemini")).unwrap();
    symlink(
        site.path("~/dotfiles/gemini.json"),
        site.path("~/.gemini/settings.json"),
    )
    .unwrap();
    let printed = site.done(&["install", "gemini", "--scope", "user", "--yes"]);
    assert!(printed.contains("  which is "), "{printed}");
    assert!(
        site.read("~/dotfiles/gemini.json")
            .unwrap()
            .contains("todori")
    );
    assert!(
        site.path("~/.gemini/settings.json")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert_eq!(site.mode("~/dotfiles/gemini.json"), 0o640);
    site.done(&["uninstall", "gemini", "--yes"]);
    assert_eq!(
        site.read("~/dotfiles/gemini.json").as_deref(),
        Some("{\"a\": 1}")
    );
    // A repository may have been made by anybody.
    site.write("~/.bashrc", "mine");
    symlink(site.path("~/.bashrc"), site.path(".mcp.json")).unwrap();
    check(
        &site,
        &["install", "claude-code", "--yes"],
        1,
        "is a link that leads out of the project",
    );
    fs::remove_file(site.path(".mcp.json")).unwrap();
    symlink(site.home.path(), site.path(".cursor")).unwrap();
    check(
        &site,
        &["install", "cursor", "--yes"],
        1,
        "is a link that leads out of the project",
    );
    symlink("nowhere", site.path(".mcp.json")).unwrap();
    check(
        &site,
        &["install", "claude-code", "--yes"],
        1,
        "is a link that leads nowhere",
    );
    assert_eq!(site.read("~/.bashrc").as_deref(), Some("mine"));
}

#[test]
fn without_a_terminal_it_wants_to_be_told() {
    let site = Site::new();
    check(
        &site,
        &["install", "cursor"],
        2,
        "nothing was written: there is no terminal to ask on\n  use --yes",
    );
    check(
        &site,
        &["install", "cursor", "--json"],
        2,
        "there is no terminal to ask on",
    );
    site.done(&["install", "cursor", "--yes"]);
    check(
        &site,
        &["uninstall", "cursor"],
        2,
        "there is no terminal to ask on",
    );
    check(
        &site,
        &["install", "cursor", "--yes", "--print"],
        2,
        "cannot be used with",
    );
    check(
        &site,
        &["install", "cursor", "--hook"],
        2,
        "only Claude Code has hooks",
    );
    check(&site, &["install", "emacs"], 2, "known: claude-code, codex");
    check(
        &site,
        &["install", "cursor", "--toolsets", "x"],
        2,
        "there is no toolset \"x\"",
    );
    check(
        &site,
        &["install", "cursor", "--http", "x"],
        2,
        "expected a URL",
    );
    check(
        &site,
        &["install", "git", "--scope", "user"],
        1,
        "git is set up for each repository",
    );
    check(
        &site,
        &["install", "git", "--yes"],
        3,
        "not a git repository",
    );
    fs::remove_dir(site.path(".todori")).unwrap();
    check(
        &site,
        &["install", "cursor", "--scope", "project"],
        1,
        "there is no project here",
    );
}

#[test]
fn what_would_be_written_can_be_shown_and_read_by_programs() {
    let site = Site::new();
    site.write(".cursor/mcp.json", "{\"a\": 1}");
    let shown = site.done(&["install", "cursor", "--print"]);
    let expected = format!(
        "{}\n- {{\"a\": 1}}\n+ {{\"a\": 1, \"mcpServers\": {{\"todori\": {{\"command\": \"todori\", \"args\": [\"serve\"]}}}}}}\n\n",
        site.path(".cursor/mcp.json").display()
    );
    assert_eq!(shown, expected);
    let told: Value =
        serde_json::from_str(&site.done(&["install", "cursor", "--json", "--yes"])).unwrap();
    assert_eq!(
        (&told["client"], &told["written"]),
        (&"cursor".into(), &true.into())
    );
    assert_eq!(told["changes"][0]["diff"][0], "- {\"a\": 1}");
    let told: Value =
        serde_json::from_str(&site.done(&["uninstall", "cursor", "--json", "--print"])).unwrap();
    assert_eq!(
        (&told["client"], &told["written"]),
        (&"cursor".into(), &false.into())
    );
    assert!(site.read(".cursor/mcp.json").unwrap().contains("todori"));
}

#[test]
fn another_todori_on_the_path_is_not_written() {
    let site = Site::new();
    fs::remove_file(site.path("~/bin/todori")).unwrap();
    site.write("~/bin/todori", "#!/bin/sh\n");
    fs::set_permissions(site.path("~/bin/todori"), fs::Permissions::from_mode(0o755)).unwrap();
    let printed = site.done(&["install", "cursor", "--yes"]);
    let path = env!("CARGO_BIN_EXE_todori");
    assert!(
        printed.contains(&format!("so its full path is written: {path}\n")),
        "{printed}"
    );
    assert!(
        site.read(".cursor/mcp.json")
            .unwrap()
            .contains(&format!("\"command\": \"{path}\""))
    );
}
