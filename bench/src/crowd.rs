//! Several processes that write to one board at once: whether all that was acknowledged is there, and how fast it went.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Barrier;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use todori_domain::{BoardKey, Want};

use crate::report::{Figure, Target, Unit};
use crate::setup::{Setup, runtime};
use crate::stdio::Client;
use crate::{Outcome, board};

const PROCESSES: u32 = 8;
const CREATES: u32 = 25;

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let project = board::make(&setup.folder, "crowd", 0)?;
    let (acknowledged, took) = create_at_once(&project.root, setup)?;
    let store = board::open(&project.root);
    let read = runtime()?.block_on(store.read(&BoardKey::Project, Want::default()))?;
    let there: BTreeSet<String> = read.board.by_id().map(|task| task.id.to_string()).collect();
    let kept = acknowledged.intersection(&there).count();
    let wanted = f64::from(PROCESSES * CREATES);
    let writes = f64::from(u32::try_from(acknowledged.len())?);
    Ok(vec![
        Figure {
            what: format!("{PROCESSES} processes x {CREATES} creates, kept"),
            measured: f64::from(u32::try_from(kept)?),
            unit: Unit::Tasks,
            target: Target::AtLeast(wanted),
            detail: format!("{writes} acknowledged, {} on the board", there.len()),
        },
        Figure {
            what: format!("{PROCESSES} processes x {CREATES} creates, speed"),
            measured: writes / took.as_secs_f64(),
            unit: Unit::WritesPerSecond,
            target: Target::Open,
            detail: format!("{took:.1?} in all"),
        },
    ])
}

/// Lets all processes create tasks at the same time. Gives the ids that were acknowledged.
fn create_at_once(root: &Path, setup: &Setup) -> Outcome<(BTreeSet<String>, Duration)> {
    let mut clients = Vec::new();
    for _ in 0..PROCESSES {
        let mut client = Client::start(setup.serve(root))?;
        client.initialize()?;
        clients.push(client);
    }
    let barrier = Barrier::new(clients.len() + 1);
    let (created, took) = std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .map(|client| {
                scope.spawn(|| {
                    barrier.wait();
                    create(client)
                })
            })
            .collect();
        let begun = Instant::now();
        barrier.wait();
        let created: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        (created, begun.elapsed())
    });
    let mut acknowledged = BTreeSet::new();
    for ids in created {
        acknowledged.extend(ids.map_err(|_| "a client panicked")??);
    }
    Ok((acknowledged, took))
}

/// Creates the tasks of one process, one after the other.
fn create(client: &mut Client) -> Outcome<Vec<String>> {
    let mut ids = Vec::new();
    for number in 1..=CREATES {
        let title = format!("Task {number} of process {}", client.process().id());
        let answer = client.ask("create_task", &json!({"title": title}))?;
        let id = answer.result.get("id").and_then(Value::as_str);
        let id = id.ok_or_else(|| format!("no id in {}", answer.result))?;
        ids.push(id.to_owned());
    }
    Ok(ids)
}
