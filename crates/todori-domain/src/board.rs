//! One ordered list of tasks. Keeps its order and finds tasks by id or prefix; knows no rules about them.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::by_id::ById;
use crate::outlook::{Outlook, open_dependencies, open_dependents};
use crate::{Graph, IdPrefix, Progress, Refusal, SessionName, Task, TaskId, TaskRef};

/// One ordered list of tasks.
///
/// Tasks are shared, so a copy of a board costs a pointer for each task, not the task.
#[derive(Debug, Clone, Default)]
pub struct Board {
    tasks: ById,
    /// The ids in list order.
    order: Vec<TaskId>,
    /// What follows from the tasks; worked out when first asked for, forgotten at each change.
    outlook: OnceLock<Outlook>,
}

/// So few tasks are put on the board one by one.
const FEW: usize = 8;

/// How many candidates an ambiguous prefix names.
const MAX_CANDIDATES: usize = 10;

impl Board {
    /// Puts tasks in order.
    pub fn from_tasks(tasks: impl IntoIterator<Item = Arc<Task>>) -> Self {
        let tasks: ById = tasks.into_iter().collect();
        let mut order: Vec<&Arc<Task>> = tasks.values().collect();
        order.sort_by(|a, b| a.place().cmp(&b.place()));
        let order = order.into_iter().map(|task| task.id).collect();
        Self {
            tasks,
            order,
            outlook: OnceLock::new(),
        }
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tasks.len() == 0
    }

    /// The task with this id.
    pub fn get(&self, id: TaskId) -> Option<&Arc<Task>> {
        self.tasks.get(id)
    }

    /// All tasks in list order.
    pub fn in_order(&self) -> impl DoubleEndedIterator<Item = &Arc<Task>> {
        self.order.iter().filter_map(|&id| self.tasks.get(id))
    }

    /// The tasks from this place in the list on.
    pub(crate) fn in_order_from(&self, place: usize) -> impl Iterator<Item = &Arc<Task>> {
        let order = self.order.get(place..).unwrap_or_default();
        order.iter().filter_map(|&id| self.tasks.get(id))
    }

    /// All tasks sorted by id.
    pub fn by_id(&self) -> impl DoubleEndedIterator<Item = &Arc<Task>> {
        self.tasks.values()
    }

    /// Finds the one task that the caller means.
    pub fn resolve(&self, reference: &TaskRef) -> Result<&Arc<Task>, Refusal> {
        let not_found = || Refusal::TaskNotFound {
            given: reference.given().to_owned(),
        };
        match reference.meaning() {
            IdPrefix::Whole(id) => self.tasks.get(id).ok_or_else(not_found),
            IdPrefix::Nothing => Err(not_found()),
            IdPrefix::Prefix { first, text } => {
                let mut matching = self
                    .tasks
                    .from(first)
                    .take_while(|task| task.id.to_string().starts_with(&text));
                let found = matching.next().ok_or_else(not_found)?;
                let others: Vec<TaskId> = matching.map(|task| task.id).collect();
                if others.is_empty() {
                    return Ok(found);
                }
                let total = others.len() + 1;
                let all = std::iter::once(found.id).chain(others);
                let candidates = all.take(MAX_CANDIDATES).collect();
                let given = reference.given().to_owned();
                Err(Refusal::AmbiguousId {
                    given,
                    candidates,
                    total,
                })
            }
        }
    }

    /// Gives the shortest prefix, of at least `least` characters, that no other task shares.
    pub fn short_id(&self, id: TaskId, least: usize) -> String {
        let text = id.to_string();
        let before = self.tasks.before(id).map(|other| other.id.to_string());
        let after = self.tasks.from(id).find(|other| other.id != id);
        let after = after.map(|other| other.id.to_string());
        let shared = [before, after].into_iter().flatten().map(|other| {
            text.bytes()
                .zip(other.bytes())
                .take_while(|(mine, theirs)| mine == theirs)
                .count()
        });
        let length = shared.max().map_or(least, |shared| least.max(shared + 1));
        id.prefix(length)
    }

    /// What follows from the tasks: who waits for whom, what is free to start, how many there are of each kind.
    pub(crate) fn outlook(&self) -> &Outlook {
        self.outlook.get_or_init(|| Outlook::of(self))
    }

    /// The open tasks that wait for this one, in list order.
    pub fn open_dependents(&self, id: TaskId) -> impl Iterator<Item = &Task> {
        open_dependents(self, &self.outlook().dependents, id)
    }

    /// The tasks that this one waits for and that are not done yet.
    pub fn open_dependencies<'a>(&'a self, task: &'a Task) -> impl Iterator<Item = &'a Task> {
        open_dependencies(self, task)
    }

    /// The longest chain of open tasks that wait for each other, first to last; empty where none wait.
    pub fn critical_path(&self) -> Vec<TaskId> {
        let open = self.by_id().filter(|task| task.status.is_open());
        let edges = open.map(|task| {
            let waits_for = self.open_dependencies(task).map(|other| other.id);
            (task.id, waits_for.collect())
        });
        Graph::new(edges).longest_path()
    }

    /// How many tasks there are of each kind.
    pub fn progress(&self) -> Progress {
        self.outlook().progress
    }

    /// The sessions that have tasks in progress.
    pub fn holders(&self) -> &BTreeSet<SessionName> {
        &self.outlook().holders
    }

    /// Adds a task or replaces the one with its id.
    pub fn put(&mut self, task: Arc<Task>) {
        self.remove(task.id);
        let place = self.order.partition_point(|id| {
            self.tasks
                .get(*id)
                .is_some_and(|other| other.place() < task.place())
        });
        self.order.insert(place, task.id);
        self.tasks.insert(task);
    }

    /// Adds or replaces many tasks: sorted once, instead of moving half of the list for each of them.
    pub(crate) fn put_all(&mut self, tasks: impl ExactSizeIterator<Item = Arc<Task>>) {
        if tasks.len() < FEW {
            return tasks.for_each(|task| self.put(task));
        }
        let all = self.tasks.values().cloned().chain(tasks);
        *self = Self::from_tasks(all);
    }

    /// Takes a task away.
    pub fn remove(&mut self, id: TaskId) -> Option<Arc<Task>> {
        self.outlook = OnceLock::new();
        let task = self.tasks.get(id)?;
        let place = self.order.partition_point(|other| {
            self.tasks
                .get(*other)
                .is_some_and(|other| other.place() < task.place())
        });
        self.order.remove(place);
        self.tasks.remove(id)
    }
}

impl PartialEq for Board {
    /// Boards are equal when their tasks are; the order and the outlook follow from those.
    fn eq(&self, other: &Self) -> bool {
        self.tasks == other.tasks
    }
}

impl Eq for Board {}
