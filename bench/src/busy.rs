//! How long others wait for their answers while somebody asks for all of a long history: as long as ever, if nothing is
//! read on the thread that answers.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use todori_domain::{BoardKey, Command, Priority, Request, TaskEdit, TaskRef, Tracker};

use crate::http::Connection;
use crate::report::{Figure, Target, Unit};
use crate::samples::Samples;
use crate::setup::{Setup, runtime};
use crate::web::{Client, Server};
use crate::{Outcome, board};

/// Both cores of a small machine are busy then, one of them with the history: a wait for the processor is no wait for
/// the history.
const MOST: f64 = 3.0;
/// Longer than any wait for a processor, and much shorter than reading the history takes.
const LONGEST_MILLISECONDS: f64 = 50.0;
const TASKS: usize = 100;
/// As large as a history gets before its oldest part goes.
const FILE_BYTES: usize = 10 * 1024 * 1024;
/// What makes the server read all of it.
const ALL_OF_IT: &str = "/api/progress?days=365";

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "busy", TASKS)?;
    begin_history(&project)?;
    fill(&project.root)?;
    let server = Server::start(setup.serve_http(&project.root))?;
    let mut client = Client::with_session(server.address)?;
    board::settle();
    let rounds = setup.effort.round_trips / 4;
    let quiet = rounds_of(&mut client, server.address, rounds)?;
    let (stop, read) = (AtomicBool::new(false), AtomicUsize::new(0));
    let busy = std::thread::scope(|scope| {
        let reading = scope.spawn(|| read_on(server.address, &stop, &read));
        let busy = rounds_of(&mut client, server.address, rounds);
        stop.store(true, Ordering::SeqCst);
        let read = reading.join().map_err(|_| "the reader panicked")?;
        busy.and_then(|busy| read.map(|()| busy))
    })?;
    let times = read.load(Ordering::SeqCst);
    let ratio = |what: &str, busy: &Samples, quiet: &Samples| {
        let what = format!("{what} while a history of 30 MB is read, to a quiet server");
        let mut figure = Figure::ratio(what, busy, quiet, MOST);
        figure
            .detail
            .push_str(&format!(", read {times} times meanwhile"));
        figure
    };
    let longest = busy.healthz.longest().max(busy.ping.longest());
    Ok(vec![
        ratio("ping", &busy.ping, &quiet.ping),
        ratio("/healthz", &busy.healthz, &quiet.healthz),
        Figure {
            what: "longest wait for either meanwhile".to_owned(),
            measured: longest.as_secs_f64() * 1_000.0,
            unit: Unit::Milliseconds,
            target: Target::AtMost(LONGEST_MILLISECONDS),
            detail: format!("{rounds} rounds"),
        },
    ])
}

#[derive(Default)]
struct Waits {
    ping: Samples,
    healthz: Samples,
}

fn rounds_of(client: &mut Client, address: SocketAddr, rounds: usize) -> Outcome<Waits> {
    let mut plain = Connection::open(address)?;
    let mut waits = Waits::default();
    for _ in 0..rounds {
        waits.ping.push(client.ping()?.took);
        waits.healthz.push(plain.get("/healthz")?.accepted()?.took);
        // A person's pace, so that the rate limit of the server is not what is measured.
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(waits)
}

/// Asks for all of the history, over and over.
fn read_on(address: SocketAddr, stop: &AtomicBool, read: &AtomicUsize) -> Outcome<()> {
    let mut connection = Connection::open(address)?;
    while !stop.load(Ordering::SeqCst) {
        connection.get(ALL_OF_IT)?.accepted()?;
        read.fetch_add(1, Ordering::SeqCst);
    }
    Ok(())
}

/// One change begins the history; the rest of it is that change again and again.
fn begin_history(project: &board::Project) -> Outcome<()> {
    let task = project.tasks.first().ok_or("there is no task")?;
    let edit = TaskEdit {
        priority: Some(match task.priority {
            Priority::High => Priority::Low,
            Priority::Medium | Priority::Low => Priority::High,
        }),
        ..TaskEdit::default()
    };
    let task = TaskRef::from(task.id);
    let request = Request::Write(vec![Command::Edit { task, edit }]);
    let tracker = Tracker::new(board::open(&project.root));
    runtime()?.block_on(tracker.handle(&BoardKey::Project, board::moment(), request))?;
    Ok(())
}

/// Makes the history as long as it gets: three files, the newest of which ends with the line that is there.
fn fill(root: &Path) -> Outcome<()> {
    let file = |name: &str| root.join(".todori").join(name);
    let newest = std::fs::read_to_string(file("history.jsonl"))?;
    let line = newest.lines().last().ok_or("there is no history")?;
    let number = line
        .split("\"n\":")
        .nth(1)
        .and_then(|rest| rest.split(',').next());
    let marked = format!("\"n\":{},", number.ok_or("a line has no number")?);
    let mut next = 0;
    for name in ["history.2.jsonl", "history.1.jsonl", "history.jsonl"] {
        let mut text = String::with_capacity(FILE_BYTES + line.len());
        while text.len() < FILE_BYTES - 2 * line.len() {
            next += 1;
            text.push_str(&line.replacen(&marked, &format!("\"n\":{next},"), 1));
            text.push('\n');
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "nobody reads this board yet, so it need not be replaced in one step"
        )]
        std::fs::write(file(name), text)?;
    }
    Ok(())
}
