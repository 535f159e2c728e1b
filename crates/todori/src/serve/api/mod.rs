//! What the dashboard asks beside MCP: a few addresses under `/api`, described in `docs/reference/web-interface.md`.
//! Knows the tracker, and nothing of HTTP but paths, queries and bodies.

mod views;

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use todori_dialects::{Dialect, ErrorCodes, Fault};
use todori_domain::{
    Actor, Answer, AuthorMatch, BoardKey, Command, HistoryQuery, Place, Refusal, Request,
    Selection, Status, StoreError, TaskEdit, TaskId, TaskMatch, TaskRef, Tracker, Verdict, Want,
    burn_down, burn_down_start,
};

use super::session::{Traces, http_caller};
use crate::clock;
use crate::overview::Overview;

/// How many events are shown, unless somebody asks for more, and at most.
const EVENTS: usize = 200;
const MOST_EVENTS: usize = 1_000;
/// How many days of the burn-down are shown, unless somebody asks for more, and at most.
const DAYS: usize = 30;
const MOST_DAYS: usize = 365;
/// How many events of the days that the burn-down shows are looked at, at most.
const MOST_COUNTED: usize = 100_000;
/// What the browser calls itself, here and when it calls tools.
const BROWSER: &str = "browser";

/// Answers what the dashboard asks.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    tracker: Tracker,
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
    pub(crate) fn new(tracker: Tracker) -> Self {
        Self { tracker }
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
            history: HistoryQuery::newest(MOST_EVENTS),
            presence: true,
        };
        let overview = Overview::look(self.tracker.store().as_ref(), &want).await;
        let read = overview.project.as_ref().map_err(store_failed)?;
        let moment = clock::now(browser());
        let asking = &moment.actor.session;
        Ok(views::board(&overview, read, asking, moment.at))
    }

    async fn task(&self, id: &str) -> Result<Value, Failure> {
        let answer = self.read(HistoryQuery::default()).await?;
        let found = answer.board.resolve(&TaskRef::new(id));
        let id = found.map_err(|refusal| refused(&refusal, &answer))?.id;
        let answer = self
            .read(HistoryQuery {
                task: Some(TaskMatch::Is(id)),
                ..HistoryQuery::newest(MOST_EVENTS)
            })
            .await?;
        let found = answer.board.resolve(&TaskRef::from(id));
        let task = found.map_err(|refusal| refused(&refusal, &answer))?;
        Ok(views::task(&answer, task))
    }

    async fn history(&self, limit: usize) -> Result<Value, Failure> {
        let answer = self.read(HistoryQuery::newest(limit)).await?;
        let events: Vec<Value> = answer.events().iter().map(views::event).collect();
        Ok(json!({"events": events}))
    }

    async fn progress(&self, days: usize) -> Result<Value, Failure> {
        // What was deleted before the first day that is shown was open on none of them.
        let since = burn_down_start(clock::now(browser()).at, days);
        let answer = self
            .read(HistoryQuery {
                since: Some(since),
                ..HistoryQuery::newest(MOST_COUNTED)
            })
            .await?;
        // Counting many events, and forgetting them, takes long enough for others to notice.
        let counted = tokio::task::spawn_blocking(move || {
            burn_down(&answer.board, answer.events(), answer.moment.at, days)
        });
        let failed = |_| {
            Failure::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "failed",
                "internal error",
            )
        };
        let days = counted.await.map_err(failed)?;
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
        let nothing = || {
            let message = "nothing like that was changed from a browser";
            Failure::new(StatusCode::CONFLICT, "nothing_to_undo", message)
        };
        let task = match text(given, "task")? {
            None => None,
            Some(id) => Some(TaskMatch::Is(TaskId::parse(id).ok_or_else(nothing)?)),
        };
        let by = Some(AuthorMatch::Is(browser().session));
        let query = HistoryQuery {
            task,
            by,
            since_switch: true,
            ..HistoryQuery::default()
        };
        let answer = self
            .ask(Request::Undo(Selection::NewestStanding(query)))
            .await?;
        match &answer.verdict {
            Verdict::Refused(refusal) => return Err(refused(refusal, &answer)),
            Verdict::Changed(change) if change.is_empty() => return Err(nothing()),
            Verdict::Changed(_) | Verdict::Read => {}
        }
        let undone = answer.events().iter();
        let undone: Vec<TaskId> = undone.filter_map(|event| event.change.id()).collect();
        Ok(json!({"revision": answer.revision.0, "undone": views::ids(&undone)}))
    }

    async fn read(&self, history: HistoryQuery) -> Result<Answer, Failure> {
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
    let mut dialects = todori_dialects::ALL.iter().copied();
    dialects.find(|dialect| dialect.error_codes == ErrorCodes::Words)
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
