//! A server that is told to end answers what it has taken, and takes nothing more.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::waiting::until;
use crate::project::Project;
use crate::web::Web;

const WRITERS: usize = 8;

#[test]
fn under_load_every_change_that_is_made_is_answered() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let count = AtomicUsize::new(0);
    // Idle connections are there too.
    let mut idle = web.keep_alive();
    assert!(idle.send("GET", "/healthz", &[], "").is_some());
    let write = |writer: usize| {
        let (mut connection, mut answered) = (web.keep_alive(), Vec::new());
        for number in 0.. {
            let title = format!("{writer} {number}");
            let call = json!({"jsonrpc": "2.0", "id": number, "method": "create_task", "params": {"title": title}});
            let json = [("Content-Type", "application/json")];
            let Some(answer) = connection.send("POST", "/mcp", &json, &call.to_string()) else {
                break;
            };
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.message()["result"]["title"], title, "{answer:?}");
            answered.push(title);
            count.fetch_add(1, Ordering::SeqCst);
        }
        answered
    };
    let answered: BTreeSet<String> = std::thread::scope(|scope| {
        let write = &write;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write(writer)))
            .collect();
        until("all are busy", || {
            count.load(Ordering::SeqCst) > 10 * WRITERS
        });
        web.signal("-TERM");
        let writers = writers.into_iter();
        writers.flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert!(
        idle.send("GET", "/healthz", &[], "").is_none(),
        "it is closed"
    );
    let (code, errors) = web.end();
    assert_eq!(code, Some(0));
    assert!(!errors.contains("took too long"), "{errors}");
    let board = project.board_text();
    let titles = board
        .lines()
        .filter_map(|line| line.trim().strip_prefix("title: "));
    let made: BTreeSet<String> = titles
        .map(|title| title.trim_matches(['"', '\'']).to_owned())
        .collect();
    assert_eq!(made, answered);
}
