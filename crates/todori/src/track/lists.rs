//! The lists of a run: the main agent's, and one for each agent that it started. Bounded in size, whatever a stream says.

use serde_json::Value;
use todori_domain::{Stage, Status};

const MAX_ITEMS: usize = 5_000;
const MAX_AGENTS: usize = 200;
const MAX_TEXT: usize = 2_000;
/// A shorter text is not taken for the beginning of an id.
const SHORTEST_ID: usize = 4;

/// Where an item comes from; ids of different sources have nothing to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A list that is always written as a whole.
    WholeList,
    /// Claude Code's own tasks.
    Claude,
    /// A board of todori.
    Board,
}

/// How much of a status an update can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatusDetail {
    /// All of it.
    Full,
    /// Only pending, in progress and completed: a blocked task appears as pending.
    Stage,
    /// Only whether it is completed.
    Completion,
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    source: Source,
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    pub(crate) active_form: Option<String>,
    pub(crate) status: Status,
    /// How many of its subtasks are done, and how many there are.
    pub(crate) subtasks: Option<(usize, usize)>,
}

impl Item {
    /// The text to show: the active form while it is in progress, else the title.
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
    /// `None` for the main agent.
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

    /// How many items there are to do: all but the cancelled ones.
    pub(crate) fn total(&self) -> usize {
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

/// What a call or a result says about an item; fields that it leaves out stay as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemUpdate {
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) active_form: Option<String>,
    pub(super) status: Option<Status>,
    pub(super) subtasks: Option<(usize, usize)>,
}

impl ItemUpdate {
    /// Reads an item, whichever of the known spellings its fields have.
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
            subtasks: value
                .get("subtasks")
                .and_then(Value::as_array)
                .map(|list| count_done(list)),
        }
    }

    /// Whether it is about a subtask, not about a task.
    pub(super) fn is_subtask(&self) -> bool {
        self.id.as_ref().is_some_and(|id| id.contains('.'))
    }
}

/// An id, which some tools write as a number.
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

/// How many subtasks are done, and how many there are.
fn count_done(subtasks: &[Value]) -> (usize, usize) {
    let is_done = |subtask: &&Value| {
        let status = subtask.get("status").and_then(Value::as_str);
        status.and_then(status_named) == Some(Status::Done)
    };
    (subtasks.iter().filter(is_done).count(), subtasks.len())
}

impl Lists {
    /// The lists that have something in them, the main agent's first.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &List> {
        self.0.iter().filter(|list| !list.items.is_empty())
    }

    /// Remembers the name of an agent that is being started, as the heading of its list.
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

    /// Marks an agent as finished. Returns whether that changes a list that is shown.
    pub(super) fn finish_agent(&mut self, call: &str) -> bool {
        let mut lists = self.0.iter_mut();
        let Some(List {
            agent: Some(agent),
            items,
        }) = lists.find(|list| list.is_of(Some(call)))
        else {
            return false;
        };
        let changed = !agent.finished && !items.is_empty();
        agent.finished = true;
        changed
    }

    /// The list of an agent, created if it has none yet.
    fn list_of(&mut self, agent: Option<&str>) -> Option<&mut List> {
        if !self.0.iter().any(|list| list.is_of(agent)) {
            let call = agent.unwrap_or_default().to_owned();
            self.drop_surplus_agent();
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

    /// Drops an agent if there are too many: the first with an empty list, else the oldest.
    fn drop_surplus_agent(&mut self) {
        if self.0.len() <= MAX_AGENTS {
            return;
        }
        let agents = || self.0.iter().enumerate().skip(1);
        let idle = agents().find(|(_, list)| list.items.is_empty());
        if let Some((place, _)) = idle.or_else(|| agents().next()) {
            self.0.remove(place);
        }
    }

    /// Marks an agent as running again: one in the background returns a result first and works later.
    fn mark_running(&mut self, agent: Option<&str>) {
        let list = self.0.iter_mut().find(|list| list.is_of(agent));
        if let Some(agent) = list.and_then(|list| list.agent.as_mut()) {
            agent.finished = false;
        }
    }

    /// Replaces a list that is always written as a whole.
    pub(super) fn write(&mut self, agent: Option<&str>, updates: Vec<ItemUpdate>) {
        self.mark_running(agent);
        let Some(list) = self.list_of(agent) else {
            return;
        };
        let place = list
            .items
            .iter()
            .position(|item| item.source == Source::WholeList)
            .unwrap_or(list.items.len());
        list.items.retain(|item| item.source != Source::WholeList);
        let new = updates.into_iter().filter_map(|update| {
            let mut item = new_item(Source::WholeList, &update)?;
            item.id = None;
            Some(item)
        });
        let new: Vec<Item> = new.take(MAX_ITEMS).collect();
        list.items.splice(place..place, new);
    }

    /// Whether all items of a list that is written as a whole are done, or there are none.
    pub(super) fn is_finished(&self, agent: Option<&str>) -> bool {
        let list = self.0.iter().find(|list| list.is_of(agent));
        let items = list.into_iter().flat_map(|list| &list.items);
        items
            .filter(|item| item.source == Source::WholeList)
            .all(|item| item.status == Status::Done)
    }

    /// Updates an item where it is listed, with this agent or another; a new one is added to this agent's list.
    pub(super) fn update(
        &mut self,
        agent: Option<&str>,
        source: Source,
        detail: StatusDetail,
        update: &ItemUpdate,
    ) {
        if update.is_subtask() {
            return;
        }
        self.mark_running(agent);
        if let Some(item) = self.find(agent, source, update.id.as_deref()) {
            return apply(item, update, detail);
        }
        let Some(list) = self.list_of(agent) else {
            return;
        };
        if let (Some(item), true) = (new_item(source, update), list.items.len() < MAX_ITEMS) {
            list.items.push(item);
        }
    }

    /// Replaces all items of a source: items that are not among the updates are removed, and the order becomes theirs.
    pub(super) fn replace_all(
        &mut self,
        agent: Option<&str>,
        source: Source,
        detail: StatusDetail,
        updates: &[ItemUpdate],
    ) {
        for update in updates {
            self.update(agent, source, detail, update);
        }
        let place = |item: &Item| {
            let is_it =
                |update: &ItemUpdate| same(source, item.id.as_deref(), update.id.as_deref());
            updates.iter().position(is_it)
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

    /// Removes an item from the list that it is on.
    pub(super) fn remove(&mut self, agent: Option<&str>, source: Source, id: &str) {
        let wanted = self.find(agent, source, Some(id)).cloned();
        for list in &mut self.0 {
            list.items.retain(|item| Some(item) != wanted.as_ref());
        }
    }

    pub(super) fn has(&mut self, agent: Option<&str>, source: Source, id: &str) -> bool {
        self.find(agent, source, Some(id)).is_some()
    }

    /// The item with this id: on this agent's list, else on another's.
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

/// Whether two ids mean the same task. Ids of a board may be shortened, so either may be the beginning of the other.
fn same(source: Source, one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    match source {
        Source::WholeList => false,
        Source::Claude => one == other,
        Source::Board => {
            let (one, other) = (without_prefix(one), without_prefix(other));
            let (short, long) = if one.len() < other.len() {
                (one, other)
            } else {
                (other, one)
            };
            short == long || (short.len() >= SHORTEST_ID && long.starts_with(&short))
        }
    }
}

/// An id without the prefix that some dialects show.
fn without_prefix(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    let prefixes = todori_dialects::ALL.iter().map(|dialect| dialect.id_prefix);
    let mut prefixes = prefixes.filter(|prefix| !prefix.is_empty());
    let rest = prefixes.find_map(|prefix| id.strip_prefix(prefix));
    rest.unwrap_or(&id).to_owned()
}

fn new_item(source: Source, update: &ItemUpdate) -> Option<Item> {
    Some(Item {
        source,
        id: update.id.clone(),
        title: update.title.clone()?,
        active_form: update.active_form.clone(),
        status: update.status.unwrap_or(Status::Pending),
        subtasks: update.subtasks,
    })
}

fn apply(item: &mut Item, update: &ItemUpdate, detail: StatusDetail) {
    let ItemUpdate {
        id,
        title,
        active_form,
        status,
        subtasks,
    } = update;
    // Keep the longest form of an id.
    if let Some(id) = id.as_ref().filter(|id| {
        item.id
            .as_ref()
            .is_none_or(|known| without_prefix(known).len() < without_prefix(id).len())
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
        let says_nothing_new = match detail {
            StatusDetail::Full => false,
            StatusDetail::Stage => Stage::of(status) == Stage::of(item.status),
            StatusDetail::Completion => status.is_open() == item.status.is_open(),
        };
        if !says_nothing_new {
            item.status = status;
        }
    }
    if subtasks.is_some() {
        item.subtasks = *subtasks;
    }
}
