//! Which folder is the project.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use todori_domain::testing::block_on;
use todori_domain::{BoardKey, StoreError, Want};
use todori_store::{Lifetime, LocateError, Origin, find_project};

use crate::opening::open_at;

fn git(folder: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .expect("git runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

fn repository() -> TempDir {
    let folder = TempDir::new().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main", "repo"]);
    let repo = folder.path().join("repo");
    git(
        &repo,
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
    );
    folder
}

fn check(from: &Path, expected: &Path) {
    let found = find_project(&Origin::From(from.to_owned())).unwrap();
    assert_eq!(
        found.canonicalize().unwrap(),
        expected.canonicalize().unwrap()
    );
}

#[test]
fn the_nearest_folder_with_a_board_or_a_repository_is_the_project() {
    let folder = repository();
    let repo = folder.path().join("repo");
    let deep = repo.join("a/b/c");
    fs::create_dir_all(&deep).unwrap();
    check(&deep, &repo);
    fs::create_dir(repo.join("a/.todori")).unwrap();
    check(&deep, &repo.join("a"));
}

#[test]
fn a_linked_worktree_shares_the_main_board_unless_it_has_its_own() {
    let folder = repository();
    let repo = folder.path().join("repo");
    let linked = folder.path().join("linked");
    git(&repo, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    check(&linked, &repo);
    fs::create_dir(linked.join(".todori")).unwrap();
    check(&linked, &linked);
}

#[test]
fn a_worktree_of_a_bare_repository_has_its_own_board() {
    let folder = repository();
    let bare = folder.path().join("bare.git");
    git(
        folder.path(),
        &["clone", "-q", "--bare", "repo", "bare.git"],
    );
    let linked = folder.path().join("linked");
    git(&bare, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    check(&linked, &linked);
}

#[test]
fn what_is_given_is_taken_as_it_is() {
    let folder = TempDir::new().unwrap();
    let given = Origin::Given(folder.path().to_owned());
    assert_eq!(find_project(&given).unwrap(), folder.path());
    let gone = Origin::Given(folder.path().join("gone"));
    assert!(matches!(
        find_project(&gone),
        Err(LocateError::NoSuchFolder(_))
    ));
}

#[test]
fn a_project_that_is_made_later_is_found_later() {
    let folder = TempDir::new().unwrap();
    let origin = Origin::From(folder.path().to_owned());
    let store = open_at(origin, Lifetime::Process, &folder.path().join("elsewhere"));
    let read = || block_on(store.read(&BoardKey::Project, Want::default()));
    assert!(matches!(read(), Err(StoreError::NoBoard { .. })));
    fs::create_dir(folder.path().join(".todori")).unwrap();
    assert!(read().unwrap().board.is_empty());
}
