//! Eight writers, and a person beside them who does whatever people do to a folder: cleans it with git, removes files,
//! stashes, saves the board in place with an editor that takes its time. Some of the writers have a disk that answers
//! otherwise than it acts. Nothing that was acknowledged may be lost, and nothing that the person typed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::faulty_disk::{EBUSY, EIO, ENOENT, ETIMEDOUT, Fault};
use crate::project::{Project, Server, printed};

const WRITERS: u64 = 8;
/// From here on a writer deletes a task for each one that it adds: the board does not grow for ever.
const MOST_TASKS: usize = 40;
/// How long a thing may take before it is given up. Never how long it should take.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    /// `git clean -fdX`: all that is ignored.
    CleanIgnored,
    /// `git clean -fdx`: all that is not committed.
    CleanAll,
    /// `rm` of the lock and of the temporary file.
    Remove,
    /// `git stash -u`: the board goes back to what was committed.
    Stash,
    /// Saves the board in place, in two halves with a pause between them.
    Edit,
}

const ALL: [Deed; 5] = [
    Deed::CleanIgnored,
    Deed::CleanAll,
    Deed::Remove,
    Deed::Stash,
    Deed::Edit,
];

/// Some writers' disks now and then say that something failed which was done, or the other way round.
const FAULTS: [Fault; 4] = [
    ("RENAME_DONE", ENOENT, 100),
    ("RENAME", EBUSY, 50),
    ("FDATASYNC", EIO, 20),
    ("FSYNC_FOLDER", EIO, 20),
];
const OTHER_FAULTS: [Fault; 2] = [("RENAME_DONE", ETIMEDOUT, 100), ("RENAME", EBUSY, 50)];

/// What the writers were told.
#[derive(Default)]
struct Told {
    /// The tasks that must be there, by title.
    there: Mutex<BTreeMap<String, Acknowledged>>,
    /// How many changes were acknowledged at all.
    acknowledged: Mutex<usize>,
    /// What was answered instead, to writers with a good disk and to the others.
    failed: Mutex<Vec<String>>,
    failed_on_faulty_disk: Mutex<Vec<String>>,
}

/// A task that was added: when it was asked for, and when that was acknowledged.
#[derive(Debug)]
struct Acknowledged {
    id: String,
    asked: Instant,
    answered: Instant,
}

/// A pseudo-random number that is the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

fn git(project: &Project, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(project.path()).args(arguments);
    git.env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@b");
    git.env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@b");
    git.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
    String::from_utf8_lossy(&git.output().unwrap().stdout).into_owned()
}

/// Adds tasks until it is told to stop, as a server or with one process for each.
fn write(project: &Project, writer: u64, told: &Told, stop: &AtomicBool) {
    let faults: &[Fault] = match writer {
        0 | 6 => &FAULTS,
        1 => &OTHER_FAULTS,
        _ => &[],
    };
    let command = || {
        if faults.is_empty() {
            project.command()
        } else {
            project.command_with(faults)
        }
    };
    let failed = |message: String| {
        let list = if faults.is_empty() {
            &told.failed
        } else {
            &told.failed_on_faulty_disk
        };
        list.lock().unwrap().push(message);
    };
    let acknowledged = |title: &str, id: &str, asked: Instant| {
        *told.acknowledged.lock().unwrap() += 1;
        let task = Acknowledged {
            id: id.to_owned(),
            asked,
            answered: Instant::now(),
        };
        told.there.lock().unwrap().insert(title.to_owned(), task);
    };
    let mut own: Vec<(String, String)> = Vec::new();
    let mut server = (writer < 6).then(|| Server::start(command()));
    for number in 0.. {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let title = format!("w{writer}n{number}");
        let asked = Instant::now();
        let Some(server) = &mut server else {
            let printed = printed(command().args(["--json", "add", &title]).output().unwrap());
            match printed.code {
                0 => {
                    let added: Value = serde_json::from_str(&printed.out).unwrap();
                    acknowledged(&title, added["id"].as_str().unwrap(), asked);
                }
                _ => failed(printed.err),
            }
            continue;
        };
        let answer = server.ask("create_task", json!({"title": title}));
        match answer["result"]["id"].as_str() {
            Some(id) => {
                acknowledged(&title, id, asked);
                own.push((title, id.to_owned()));
            }
            None => failed(answer.to_string()),
        }
        if own.len() > MOST_TASKS {
            let (title, id) = own.remove(0);
            told.there.lock().unwrap().remove(&title);
            // The person may have put the board back to a time when it was not there.
            let answer: Value = server.ask("delete_task", json!({"id": id}));
            if answer["error"]["code"] == -32603 {
                failed(answer.to_string());
            }
        }
    }
}

/// Saves the board in place as some editors do: the file is emptied, and comes back in two halves.
fn edit(project: &Project, number: usize, chance: &mut Chance) {
    let pause = |chance: &mut Chance| std::thread::sleep(Duration::from_millis(chance.below(8)));
    let mut file = loop {
        // Somebody may be putting another one in its place.
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .open(project.board_file());
        if let Ok(file) = opened {
            break file;
        }
    };
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    // What the person typed last time goes, what is typed now comes: above the first task, in it, and at the end.
    let kept = text.lines().filter(|line| !line.contains("typed"));
    let mut text: String = kept.map(|line| format!("{line}\n")).collect();
    text = text.trim_end_matches(END).to_owned();
    text = format!("# typed head {number}\n{text}# typed tail {number}\n{END}");
    text = text.replacen(
        "    title: seed\n",
        &format!("    title: seed\n    typed: {number}\n"),
        1,
    );
    pause(chance);
    file.set_len(0).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let cut = usize::try_from(chance.below(text.len() as u64)).unwrap();
    let (first, second) = text.as_bytes().split_at(cut);
    file.write_all(first).unwrap();
    pause(chance);
    file.write_all(second).unwrap();
    drop(file);
    let typed = [
        format!("# typed head {number}\n"),
        format!("    typed: {number}\n"),
        format!("# typed tail {number}\n"),
    ];
    let begun = Instant::now();
    loop {
        let now = fs::read_to_string(project.board_file()).unwrap_or_default();
        let missing: Vec<&String> = typed.iter().filter(|typed| !now.contains(*typed)).collect();
        if missing.is_empty() {
            return;
        }
        assert!(
            begun.elapsed() < PATIENCE,
            "what was typed is lost: {missing:?}; the file begins with {:?}",
            now.lines().next()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Does one thing; gives the time that it took.
fn act(project: &Project, deed: Deed, number: usize, chance: &mut Chance) -> (Instant, Instant) {
    let begun = Instant::now();
    match deed {
        Deed::CleanIgnored => drop(git(project, &["clean", "-fdXq"])),
        Deed::CleanAll => drop(git(project, &["clean", "-fdxq"])),
        Deed::Remove => {
            let folder = project.path().join(".todori");
            drop(fs::remove_file(folder.join(".lock")));
            drop(fs::remove_file(folder.join(".tasks.yaml.tmp")));
        }
        Deed::Stash => drop(git(project, &["stash", "push", "-uq"])),
        Deed::Edit => edit(project, number, chance),
    }
    (begun, Instant::now())
}

/// The last line of every board.
const END: &str = "# the end\n";

/// What there is on the board, and on those that git has stashed.
#[derive(Default)]
struct Found {
    titles: BTreeSet<String>,
    /// Where stashed boards end that were cut: the last id.
    cuts: Vec<String>,
}

impl Found {
    fn on(project: &Project) -> Self {
        let mut found = Self::default();
        found.take(&project.board_text());
        let stashes = git(project, &["stash", "list", "--format=%H"]);
        for stash in stashes.lines() {
            let text = git(project, &["show", &format!("{stash}:.todori/tasks.yaml")]);
            found.take(&text);
            // Git asks for the size of a file before it opens it, and keeps no more of the larger one that has taken its
            // place by then.
            if !text.ends_with(END) {
                let mut ids = text
                    .lines()
                    .filter(|line| line.starts_with("  ") && line.ends_with(':'));
                let last = ids
                    .rfind(|line| !line.starts_with("   "))
                    .unwrap_or_default();
                found
                    .cuts
                    .push(last.trim().trim_end_matches(':').to_owned());
            }
        }
        found
    }

    /// Fails if a title is there twice.
    fn take(&mut self, text: &str) {
        let mut here = BTreeSet::new();
        let titles = text
            .lines()
            .filter_map(|line| line.strip_prefix("    title: "));
        for title in titles {
            assert!(here.insert(title.to_owned()), "{title} is there twice");
        }
        self.titles.extend(here);
    }
}

fn history(project: &Project) -> String {
    let files = ["history.2.jsonl", "history.1.jsonl", "history.jsonl"];
    let read = |file| fs::read_to_string(project.path().join(".todori").join(file));
    files.map(|file| read(file).unwrap_or_default()).concat()
}

/// Lets writers write while the person does these things, so often and so long.
fn storm(deeds: &[Deed], times: usize, at_least: Duration) {
    let project = Project::new();
    git(&project, &["init", "-q"]);
    assert_eq!(project.run(["add", "seed"]).code, 0);
    project.write_board(format!("{}{END}", project.board_text()));
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "begin"]);
    let (told, stop) = (Told::default(), AtomicBool::new(false));
    let mut done: BTreeMap<Deed, (usize, Duration)> = BTreeMap::new();
    let mut stashing: Vec<(Instant, Instant)> = Vec::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (project, told, stop) = (&project, &told, &stop);
            scope.spawn(move || write(project, writer, told, stop));
        }
        let stopping = StopAtEnd(&stop);
        let begun = Instant::now();
        let mut chance = Chance(7);
        for number in 0.. {
            if number >= times && begun.elapsed() >= at_least {
                break;
            }
            let place = usize::try_from(chance.below(deeds.len() as u64)).unwrap();
            let deed = deeds[place];
            let span = act(&project, deed, number, &mut chance);
            let (times, longest) = done.entry(deed).or_default();
            *times += 1;
            *longest = (*longest).max(span.1 - span.0);
            if deed == Deed::Stash {
                stashing.push(span);
            }
            std::thread::sleep(Duration::from_millis(chance.below(40)));
        }
        drop(stopping);
    });
    assert_eq!(project.run(["add", "after the storm"]).code, 0);
    assert!(project.board_text().ends_with(END));
    let found = Found::on(&project);
    let expected = told.there.into_inner().unwrap();
    let missing = expected
        .into_iter()
        .filter(|(title, _)| !found.titles.contains(title));
    // What is written after git has looked at the board and before it puts it back is overwritten by git. The history
    // tells of it, unless that was cleaned away, too.
    let history = history(&project);
    let is_history_kept = !deeds.contains(&Deed::CleanIgnored) && !deeds.contains(&Deed::CleanAll);
    let (overwritten, lost): (Vec<_>, Vec<_>) = missing.partition(|(title, task)| {
        let mut stashing = stashing.iter();
        let is_overwritten = stashing.any(|(from, to)| task.asked <= *to && task.answered >= *from);
        let is_cut = found.cuts.iter().any(|last| task.id >= *last);
        (is_overwritten || is_cut)
            && (!is_history_kept || history.contains(&format!("\"{title}\"")))
    });
    let failed = told.failed.into_inner().unwrap();
    let on_faulty_disk = told.failed_on_faulty_disk.into_inner().unwrap();
    let acknowledged = told.acknowledged.into_inner().unwrap();
    println!(
        "how often and how long at most {done:?}: {acknowledged} acknowledged, {} lost, {} overwritten or cut off ({} times) by git stash itself, {} failed, {} failed on a faulty disk",
        lost.len(),
        overwritten.len(),
        found.cuts.len(),
        failed.len(),
        on_faulty_disk.len()
    );
    assert!(lost.is_empty(), "lost: {lost:?}");
    // On a machine with too much to do a writer may wait in vain: that is said, nothing is changed, and it is rare.
    let out_of_patience = ["is still writing", "busy for", "keeps removing"];
    let is_out_of_patience =
        |message: &str| out_of_patience.iter().any(|part| message.contains(part));
    let (refused, failed): (Vec<_>, Vec<_>) = failed
        .into_iter()
        .partition(|message| is_out_of_patience(message));
    assert_eq!(failed, [""; 0]);
    assert!(refused.len() * 4 <= acknowledged, "{refused:?}");
    for message in on_faulty_disk {
        let message = message.to_lowercase();
        let is_honest = [
            "not applied: the disk reported",
            "outcome unknown",
            "not applied: the system says",
        ];
        let is_honest = is_honest.iter().any(|part| message.contains(part));
        assert!(is_honest || is_out_of_patience(&message), "{message}");
    }
}

/// Tells the writers to stop, also where something went wrong.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn whatever_takes_the_lock_away_nothing_is_lost() {
    for deed in [Deed::CleanIgnored, Deed::CleanAll, Deed::Remove] {
        storm(&[deed], 40, Duration::ZERO);
    }
}

#[test]
fn what_git_puts_back_takes_nothing_with_it_that_git_did_not_stash() {
    storm(&[Deed::Stash], 10, Duration::ZERO);
}

#[test]
fn an_editor_that_saves_in_place_loses_nothing_and_takes_nothing_away() {
    storm(&[Deed::Edit], 60, Duration::ZERO);
}

#[test]
fn a_storm_takes_nothing_away() {
    storm(&ALL, 60, Duration::ZERO);
}

/// The same for as long as `TODORI_STORM_SECONDS` says. `./test --long` runs it for ten minutes.
#[test]
#[ignore = "takes ten minutes; ./test --long runs it"]
fn a_long_storm_takes_nothing_away() {
    #[expect(clippy::disallowed_methods, reason = "a setting of this test alone")]
    let seconds = std::env::var("TODORI_STORM_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    storm(&ALL, 0, Duration::from_secs(seconds.unwrap_or(600)));
}
