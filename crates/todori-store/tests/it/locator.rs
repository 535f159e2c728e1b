//! Which folder is the project.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use todori_domain::testing::conformance::{add, read, write};
use todori_domain::testing::{block_on, moment};
use todori_domain::{BoardKey, HistoryQuery, Store, StoreError, Want};
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
fn a_worktree_with_relative_links_is_believed_too() {
    let folder = repository();
    let repo = folder.path().join("repo");
    let linked = folder.path().join("linked");
    git(&repo, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    put(
        linked.join(".git"),
        "gitdir: ../repo/.git/worktrees/linked\n",
    );
    let back = repo.join(".git/worktrees/linked/gitdir");
    put(back, "../../../../linked/.git\n");
    check(&linked, &repo);
}

/// A folder whose `.git` is a file that names another folder, as somebody could put it into an archive.
fn crafted(folder: &Path, gitdir: &Path) -> PathBuf {
    let crafted = folder.join("crafted");
    fs::create_dir_all(&crafted).unwrap();
    let names = format!("gitdir: {}\n", gitdir.display());
    put(crafted.join(".git"), names);
    crafted
}

#[test]
fn a_folder_that_only_claims_to_be_a_worktree_has_its_own_board() {
    let folder = repository();
    let repo = folder.path().join("repo");
    let linked = folder.path().join("linked");
    git(&repo, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    // It brings a folder of its own that names the other repository and even itself.
    let made_up = folder.path().join("crafted/made-up");
    let crafted = crafted(folder.path(), &made_up);
    fs::create_dir(&made_up).unwrap();
    let common = repo.join(".git").display().to_string();
    put(made_up.join("commondir"), common);
    let back = crafted.join(".git").display().to_string();
    put(made_up.join("gitdir"), back);
    check(&crafted, &crafted);
    // It names the folder of a real worktree, which is another one.
    let real = repo.join(".git/worktrees/linked");
    let crafted = self::crafted(folder.path(), &real);
    check(&crafted, &crafted);
    check(&linked, &repo);
}

#[test]
fn endless_files_and_pipes_in_a_crafted_git_folder_are_not_read() {
    let folder = TempDir::new().unwrap();
    let made_up = folder.path().join("made-up");
    fs::create_dir(&made_up).unwrap();
    let crafted = crafted(folder.path(), &made_up);
    for name in ["commondir", "gitdir"] {
        let file = made_up.join(name);
        symlink("/dev/zero", &file).unwrap();
        check(&crafted, &crafted);
        fs::remove_file(&file).unwrap();
        let made = Command::new("mkfifo").arg(&file).status();
        assert!(made.unwrap().success());
        check(&crafted, &crafted);
        fs::remove_file(&file).unwrap();
        put(&file, "..\n");
    }
    fs::remove_file(crafted.join(".git")).unwrap();
    symlink("/dev/zero", crafted.join(".git")).unwrap();
    let found = find_project(&Origin::From(crafted.clone()));
    assert!(matches!(found, Err(LocateError::NotFound(_))), "{found:?}");
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

/// A worktree beside its repository, and a store that was opened in it.
fn in_worktree(folder: &Path) -> (PathBuf, Arc<dyn Store>) {
    let linked = folder.join("linked");
    git(
        &folder.join("repo"),
        &["worktree", "add", "-q", linked.to_str().unwrap()],
    );
    let origin = Origin::From(linked.clone());
    let store = open_at(origin, Lifetime::Process, &folder.join("elsewhere"));
    (linked, store)
}

#[test]
fn a_worktree_that_gets_its_own_board_is_served_from_it_from_then_on() {
    let folder = repository();
    let (linked, store) = in_worktree(folder.path());
    write(&store, &moment(1), vec![add("main")]);
    let main_file = folder.path().join("repo/.todori/tasks.yaml");
    let main = fs::read_to_string(&main_file).unwrap();
    let before = read(&store).revision;
    // Whoever watches is told, too.
    let (waiting, sender) = (Arc::clone(&store), std::sync::mpsc::channel());
    let (told, hear) = sender;
    let watcher = std::thread::spawn(move || {
        told.send(block_on(waiting.wait_past(&BoardKey::Project, before)))
            .unwrap();
    });
    fs::create_dir(linked.join(".todori")).unwrap();
    let after = hear.recv_timeout(Duration::from_mins(1)).unwrap();
    assert!(after.unwrap() > before);
    watcher.join().unwrap();
    assert!(read(&store).board.is_empty());
    write(&store, &moment(2), vec![add("own")]);
    let own = fs::read_to_string(linked.join(".todori/tasks.yaml")).unwrap();
    assert!(own.contains("own"), "{own}");
    assert_eq!(fs::read_to_string(&main_file).unwrap(), main);
}

#[test]
fn the_first_request_after_a_worktree_got_its_own_board_may_be_a_change() {
    let folder = repository();
    let (linked, store) = in_worktree(folder.path());
    write(&store, &moment(1), vec![add("main")]);
    fs::create_dir(linked.join(".todori")).unwrap();
    write(&store, &moment(2), vec![add("own")]);
    assert_eq!(read(&store).board.len(), 1);
    assert!(linked.join(".todori/tasks.yaml").exists());
}

#[test]
fn a_folder_that_becomes_a_link_while_the_store_is_open_shows_nothing_from_elsewhere() {
    let folder = TempDir::new().unwrap();
    let (here, outside) = (folder.path().join("here"), folder.path().join("outside"));
    for (project, title) in [(&here, "own"), (&outside, "hidden")] {
        fs::create_dir_all(project.join(".todori")).unwrap();
        let given = Origin::Given(project.clone());
        let store = open_at(given, Lifetime::Process, &folder.path().join("elsewhere"));
        write(&store, &moment(1), vec![add(title)]);
    }
    let given = Origin::Given(here.clone());
    let store = open_at(given, Lifetime::Process, &folder.path().join("elsewhere"));
    assert_eq!(read(&store).board.len(), 1);
    let own = here.join(".todori");
    let moved = folder.path().join("moved");
    // Both by putting another folder behind the name, and by moving the same one out of the project.
    rename(&own, &moved);
    for target in [outside.join(".todori"), moved.clone()] {
        symlink(&target, &own).unwrap();
        let newest = Want {
            history: HistoryQuery::newest(10),
            presence: true,
        };
        for want in [Want::default(), newest] {
            let shown = block_on(store.read(&BoardKey::Project, want));
            let refused = shown.expect_err("it leads out of the project");
            assert!(
                refused.to_string().contains("leads out of the project"),
                "{refused}"
            );
        }
        fs::remove_file(&own).unwrap();
    }
    rename(&moved, &own);
    assert_eq!(read(&store).board.len(), 1);
}

#[expect(
    clippy::disallowed_methods,
    reason = "this plays git, and whoever made the repository"
)]
fn put(path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    fs::write(path, text).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "this plays a checkout")]
fn rename(from: &Path, to: &Path) {
    fs::rename(from, to).unwrap();
}
