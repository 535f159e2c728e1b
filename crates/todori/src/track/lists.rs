//! The lists of a run: one of the main agent, and one of each agent it started.

use serde_json::Value;
use todori_domain::{Stage, Status};

/// More than this is not kept, whatever a stream says.
const MAX_ITEMS: usize = 5_000;
const MAX_AGENTS: usize = 200;
const MAX_TEXT: usize = 2_000;
/// A shorter beginning of an id is not taken for it.
const SHORTEST_ID: usize = 4;

/// Where an item comes from; ids of different sources have nothing to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A list that is always written whole.
    Whole,
    /// Claude Code's own tasks.
    Claude,
    /// A board of todori.
    Board,
}

/// How much of a status the one who tells it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lens {
    Full,
    /// Only pending, in progress and completed: a task that is blocked is told as pending.
    Three,
    /// Only whether it is done.
    Two,
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    source: Source,
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    pub(crate) active_form: Option<String>,
    pub(crate) status: Status,
    /// How many of its steps are done, and how many there are.
    pub(crate) steps: Option<(usize, usize)>,
}

impl Item {
    /// What to show: the active form while it is in progress.
    pub(crate) fn label(&self) -> &str {
        match (&self.active_form, self.status) {
            (Some(active_form), Status::InProgress) => active_form,
            _ => &self.title,
        }
    }
}

/// An agent that another one started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Agent {
    /// The call that started it.
    call: String,
    pub(crate) name: String,
    pub(crate) finished: bool,
}

/// The list of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct List {
    /// None for the main agent.
    pub(crate) agent: Option<Agent>,
    pub(crate) items: Vec<Item>,
}

impl List {
    pub(crate) fn count(&self, status: Status) -> usize {
        self.items
            .iter()
            .filter(|item| item.status == status)
            .count()
    }

    /// How many there are to do in all.
    pub(crate) fn wanted(&self) -> usize {
        self.items.len() - self.count(Status::Cancelled)
    }
}

/// All lists; the main agent's is the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lists(Vec<List>);

impl Default for Lists {
    fn default() -> Self {
        Self(vec![List::default()])
    }
}

/// What a call or a result says about an item; what it does not say stays as it was.
#[derive(Debug, Clone, Default)]
pub(super) struct Sight {
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) active_form: Option<String>,
    pub(super) status: Option<Status>,
    pub(super) steps: Option<(usize, usize)>,
}

impl Sight {
    /// Reads an item in any of the spellings that are in use.
    pub(super) fn read(value: &Value) -> Self {
        let text = |keys: &[&str]| {
            let mut values = keys.iter().filter_map(|key| value.get(key)?.as_str());
            let text = values.find(|text| !text.trim().is_empty())?;
            Some(text.chars().take(MAX_TEXT).collect::<String>())
        };
        let completed = value.get("completed").and_then(Value::as_bool);
        let status = text(&["status"]).and_then(|status| status_named(&status));
        Self {
            id: ["id", "taskId", "task_id"]
                .iter()
                .find_map(|key| id(value.get(key)?)),
            title: text(&["title", "subject", "content"]),
            active_form: text(&["activeForm", "active_form"]),
            status: status.or(completed.map(|completed| {
                if completed {
                    Status::Done
                } else {
                    Status::Pending
                }
            })),
            steps: value
                .get("subtasks")
                .and_then(Value::as_array)
                .map(|list| steps(list)),
        }
    }

    /// Whether it is about a step of a task, not about a task.
    pub(super) fn is_step(&self) -> bool {
        self.id.as_ref().is_some_and(|id| id.contains('.'))
    }
}

/// An id: a text, or a number in some dialects.
pub(super) fn id(value: &Value) -> Option<String> {
    let text = match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.as_i64()?.to_string(),
    };
    let text: String = text.trim().chars().take(100).collect();
    (!text.is_empty()).then_some(text)
}

fn status_named(name: &str) -> Option<Status> {
    match name {
        "in_progress" => Some(Status::InProgress),
        "completed" => Some(Status::Done),
        other => Status::parse(other),
    }
}

fn steps(steps: &[Value]) -> (usize, usize) {
    let status = |step: &&Value| {
        let status = step.get("status").and_then(Value::as_str);
        status.and_then(status_named) == Some(Status::Done)
    };
    (steps.iter().filter(status).count(), steps.len())
}

impl Lists {
    /// The lists that have something in them, the main agent's first.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &List> {
        self.0.iter().filter(|list| !list.items.is_empty())
    }

    /// Keeps the name of an agent that is being started, so that its list has a heading.
    pub(super) fn name_agent(&mut self, call: &str, input: &Value) {
        let word = |key: &str| input.get(key).and_then(Value::as_str);
        let name = word("description").or_else(|| word("subagent_type"));
        let name: String = name.unwrap_or("agent").chars().take(200).collect();
        if let Some(agent) = self
            .list_of(Some(call))
            .and_then(|list| list.agent.as_mut())
        {
            agent.name = name;
        }
    }

    /// Marks an agent as finished. Says whether that is news about a list that can be seen.
    pub(super) fn finish_agent(&mut self, call: &str) -> bool {
        let mut lists = self.0.iter_mut();
        let Some(List {
            agent: Some(agent),
            items,
        }) = lists.find(|list| list.is_of(Some(call)))
        else {
            return false;
        };
        let news = !agent.finished && !items.is_empty();
        agent.finished = true;
        news
    }

    /// The list of an agent; made if it is new.
    fn list_of(&mut self, agent: Option<&str>) -> Option<&mut List> {
        if !self.0.iter().any(|list| list.is_of(agent)) {
            let call = agent.unwrap_or_default().to_owned();
            self.make_room();
            self.0.push(List {
                agent: Some(Agent {
                    call,
                    name: "agent".to_owned(),
                    finished: false,
                }),
                items: Vec::new(),
            });
        }
        self.0.iter_mut().find(|list| list.is_of(agent))
    }

    /// Forgets an agent where there are too many: one that has nothing to show, or the oldest.
    fn make_room(&mut self) {
        if self.0.len() <= MAX_AGENTS {
            return;
        }
        let agents = || self.0.iter().enumerate().skip(1);
        let idle = agents().find(|(_, list)| list.items.is_empty());
        if let Some((place, _)) = idle.or_else(|| agents().next()) {
            self.0.remove(place);
        }
    }

    /// An agent that does something is not finished: one in the background answers first and works later.
    fn revive(&mut self, agent: Option<&str>) {
        let list = self.0.iter_mut().find(|list| list.is_of(agent));
        if let Some(agent) = list.and_then(|list| list.agent.as_mut()) {
            agent.finished = false;
        }
    }

    /// Replaces a list that is always written whole.
    pub(super) fn write(&mut self, agent: Option<&str>, sights: Vec<Sight>) {
        self.revive(agent);
        let Some(list) = self.list_of(agent) else {
            return;
        };
        let place = list
            .items
            .iter()
            .position(|item| item.source == Source::Whole)
            .unwrap_or(list.items.len());
        list.items.retain(|item| item.source != Source::Whole);
        let new = sights.into_iter().filter_map(|sight| {
            let mut item = new_item(Source::Whole, &sight)?;
            item.id = None;
            Some(item)
        });
        let new: Vec<Item> = new.take(MAX_ITEMS).collect();
        list.items.splice(place..place, new);
    }

    /// Whether a whole list has just been finished, or there is none.
    pub(super) fn is_finished(&self, agent: Option<&str>) -> bool {
        let list = self.0.iter().find(|list| list.is_of(agent));
        let items = list.into_iter().flat_map(|list| &list.items);
        items
            .filter(|item| item.source == Source::Whole)
            .all(|item| item.status == Status::Done)
    }

    /// Takes in what is said about an item. One that is on a list already, this agent's or another's, changes there;
    /// a new one goes to this agent's list.
    pub(super) fn see(&mut self, agent: Option<&str>, source: Source, lens: Lens, sight: &Sight) {
        if sight.is_step() {
            return;
        }
        self.revive(agent);
        if let Some(item) = self.find(agent, source, sight.id.as_deref()) {
            return update(item, sight, lens);
        }
        let Some(list) = self.list_of(agent) else {
            return;
        };
        if let (Some(item), true) = (new_item(source, sight), list.items.len() < MAX_ITEMS) {
            list.items.push(item);
        }
    }

    /// Takes in all items of a source: those that are not named are gone, and the order is this one.
    pub(super) fn see_all(
        &mut self,
        agent: Option<&str>,
        source: Source,
        lens: Lens,
        sights: &[Sight],
    ) {
        for sight in sights {
            self.see(agent, source, lens, sight);
        }
        let place = |item: &Item| {
            let is_it = |sight: &Sight| same(source, item.id.as_deref(), sight.id.as_deref());
            sights.iter().position(is_it)
        };
        for list in &mut self.0 {
            list.items
                .retain(|item| item.source != source || place(item).is_some());
            let places: Vec<usize> = (0..)
                .zip(&list.items)
                .filter(|(_, item)| item.source == source)
                .map(|(index, _)| index)
                .collect();
            let mut sorted: Vec<Item> = places
                .iter()
                .filter_map(|&index| list.items.get(index).cloned())
                .collect();
            sorted.sort_by_key(|item| place(item));
            for (index, item) in places.into_iter().zip(sorted) {
                if let Some(slot) = list.items.get_mut(index) {
                    *slot = item;
                }
            }
        }
    }

    /// Takes an item off the list that it is on.
    pub(super) fn remove(&mut self, agent: Option<&str>, source: Source, id: &str) {
        let wanted = self.find(agent, source, Some(id)).cloned();
        for list in &mut self.0 {
            list.items.retain(|item| Some(item) != wanted.as_ref());
        }
    }

    pub(super) fn has(&mut self, agent: Option<&str>, source: Source, id: &str) -> bool {
        self.find(agent, source, Some(id)).is_some()
    }

    /// The item of this id: on this agent's list, else on another's.
    fn find(&mut self, agent: Option<&str>, source: Source, id: Option<&str>) -> Option<&mut Item> {
        let is_it = |item: &Item| item.source == source && same(source, item.id.as_deref(), id);
        let has_it = |list: &&List| list.items.iter().any(is_it);
        let own = self.0.iter().find(|list| list.is_of(agent) && has_it(list));
        let of = own.or_else(|| self.0.iter().find(has_it))?;
        let of = of.agent.as_ref().map(|agent| agent.call.clone());
        let list = self.0.iter_mut().find(|list| list.is_of(of.as_deref()))?;
        list.items.iter_mut().find(|item| is_it(item))
    }
}

impl List {
    fn is_of(&self, agent: Option<&str>) -> bool {
        self.agent.as_ref().map(|agent| agent.call.as_str()) == agent
    }
}

/// Whether two ids mean the same task. On a board either may be the beginning of the other.
fn same(source: Source, one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    match source {
        Source::Whole => false,
        Source::Claude => one == other,
        Source::Board => {
            let (one, other) = (bare(one), bare(other));
            let (short, long) = if one.len() < other.len() {
                (one, other)
            } else {
                (other, one)
            };
            short == long || (short.len() >= SHORTEST_ID && long.starts_with(&short))
        }
    }
}

/// An id without what a dialect puts before it.
fn bare(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    id.strip_prefix("todo-").unwrap_or(&id).to_owned()
}

fn new_item(source: Source, sight: &Sight) -> Option<Item> {
    Some(Item {
        source,
        id: sight.id.clone(),
        title: sight.title.clone()?,
        active_form: sight.active_form.clone(),
        status: sight.status.unwrap_or(Status::Pending),
        steps: sight.steps,
    })
}

fn update(item: &mut Item, sight: &Sight, lens: Lens) {
    let Sight {
        id,
        title,
        active_form,
        status,
        steps,
    } = sight;
    // The longest form of an id tells most.
    if let Some(id) = id.as_ref().filter(|id| {
        item.id
            .as_ref()
            .is_none_or(|known| bare(known).len() < bare(id).len())
    }) {
        item.id = Some(id.clone());
    }
    if let Some(title) = title {
        item.title.clone_from(title);
    }
    if active_form.is_some() {
        item.active_form.clone_from(active_form);
    }
    if let Some(status) = *status {
        let says_no_more = match lens {
            Lens::Full => false,
            Lens::Three => Stage::of(status) == Stage::of(item.status),
            Lens::Two => status.is_open() == item.status.is_open(),
        };
        if !says_no_more {
            item.status = status;
        }
    }
    if steps.is_some() {
        item.steps = *steps;
    }
}
