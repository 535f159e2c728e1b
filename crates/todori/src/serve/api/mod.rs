//! What the dashboard asks beside MCP: a few addresses under `/api`, described in `docs/reference/web-interface.md`.
//! Knows the tracker, and nothing of HTTP but paths, queries and bodies.

mod views;

use std::path::Path;

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use todori_dialects::{Dialect, Fault};
use todori_domain::{
    Actor, Answer, BoardKey, Command, Event, Place, Refusal, Request, Status, StoreError,
    TaskChange, TaskEdit, TaskRef, Tracker, Verdict, Want, burn_down, standing_requests,
};
use todori_store::{Origin, find_project};

use super::session::{Traces, http_caller};
use crate::clock;
use crate::overview::Overview;

/// How many events are shown, unless somebody asks for more, and at most.
const EVENTS: usize = 200;
const MOST_EVENTS: usize = 1_000;
/// How many days of the burn-down are shown, unless somebody asks for more, and at most.
const DAYS: usize = 30;
const MOST_DAYS: usize = 365;
/// How far back is looked for what happened to one task, and for tasks that are gone.
const LOOKED_AT: usize = 100_000;
/// What the browser calls itself, here and when it calls tools.
const BROWSER: &str = "browser";

/// Answers what the dashboard asks.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    tracker: Tracker,
    origin: Origin,
}

/// What is asked.
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a Method,
    /// What comes after `/api/`.
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) body: &'a [u8],
}

/// Why something was not answered.
struct Failure {
    status: StatusCode,
    code: Value,
    message: String,
}

impl Failure {
    fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            code: json!(code),
            message: message.into(),
        }
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    fn worded(status: StatusCode, fault: Fault) -> Self {
        Self {
            status,
            code: fault.code(),
            message: fault.message,
        }
    }
}

impl Api {
    pub(crate) fn new(tracker: Tracker, origin: Origin) -> Self {
        Self { tracker, origin }
    }

    /// Answers one request, whatever it is.
    pub(crate) async fn answer(&self, asked: Asked<'_>) -> (StatusCode, Value) {
        match self.find(asked).await {
            Ok(told) => (StatusCode::OK, told),
            Err(Failure {
                status,
                code,
                message,
            }) => (status, json!({"error": {"code": code, "message": message}})),
        }
    }

    async fn find(&self, asked: Asked<'_>) -> Result<Value, Failure> {
        let Asked {
            method,
            path,
            query,
            body,
        } = asked;
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let writes = method == Method::POST;
        match path {
            "board" if reads => self.board().await,
            "history" if reads => {
                self.history(number(query, "limit", EVENTS, MOST_EVENTS)?)
                    .await
            }
            "progress" if reads => self.progress(number(query, "days", DAYS, MOST_DAYS)?).await,
            "move" if writes => self.move_task(&object(body)?).await,
            "undo" if writes => self.undo(&object(body)?).await,
            other => match other.strip_prefix("tasks/") {
                Some(id) if reads => self.task(id).await,
                _ if other.starts_with("tasks/")
                    || matches!(path, "board" | "history" | "progress" | "move" | "undo") =>
                {
                    Err(Failure::new(
                        StatusCode::METHOD_NOT_ALLOWED,
                        "invalid",
                        "this address answers GET or POST, not this method",
                    ))
                }
                _ => Err(Failure::new(
                    StatusCode::NOT_FOUND,
                    "not_found",
                    "there is nothing here",
                )),
            },
        }
    }

    async fn board(&self) -> Result<Value, Failure> {
        let want = Want {
            history: MOST_EVENTS,
            presence: true,
        };
        let overview = Overview::look(self.tracker.store().as_ref(), want).await;
        let read = overview.project.as_ref().map_err(store_failed)?;
        let moment = clock::now(browser());
        let name = self.project_name();
        let asking = &moment.actor.session;
        Ok(views::board(&overview, read, asking, moment.at, &name))
    }

    /// The folder that the board lives in, by its last name.
    fn project_name(&self) -> String {
        let root = find_project(&self.origin).ok();
        let name = root.as_deref().and_then(Path::file_name);
        name.map_or_else(
            || "todori".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    }

    async fn task(&self, id: &str) -> Result<Value, Failure> {
        let answer = self.read(LOOKED_AT).await?;
        let found = answer.board.resolve(&TaskRef::new(id));
        let task = found.map_err(|refusal| refused(&refusal, &answer))?;
        Ok(views::task(&answer, task))
    }

    async fn history(&self, limit: usize) -> Result<Value, Failure> {
        let answer = self.read(limit).await?;
        let events: Vec<Value> = answer.history.iter().map(views::event).collect();
        Ok(json!({"events": events}))
    }

    async fn progress(&self, days: usize) -> Result<Value, Failure> {
        let answer = self.read(LOOKED_AT).await?;
        let days = burn_down(&answer.board, &answer.history, answer.moment.at, days);
        Ok(json!({"days": days.iter().map(views::day).collect::<Vec<_>>()}))
    }

    async fn move_task(&self, given: &Map<String, Value>) -> Result<Value, Failure> {
        known(given, &["id", "before", "after", "status"])?;
        let task =
            TaskRef::new(text(given, "id")?.ok_or_else(|| Failure::invalid("id is missing"))?);
        let before = text(given, "before")?.map(TaskRef::new).map(Place::Before);
        let after = text(given, "after")?.map(TaskRef::new).map(Place::After);
        let status = match text(given, "status")? {
            None => None,
            Some(name) => Some(
                Status::parse(name)
                    .ok_or_else(|| Failure::invalid(format!("there is no status {name:?}")))?,
            ),
        };
        if before.is_some() && after.is_some() {
            return Err(Failure::invalid("give before or after, not both"));
        }
        let mut commands = Vec::new();
        if status.is_some() {
            let edit = TaskEdit {
                status,
                ..TaskEdit::default()
            };
            let task = task.clone();
            commands.push(Command::Edit { task, edit });
        }
        if let Some(to) = before.or(after) {
            commands.push(Command::Move { task, to });
        }
        let answer = self.write(commands).await?;
        Ok(json!({"revision": answer.revision.0}))
    }

    /// Takes back the last change that was made here and still stands; of one task, if one is named.
    async fn undo(&self, given: &Map<String, Value>) -> Result<Value, Failure> {
        known(given, &["task"])?;
        let read = self.read(LOOKED_AT).await?;
        let task = text(given, "task")?.map(str::to_lowercase);
        let me = browser().session;
        let is_meant = |event: &&Event| {
            let id = event.change.id().map(|id| id.to_string());
            task.as_ref().is_none_or(|task| id.as_ref() == Some(task))
        };
        let mut requests = standing_requests(&read.history, |event| event.by == me).into_iter();
        let request = requests.find(|request| request.iter().any(&is_meant));
        let Some(request) = request else {
            return Err(Failure::new(
                StatusCode::CONFLICT,
                "nothing_to_undo",
                "nothing like that was changed from a browser",
            ));
        };
        let changes: Vec<TaskChange> = request.iter().map(|event| event.change.clone()).collect();
        let undone: Vec<_> = changes.iter().filter_map(TaskChange::id).collect();
        let answer = self.write(vec![Command::Undo { changes }]).await?;
        Ok(json!({"revision": answer.revision.0, "undone": views::ids(&undone)}))
    }

    async fn read(&self, history: usize) -> Result<Answer, Failure> {
        let want = Want {
            history,
            presence: false,
        };
        self.ask(Request::Read(want)).await
    }

    async fn write(&self, commands: Vec<Command>) -> Result<Answer, Failure> {
        let answer = self.ask(Request::Write(commands)).await?;
        match &answer.verdict {
            Verdict::Refused(refusal) => Err(refused(refusal, &answer)),
            Verdict::Read | Verdict::Changed(_) => Ok(answer),
        }
    }

    async fn ask(&self, request: Request) -> Result<Answer, Failure> {
        let moment = clock::now(browser());
        let answer = self
            .tracker
            .handle(&BoardKey::Project, moment, request)
            .await;
        answer.map_err(|error| store_failed(&error))
    }
}

/// Who asks: the same as when the page calls tools.
fn browser() -> Actor {
    http_caller(
        Traces::default(),
        Some((BROWSER, env!("CARGO_PKG_VERSION"))),
    )
    .actor
}

/// The vocabulary whose errors have names that programs can tell apart.
fn wording() -> Option<&'static Dialect> {
    todori_dialects::find("todo")
}

fn refused(refusal: &Refusal, answer: &Answer) -> Failure {
    let status = match refusal {
        Refusal::TaskNotFound { .. }
        | Refusal::SubtaskNotFound { .. }
        | Refusal::DependencyNotFound { .. }
        | Refusal::NoSuchPlace { .. }
        | Refusal::TitleNotFound { .. } => StatusCode::NOT_FOUND,
        Refusal::AmbiguousId { .. }
        | Refusal::AmbiguousTitle { .. }
        | Refusal::IncompleteOrder { .. }
        | Refusal::SeveralInProgress { .. }
        | Refusal::ChangedSince { .. }
        | Refusal::Cycle { .. } => StatusCode::CONFLICT,
    };
    wording().map_or_else(
        || Failure::new(status, "refused", "this was refused"),
        |dialect| Failure::worded(status, dialect.refusal_fault(refusal, &answer.board)),
    )
}

fn store_failed(error: &StoreError) -> Failure {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    wording().map_or_else(
        || Failure::new(status, "failed", error.to_string()),
        |dialect| Failure::worded(status, dialect.store_fault(error)),
    )
}

/// A number in the query.
fn number(query: &str, name: &str, usual: usize, most: usize) -> Result<usize, Failure> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let Some((_, value)) = pairs.find(|(key, _)| *key == name) else {
        return Ok(usual);
    };
    let number: usize = value
        .parse()
        .map_err(|_| Failure::invalid(format!("{name} must be a number")))?;
    Ok(number.clamp(1, most))
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    let value: Value =
        serde_json::from_slice(body).map_err(|error| Failure::invalid(error.to_string()))?;
    let Value::Object(object) = value else {
        return Err(Failure::invalid("the body must be an object"));
    };
    Ok(object)
}

/// Refuses what is misspelt, so that it is not silently lost.
fn known(given: &Map<String, Value>, names: &[&str]) -> Result<(), Failure> {
    let unknown = given.keys().find(|key| !names.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| {
        let names = names.join(", ");
        Err(Failure::invalid(format!(
            "{key:?} is not known; known: {names}"
        )))
    })
}

fn text<'a>(given: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Failure> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_str()
            .map(Some)
            .ok_or_else(|| Failure::invalid(format!("{name} must be a text"))),
    }
}
