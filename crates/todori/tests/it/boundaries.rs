//! Who may know what: each crate names only the dependencies it owns, and each library is named in its own room only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// What each crate may depend on. A new dependency is a design change: it is added here, with its reason beside it in
/// the workspace's manifest.
const OWNED: [(&str, &[&str]); 5] = [
    (
        "crates/todori-domain",
        &["jiff", "proptest", "thiserror", "uuid"],
    ),
    (
        "crates/todori-store",
        &[
            "granit-parser",
            "notify",
            "rustix",
            "serde_json",
            "thiserror",
            "todori-domain",
            "tokio",
        ],
    ),
    ("crates/todori-dialects", &["serde_json", "todori-domain"]),
    (
        "crates/todori",
        &[
            "anyhow",
            "async-trait",
            "bytes",
            "clap",
            "clap_complete",
            "clap_mangen",
            "flate2",
            "futures-util",
            "http",
            "http-body-util",
            "hyper",
            "hyper-util",
            "jsonc-parser",
            "ratatui-core",
            "ratatui-crossterm",
            "rmcp",
            "rustix",
            "serde",
            "serde_json",
            "similar",
            "terminal_size",
            "thiserror",
            "todori-dialects",
            "todori-domain",
            "todori-store",
            "tokio",
            "tokio-util",
            "toml_edit",
            "tracing",
            "tracing-subscriber",
            "unicode-width",
        ],
    ),
    (
        "bench",
        &[
            "bytes",
            "clap",
            "http",
            "http-body-util",
            "hyper",
            "hyper-util",
            "rmcp",
            "serde_json",
            "tempfile",
            "todori-dialects",
            "todori-domain",
            "todori-store",
            "tokio",
        ],
    ),
];

/// The names below `[dependencies]`.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let section = manifest
        .split("\n[")
        .find(|section| section.starts_with("dependencies]"));
    let lines = section.unwrap_or_default().lines().skip(1);
    let names = lines
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .map(str::trim);
    names
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_crate_names_only_what_it_owns() {
    for (folder, owned) in OWNED {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let named = dependencies(&manifest);
        let strange: Vec<&String> = named
            .iter()
            .filter(|name| !owned.contains(&name.as_str()))
            .collect();
        assert!(
            strange.is_empty(),
            "{folder} names {strange:?}, which it does not own"
        );
        if folder != "bench" {
            let unused: Vec<&&str> = owned
                .iter()
                .filter(|name| !named.contains(**name))
                .collect();
            assert!(
                unused.is_empty(),
                "{folder} owns {unused:?} but does not name it any more"
            );
        }
    }
}

#[test]
fn every_crate_is_listed() {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let found: BTreeSet<String> = crates
        .map(|entry| format!("crates/{}", entry.unwrap().file_name().to_string_lossy()))
        .collect();
    let listed: BTreeSet<String> = OWNED
        .iter()
        .map(|(folder, _)| (*folder).to_owned())
        .filter(|folder| folder.starts_with("crates/"))
        .collect();
    assert_eq!(found, listed);
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// A word, and the only places that may contain it.
const ROOMS: [(&str, &[&str]); 12] = [
    (
        "rmcp::",
        &["crates/todori/src/serve/mcp/", "bench/src/bin/"],
    ),
    (
        "granit_parser::",
        &["crates/todori-store/src/yaml/syntax.rs"],
    ),
    ("notify::", &["crates/todori-store/src/yaml/watch.rs"]),
    ("jiff::", &["crates/todori-domain/src/moment.rs"]),
    ("uuid::", &["crates/todori-domain/src/id.rs"]),
    ("ratatui_", &["crates/todori/src/watch/"]),
    ("crossterm::", &["crates/todori/src/watch/screen.rs"]),
    ("jsonc_parser::", &["crates/todori/src/install/json/"]),
    ("toml_edit::", &["crates/todori/src/install/toml/"]),
    ("similar::", &["crates/todori/src/install/diff.rs"]),
    ("crate::cli", &["crates/todori/src/main.rs"]),
    // The one place of the program that opens a store; the benchmark opens its own.
    (
        "todori_store::open(",
        &["crates/todori/src/cli/project.rs", "bench/src/"],
    ),
];

/// What only the store knows, and those whose business is files: merging, git's set-up, import and export.
const ONLY_IN_STORES: [&str; 5] = [
    "tasks.yaml",
    "history.jsonl",
    "\".todori",
    "YamlStore",
    "MemoryStore",
];
const KNOW_FILES: [&str; 5] = [
    "cli/merge.rs",
    "cli/import.rs",
    "cli/export.rs",
    "install/clients/git.rs",
    "transfer/",
];

#[test]
fn nothing_above_the_store_knows_how_it_keeps_boards() {
    let root = root();
    for folder in [
        "crates/todori/src",
        "crates/todori-dialects/src",
        "crates/todori-domain/src",
    ] {
        let folder = root.join(folder);
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for file in &files {
            let name = file.strip_prefix(&folder).unwrap().to_string_lossy();
            let allowed = KNOW_FILES.iter().any(|room| name.starts_with(room));
            let text = fs::read_to_string(file).unwrap();
            for word in ONLY_IN_STORES {
                assert!(
                    allowed || !text.contains(word),
                    "{} names {word}",
                    file.display()
                );
            }
        }
    }
}

/// What opens a file by its name without asking what it is. A repository may hold links, pipes and endless files, so the
/// store opens them through `regular_file`.
const OPENS_ANYTHING: [&str; 3] = ["File::open(", "fs::read(", "fs::read_to_string("];
/// These read what the system itself provides, and folders.
const OPEN_OTHERS: [&str; 3] = [
    "yaml/atomic_file.rs",
    "yaml/denied.rs",
    "yaml/open_elsewhere.rs",
];

#[test]
fn the_store_opens_files_of_a_repository_in_one_way_only() {
    let folder = root().join("crates/todori-store/src");
    let mut files = Vec::new();
    sources(&folder, &mut files);
    for file in &files {
        let name = file.strip_prefix(&folder).unwrap().to_string_lossy();
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let is_allowed = OPEN_OTHERS.contains(&name.as_ref()) || name.ends_with("_tests.rs");
        for word in OPENS_ANYTHING {
            assert!(is_allowed || !code.contains(word), "{name} uses {word}");
        }
    }
}

#[test]
fn each_library_is_named_in_its_own_room_only() {
    let root = root();
    let mut files = Vec::new();
    for (folder, _) in OWNED {
        sources(&root.join(folder).join("src"), &mut files);
    }
    for (word, rooms) in ROOMS {
        for file in &files {
            let name = file
                .strip_prefix(&root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let allowed = rooms.iter().any(|room| name.starts_with(room));
            let text = fs::read_to_string(file).unwrap();
            assert!(allowed || !text.contains(word), "{name} names {word}");
        }
    }
}

#[test]
fn serving_watching_and_commands_do_not_know_each_other() {
    let check = |room: &str, strangers: &[&str]| {
        let mut files = Vec::new();
        sources(&root().join("crates/todori/src").join(room), &mut files);
        for file in &files {
            let text = fs::read_to_string(file).unwrap();
            for stranger in strangers {
                // Who writes to a terminal may say who else does.
                let text = text.replace("`cli::output`", "");
                assert!(!text.contains(stranger), "{}", file.display());
            }
        }
    };
    check("serve", &["cli::", "crate::watch"]);
    check("watch", &["cli::", "crate::serve"]);
}
