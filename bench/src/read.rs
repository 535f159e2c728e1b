//! What it costs to read from a large board that did not change, against the same call on a small one: through the
//! whole program, over its pipes.

use std::sync::Arc;

use serde_json::{Value, json};
use todori_domain::Task;

use crate::Outcome;
use crate::board::{self, Project};
use crate::one_core::OneCore;
use crate::random::Random;
use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::Setup;
use crate::stdio::Client;

const MOST: f64 = 3.0;
/// Rounds that are not counted: the first call reads the file, and the second makes sure of it.
const WARM_UP: usize = 10;

/// What is asked, and with which parameters.
type Question = (&'static str, fn(&Task) -> Value);

const QUESTIONS: [Question; 3] = [
    ("get_task", |task| json!({"id": task.id.to_string()})),
    ("get_next_task", |_| json!({})),
    ("get_tasks", |_| json!({})),
];

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let core = OneCore::pick();
    let mut small = Reader::start("read-10", 10, setup)?;
    let mut large = Reader::start("read-10000", 10_000, setup)?;
    board::settle();
    let mut figures = Vec::new();
    for question in QUESTIONS {
        let (mut small_times, mut large_times) = (Samples::default(), Samples::default());
        for round in 0..WARM_UP + setup.effort.reads {
            let small_took = small.ask(question)?;
            let large_took = large.ask(question)?;
            if round >= WARM_UP {
                small_times.push(small_took);
                large_times.push(large_took);
            }
        }
        let what = format!("{} at 10000 tasks, to 10", question.0);
        figures.push(Figure::ratio(what, &large_times, &small_times, MOST));
    }
    drop(core);
    Ok(figures)
}

/// A server and what is on its board.
struct Reader {
    client: Client,
    tasks: Vec<Arc<Task>>,
    random: Random,
}

impl Reader {
    fn start(name: &str, count: usize, setup: &Setup) -> Outcome<Self> {
        let Project { root, tasks, .. } = board::make(&setup.folder, name, count)?;
        Ok(Self {
            client: Client::start(setup.serve(&root))?,
            tasks,
            random: Random::new(11),
        })
    }

    fn ask(&mut self, (method, parameters): Question) -> Outcome<std::time::Duration> {
        let task = self.random.pick(&self.tasks);
        let task = task.ok_or("there is no task to ask for")?;
        Ok(self.client.ask(method, &parameters(task))?.took)
    }
}
