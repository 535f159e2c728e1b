//! The house is in order: no test file is forgotten, and every file says what it is for and is not too long.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "rs")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Whatever stands beside a list of modules is on it, and so on in the folders.
fn nothing_is_forgotten(list: &Path) {
    let listed = fs::read_to_string(list).unwrap();
    for path in entries(list.parent().unwrap()) {
        let is_folder = path.is_dir() && entries(&path).iter().any(|path| is_rust(path));
        if path == list || !(is_folder || is_rust(&path)) {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            listed.contains(&format!("mod {name};")),
            "{} is not run",
            path.display()
        );
        if is_folder {
            nothing_is_forgotten(&path.join("mod.rs"));
        }
    }
}

#[test]
fn no_test_file_is_forgotten() {
    for name in ["todori-domain", "todori-store", "todori-dialects", "todori"] {
        nothing_is_forgotten(&root().join("crates").join(name).join("tests/it/main.rs"));
    }
}

#[test]
fn every_module_opens_with_its_promise() {
    let mut folders = vec![root().join("crates"), root().join("bench")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                assert!(
                    text.starts_with("//! "),
                    "{} does not say what it is for",
                    path.display()
                );
                let lines = text.lines().count();
                assert!(
                    lines <= 800,
                    "{} has {lines} lines: it is two files",
                    path.display()
                );
            }
        }
    }
}
