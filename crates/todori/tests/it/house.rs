//! The house is in order: no test file is forgotten, no file is too long, no name of a registry or a machine.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

#[test]
fn no_test_file_is_forgotten() {
    for name in ["todori-domain", "todori-store", "todori-dialects", "todori"] {
        let folder = root().join("crates").join(name).join("tests/it");
        let main = fs::read_to_string(folder.join("main.rs")).unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(
                stem == "main" || main.contains(&format!("mod {stem};")),
                "{name}: {stem} is not run"
            );
        }
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
