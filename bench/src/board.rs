//! Makes projects with boards of any size, through the store itself, so that their files are what it would write.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use todori_domain::{
    Actor, Board, BoardKey, Change, Decision, Moment, Store, Task, TaskChange, Timestamp, Work,
};
use todori_store::{Host, Lifetime, Origin, StoreAddress};

use crate::Outcome;
use crate::setup::runtime;
use crate::tasks::tasks;

/// A project with a board.
#[derive(Debug)]
pub(crate) struct Project {
    /// Its folder.
    pub(crate) root: PathBuf,
    /// The board's file.
    pub(crate) file: PathBuf,
    /// What is on the board, in list order.
    pub(crate) tasks: Vec<Arc<Task>>,
}

/// Makes a project of this name with that many tasks.
pub(crate) fn make(folder: &Path, name: &str, count: usize) -> Outcome<Project> {
    let root = folder.join(name);
    std::fs::create_dir(&root)?;
    let project = Project {
        file: root.join(".todori/tasks.yaml"),
        root,
        tasks: tasks(count)?,
    };
    let store = open(&project.root);
    runtime()?.block_on(store.create())?;
    if count > 0 {
        put(&*store, &project.tasks)?;
        // The board is then as it comes out of git: without the one huge entry of its making in the history.
        std::fs::remove_file(project.root.join(".todori/history.jsonl"))?;
    }
    Ok(project)
}

/// Opens the store of a project, as the program does.
pub(crate) fn open(root: &Path) -> Arc<dyn Store> {
    let host = Host {
        session_lifetime: Lifetime::Process,
        runtime_folder: root.join("elsewhere"),
    };
    let address = StoreAddress::Folder(Origin::Given(root.to_owned()));
    todori_store::open(&address, host)
}

/// Who changes boards here, and when: a fixed time, since nothing that is measured depends on it.
pub(crate) fn moment() -> Moment {
    Moment {
        at: Timestamp::from_millis(1_790_000_000_000),
        actor: Actor::session("bench"),
    }
}

/// Waits until the file is so old that the store trusts its time, which it does after 2 seconds.
pub(crate) fn settle() {
    std::thread::sleep(Duration::from_millis(2_500));
}

/// Puts all tasks on an empty board in one step. Rules are not asked: they would stamp the tasks with one time.
fn put(store: &dyn Store, tasks: &[Arc<Task>]) -> Outcome<()> {
    let board = Arc::new(Board::from_tasks(tasks.iter().map(Arc::clone)));
    let new = |task: &Arc<Task>| TaskChange {
        before: None,
        after: Some(Arc::clone(task)),
    };
    let change = Change {
        tasks: board.by_id().map(new).collect(),
    };
    let undoes = Arc::default();
    let decision = Decision {
        change,
        board,
        undoes,
    };
    let work = Work::on_board(move |_| Ok(decision.clone()));
    let moment = moment();
    let outcome = runtime()?.block_on(store.transact(&BoardKey::Project, &moment, work))?;
    let put = outcome.verdict.map_err(|refusal| format!("{refusal:?}"))?;
    if put.tasks.len() != tasks.len() {
        return Err("the board was not made".into());
    }
    Ok(())
}
