//! What is acknowledged is there, whatever happens to the process; what several do at once is all there.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::{Project, Server};

fn titles(project: &Project) -> BTreeSet<String> {
    let listed = project.json(["list", "--all"]);
    listed
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn eight_processes_with_25_tasks_each_leave_200() {
    let project = Project::new();
    std::thread::scope(|scope| {
        for process in 0..8 {
            let project = &project;
            scope.spawn(move || {
                let mut server = project.serve();
                for number in 0..25 {
                    server.direct(
                        "create_task",
                        json!({"title": format!("{process}/{number}")}),
                    );
                }
                assert_eq!(server.finish(), Some(0));
            });
        }
    });
    let expected: BTreeSet<String> = (0..8)
        .flat_map(|process| (0..25).map(move |number| format!("{process}/{number}")))
        .collect();
    assert_eq!(titles(&project), expected);
    assert_eq!(project.json(["stats"])["total"], 200);
}

/// A pseudo-random number that is the same in each run.
fn scattered(round: u64) -> u64 {
    round.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33
}

/// Writes as fast as the server answers, and has it killed some time after the first answer, at whatever it is doing
/// then. What was acknowledged is noted.
fn write_until_killed(server: &mut Server, round: u64, acknowledged: &Mutex<BTreeSet<String>>) {
    let pid = server.child.id().to_string();
    let mut killer = None;
    for number in 0.. {
        let title = format!("{round}/{number}");
        let line = json!({"jsonrpc": "2.0", "id": number, "method": "create_task", "params": {"title": title}});
        if !server.send_raw(format!("{line}\n").as_bytes()) {
            break;
        }
        let Some(answer) = server.try_receive() else {
            break;
        };
        assert_eq!(answer["result"]["title"], title, "{answer}");
        acknowledged.lock().unwrap().insert(title);
        let pid = pid.clone();
        killer.get_or_insert_with(|| std::thread::spawn(move || kill_after(round, &pid)));
    }
    let killer = killer.expect("an answer before the end");
    assert!(killer.join().unwrap(), "it was there to be killed");
}

fn kill_after(round: u64, pid: &str) -> bool {
    std::thread::sleep(Duration::from_micros(scattered(round) % 8_000));
    let mut kill = std::process::Command::new("kill");
    kill.args(["-KILL", pid]).status().unwrap().success()
}

#[test]
fn killing_it_two_hundred_times_loses_nothing_that_was_acknowledged() {
    let project = Project::new();
    let acknowledged: Mutex<BTreeSet<String>> = Mutex::default();
    for round in 0..200 {
        let mut server = project.serve();
        write_until_killed(&mut server, round, &acknowledged);
        assert_eq!(server.child.wait().unwrap().code(), None, "it was killed");
        let litter: Vec<String> = fs::read_dir(project.path().join(".todori"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| {
                !matches!(
                    name.as_str(),
                    "tasks.yaml"
                        | ".gitignore"
                        | ".lock"
                        | "history.jsonl"
                        | ".tasks.yaml.tmp"
                        | "replaced"
                )
            })
            .collect();
        assert_eq!(litter, Vec::<String>::new());
        if round % 20 == 19 {
            let there = titles(&project);
            let acknowledged = acknowledged.lock().unwrap();
            let lost: Vec<&String> = acknowledged.difference(&there).collect();
            assert!(lost.is_empty(), "lost: {lost:?}");
        }
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(
        acknowledged.len() >= 200,
        "only {} writes were acknowledged",
        acknowledged.len()
    );
    assert!(acknowledged.is_subset(&titles(&project)));
    // The next start needs no repair, and no other temporary file was left.
    let mut server = project.serve();
    let task: Value = server.direct("create_task", json!({"title": "after"}));
    assert_eq!(task["title"], "after");
    assert!(!project.path().join(".todori/.tasks.yaml.tmp").exists());
}

#[test]
fn killing_some_of_several_writers_loses_nothing() {
    let project = Project::new();
    let acknowledged: Mutex<BTreeSet<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for writer in 0..4u64 {
            let (project, acknowledged) = (&project, &acknowledged);
            scope.spawn(move || {
                for round in 0..10 {
                    let round = writer * 1_000 + round;
                    let mut server = project.serve();
                    write_until_killed(&mut server, round, acknowledged);
                }
            });
        }
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() >= 40, "each wrote something each time");
    assert!(acknowledged.is_subset(&titles(&project)));
}
