//! Those who have not shown the token do not keep out those who have.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::project::Project;
use crate::web::{KeepAlive, Web};

const TOKEN: (&str, &str) = ("Authorization", "Bearer a-long-enough-secret");

/// Starts a server with a token, and with room for 36 connections.
fn small(project: &Project) -> Web {
    let file = project.path().join("token");
    #[expect(
        clippy::disallowed_methods,
        reason = "this plays the person who made a token"
    )]
    std::fs::write(&file, "a-long-enough-secret").unwrap();
    let arguments = ["--token-file", file.to_str().unwrap()];
    Web::start_with_descriptors(project, 68, &arguments)
}

fn is_served(connection: &mut KeepAlive) -> bool {
    let answer = connection.send("GET", "/api/board", &[TOKEN], "");
    answer.is_some_and(|answer| answer.status == 200)
}

#[test]
fn strangers_who_stay_connected_keep_nobody_out() {
    let project = Project::new();
    let web = small(&project);
    let mut before = web.keep_alive();
    assert!(is_served(&mut before));
    let mut strangers: Vec<KeepAlive> = Vec::new();
    for _ in 0..100 {
        let mut stranger = web.keep_alive();
        let answer = stranger.send("GET", "/healthz", &[], "");
        assert_eq!(answer.unwrap().status, 200, "the newest is answered");
        strangers.push(stranger);
    }
    assert!(is_served(&mut before), "who was there stays");
    let mut others: Vec<KeepAlive> = Vec::new();
    for _ in 0..10 {
        let mut other = web.keep_alive();
        assert!(is_served(&mut other), "and others come in");
        others.push(other);
    }
    assert!(others.iter_mut().all(is_served));
    let stay = strangers.iter_mut();
    let stay = stay.filter_map(|stranger| stranger.send("GET", "/healthz", &[], ""));
    assert!(stay.count() < 20, "only a few of the strangers stay");
}

#[test]
fn strangers_who_ask_without_end_slow_nobody_else_down() {
    let project = Project::new();
    let web = small(&project);
    let (is_over, is_refused) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut stranger = web.keep_alive();
                while !is_over.load(Ordering::SeqCst) {
                    let answer = stranger.send("GET", "/healthz", &[], "").unwrap();
                    is_refused.fetch_or(answer.status == 429, Ordering::SeqCst);
                }
            });
        }
        super::waiting::until("the strangers have used up their share", || {
            is_refused.load(Ordering::SeqCst)
        });
        let mut rightful = web.keep_alive();
        let served = (0..300).filter(|_| is_served(&mut rightful)).count();
        is_over.store(true, Ordering::SeqCst);
        assert_eq!(served, 300);
    });
}

#[test]
fn there_are_fewer_connections_than_descriptors() {
    let project = Project::new();
    let web = Web::start_with_descriptors(&project, 128, &[]);
    let mut crowd: Vec<KeepAlive> = (0..150).map(|_| web.keep_alive()).collect();
    let answered = |connection: &mut KeepAlive| {
        let answer = connection.send("GET", "/healthz", &[], "");
        answer.is_some_and(|answer| answer.status == 200)
    };
    crowd.retain_mut(answered);
    assert!((64..128).contains(&crowd.len()), "{}", crowd.len());
    // While all of them are there, the board can be changed and read.
    let one = crowd.first_mut().unwrap();
    let add = json!({"jsonrpc": "2.0", "id": 1, "method": "create_task", "params": {"title": "a"}});
    let json = [("Content-Type", "application/json")];
    let added = one.send("POST", "/mcp", &json, &add.to_string()).unwrap();
    assert_eq!(added.message()["result"]["title"], "a", "{added:?}");
    let board = one.send("GET", "/api/board", &[], "").unwrap();
    assert_eq!(board.message()["tasks"][0]["title"], "a", "{board:?}");
}
