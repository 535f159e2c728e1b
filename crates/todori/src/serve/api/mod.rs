//! What the dashboard asks beside MCP: a few addresses under `/api`, described in `docs/reference/web-interface.md`.
//! Knows the tracker, and nothing of HTTP but paths, queries and bodies.

mod pages;
mod views;

use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use todori_dialects::{Dialect, ErrorCodes, Fault};
use todori_domain::{
    Actor, Answer, AuthorMatch, BoardKey, Command, HistoryQuery, Place, Refusal, Request,
    Selection, Status, StoreError, TaskEdit, TaskId, TaskMatch, TaskRef, Tracker, Verdict, Want,
    burn_down, burn_down_start,
};

pub(crate) use self::pages::Page;
use self::pages::{Pages, Question, Version};
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
pub(crate) struct Api {
    tracker: Tracker,
    pages: Pages,
}

/// What is told.
pub(crate) enum Told {
    /// The answer to a question that others may ask too.
    Page(Arc<Page>),
    /// What became of a change, or why there is no answer.
    Outcome(StatusCode, Value),
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
        Self {
            tracker,
            pages: Pages::default(),
        }
    }

    /// Answers one request, whatever it is.
    pub(crate) async fn answer(&self, asked: Asked<'_>) -> Told {
        self.find(asked).await.unwrap_or_else(|failure| {
            let Failure {
                status,
                code,
                message,
            } = failure;
            let told = json!({"error": {"code": code, "message": message}});
            Told::Outcome(status, told)
        })
    }

    async fn find(&self, asked: Asked<'_>) -> Result<Told, Failure> {
        let Asked {
            method,
            path,
            query,
            body,
        } = asked;
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let writes = method == Method::POST;
        let done = |told| Told::Outcome(StatusCode::OK, told);
        let question = match path {
            "board" => Some(Question::Board),
            "history" => Some(Question::History(number(
                query,
                "limit",
                EVENTS,
                MOST_EVENTS,
            )?)),
            "progress" => Some(Question::Progress(number(query, "days", DAYS, MOST_DAYS)?)),
            other => other
                .strip_prefix("tasks/")
                .map(|id| Question::Task(id.to_owned())),
        };
        match (path, question) {
            (_, Some(question)) if reads => self.page(&question).await.map(Told::Page),
            ("move", None) if writes => self.move_task(&object(body)?).await.map(done),
            ("undo", None) if writes => self.undo(&object(body)?).await.map(done),
            (_, Some(_)) | ("move" | "undo", None) => Err(Failure::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "invalid",
                "this address answers GET or POST, not this method",
            )),
            (_, None) => Err(Failure::new(
                StatusCode::NOT_FOUND,
                "not_found",
                "there is nothing here",
            )),
        }
    }

    /// The answer to a question about the board as it is now.
    async fn page(&self, question: &Question) -> Result<Arc<Page>, Failure> {
        let look = self.version(question);
        let work_out = async {
            match question {
                Question::Board => self.board().await,
                Question::Task(id) => self.task(id).await,
                Question::History(limit) => self.history(*limit).await,
                Question::Progress(days) => self.progress(*days).await,
            }
        };
        self.pages.find(question, look, work_out).await
    }

    /// What the answer to a question depends on, as it is now.
    async fn version(&self, question: &Question) -> Result<Version, Failure> {
        match question {
            Question::Board => {
                let want = Want {
                    presence: true,
                    ..Want::default()
                };
                let overview = Overview::look(self.tracker.store().as_ref(), &want).await;
                version_of(&overview)
            }
            Question::Task(_) | Question::History(_) => {
                let answer = self.read(HistoryQuery::default()).await?;
                Ok(Version::Project(answer.revision))
            }
            Question::Progress(_) => {
                let answer = self.read(HistoryQuery::default()).await?;
                Ok(on_day(&answer))
            }
        }
    }

    async fn board(&self) -> Result<(Version, Page), Failure> {
        let want = Want {
            history: HistoryQuery::newest(MOST_EVENTS),
            presence: true,
        };
        let overview = Overview::look(self.tracker.store().as_ref(), &want).await;
        let version = version_of(&overview)?;
        let moment = clock::now(browser());
        let page = off_thread(move || {
            let asking = &moment.actor.session;
            let read = overview.project.as_ref().map_err(store_failed)?;
            let told = views::board(&overview, read, asking, moment.at);
            Ok(Page::new(&told))
        });
        Ok((version, page.await?))
    }

    async fn task(&self, id: &str) -> Result<(Version, Page), Failure> {
        let answer = self.read(HistoryQuery::default()).await?;
        let found = answer.board.resolve(&TaskRef::new(id));
        let id = found.map_err(|refusal| refused(&refusal, &answer))?.id;
        let answer = self
            .read(HistoryQuery {
                task: Some(TaskMatch::Is(id)),
                ..HistoryQuery::newest(MOST_EVENTS)
            })
            .await?;
        let version = Version::Project(answer.revision);
        let page = off_thread(move || {
            let found = answer.board.resolve(&TaskRef::from(id));
            let task = found.map_err(|refusal| refused(&refusal, &answer))?;
            Ok(Page::new(&views::task(&answer, task)))
        });
        Ok((version, page.await?))
    }

    async fn history(&self, limit: usize) -> Result<(Version, Page), Failure> {
        let answer = self.read(HistoryQuery::newest(limit)).await?;
        let version = Version::Project(answer.revision);
        let page = off_thread(move || {
            let events: Vec<Value> = answer.events().iter().map(views::event).collect();
            Ok(Page::new(&json!({"events": events})))
        });
        Ok((version, page.await?))
    }

    async fn progress(&self, days: usize) -> Result<(Version, Page), Failure> {
        // What was deleted before the first day that is shown was open on none of them.
        let since = burn_down_start(clock::now(browser()).at, days);
        let answer = self
            .read(HistoryQuery {
                since: Some(since),
                ..HistoryQuery::newest(MOST_COUNTED)
            })
            .await?;
        let version = on_day(&answer);
        let page = off_thread(move || {
            let days = burn_down(&answer.board, answer.events(), answer.moment.at, days);
            let days: Vec<Value> = days.iter().map(views::day).collect();
            Ok(Page::new(&json!({"days": days})))
        });
        Ok((version, page.await?))
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

/// Does what takes long enough for others to notice on another thread.
async fn off_thread(
    work_out: impl FnOnce() -> Result<Page, Failure> + Send + 'static,
) -> Result<Page, Failure> {
    let failed = |_| {
        Failure::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "failed",
            "internal error",
        )
    };
    tokio::task::spawn_blocking(work_out)
        .await
        .map_err(failed)?
}

fn version_of(overview: &Overview) -> Result<Version, Failure> {
    let read = overview.project.as_ref().map_err(store_failed)?;
    Ok(Version::Board {
        name: overview.name.clone(),
        revision: read.revision,
        live: read.live.clone(),
        sessions: overview.sessions_revision(),
    })
}

fn on_day(answer: &Answer) -> Version {
    Version::ProjectOnDay(answer.revision, answer.moment.at.date())
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
