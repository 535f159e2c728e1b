//! What it costs to create and to update a task, against the bare cost of replacing a file of the same size safely.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use todori_domain::{
    BoardKey, Command, NewTask, Request, Status, TaskEdit, TaskId, TaskRef, Tracker, Verdict,
};
use tokio::runtime::Runtime;

use crate::board::{self, moment};
use crate::random::Random;
use crate::report::Figure;
use crate::samples::{Samples, timed};
use crate::setup::{Setup, runtime};
use crate::{Outcome, tasks};

const MOST: f64 = 1.5;
/// Rounds that are not counted, in which files and folders are made that are there ever after.
const WARM_UP: usize = 3;

pub(crate) fn measure(setup: &Setup) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for count in [10, 1_000, 10_000] {
        figures.extend(measure_at(count, setup)?);
    }
    Ok(figures)
}

/// The kinds of work that are done in turns.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Bare,
    Create,
    Update,
}

fn measure_at(count: usize, setup: &Setup) -> Outcome<[Figure; 2]> {
    let project = board::make(&setup.folder, &format!("write-{count}"), count)?;
    let bare_folder = setup.folder.join(format!("bare-{count}"));
    std::fs::create_dir(&bare_folder)?;
    let mut writer = Writer::open(&project)?;
    let (mut bare, mut create, mut update) =
        (Samples::default(), Samples::default(), Samples::default());
    for round in 0..WARM_UP + setup.effort.writes {
        let bytes = std::fs::read(&project.file)?;
        let kinds = [Kind::Bare, Kind::Create, Kind::Update];
        // Each kind goes first in one round of three: what one leaves to the disk, another may have to wait for.
        for kind in kinds.into_iter().cycle().skip(round % 3).take(3) {
            let (samples, took) = match kind {
                Kind::Bare => (&mut bare, bare_write(&bare_folder, &bytes)?),
                Kind::Create => (&mut create, writer.create()?),
                Kind::Update => (&mut update, writer.update()?),
            };
            if round >= WARM_UP {
                samples.push(took);
            }
        }
        // The board stays as large as it is said to be.
        writer.delete_created()?;
    }
    let figure = |name: &str, samples: &Samples| {
        Figure::ratio(format!("{name} at {count} tasks"), samples, &bare, MOST)
    };
    Ok([figure("create", &create), figure("update", &update)])
}

/// Replaces a file so that a crash leaves the old or the new one: what nobody who keeps the promise can leave out.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the bare cost that the store is compared with"
)]
fn bare_write(folder: &Path, bytes: &[u8]) -> Outcome<Duration> {
    let (temporary, real) = (folder.join("file.tmp"), folder.join("file"));
    let (written, took) = timed(|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        std::fs::rename(&temporary, &real)?;
        File::open(folder)?.sync_all()
    });
    written?;
    Ok(took)
}

/// Writes to one board, as the program does.
struct Writer {
    tracker: Tracker,
    runtime: Runtime,
    random: Random,
    /// Where each task stands. No board is kept from an answer: whoever keeps one takes it upon himself to let it go,
    /// which the store would otherwise have to do.
    statuses: Vec<(TaskId, Status)>,
    created: Option<TaskId>,
}

impl Writer {
    fn open(project: &board::Project) -> Outcome<Self> {
        let store = board::open(&project.root);
        let tasks = project.tasks.iter();
        Ok(Self {
            tracker: Tracker::new(store),
            runtime: runtime()?,
            random: Random::new(7),
            statuses: tasks.map(|task| (task.id, task.status)).collect(),
            created: None,
        })
    }

    fn create(&mut self) -> Outcome<Duration> {
        let id = tasks::id(&mut self.random);
        let mut new = NewTask::titled(id, tasks::title(&mut self.random)?);
        new.description = tasks::description(&mut self.random)?;
        self.created = Some(id);
        self.write(Command::Add(new))
    }

    /// Takes any task one step further.
    fn update(&mut self) -> Outcome<Duration> {
        let place = self.random.below(self.statuses.len());
        let (id, status) = self.statuses.get_mut(place).ok_or("there is no task")?;
        *status = match status {
            Status::Pending => Status::InProgress,
            Status::InProgress => Status::Done,
            Status::Blocked | Status::Done | Status::Deferred | Status::Cancelled => {
                Status::Pending
            }
        };
        let edit = TaskEdit {
            status: Some(*status),
            ..TaskEdit::default()
        };
        let task = TaskRef::from(*id);
        self.write(Command::Edit { task, edit })
    }

    fn delete_created(&mut self) -> Outcome<()> {
        if let Some(id) = self.created.take() {
            let task = TaskRef::from(id);
            self.write(Command::Delete { task })?;
        }
        Ok(())
    }

    /// Makes one change and waits until it is on the disk.
    fn write(&mut self, command: Command) -> Outcome<Duration> {
        let request = Request::Write(vec![command]);
        let handled = self.tracker.handle(&BoardKey::Project, moment(), request);
        let (answer, took) = timed(|| self.runtime.block_on(handled));
        match answer?.verdict {
            Verdict::Changed(change) if !change.is_empty() => Ok(took),
            other @ (Verdict::Read | Verdict::Changed(_) | Verdict::Refused(_)) => {
                Err(format!("a write changed nothing: {other:?}").into())
            }
        }
    }
}
