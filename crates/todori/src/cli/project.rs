//! The project that commands are about: asks the tracker and words what went wrong for people.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value};
use todori_dialects::{Fault, Reply};
use todori_domain::{
    Actor, Answer, Board, BoardKey, Command, Moment, NobodyElse, Refusal, Request, Status,
    StoreError, TaskEdit, TaskRef, Tracker, Verdict, Want, decide,
};
use todori_store::{Host, KEPT_FOR, Lifetime};
use tokio::runtime::Runtime;

use super::Ended;
use super::output::Output;
use crate::clock;
use crate::config::Settings;
use crate::dispatch::Dispatcher;
use crate::error_text::ErrorText;

/// The project that commands are about.
pub(super) struct Project {
    pub(super) settings: Settings,
    runtime: Rc<Runtime>,
    tracker: OnceCell<Tracker>,
}

impl Project {
    pub(super) fn new(settings: Settings, runtime: Rc<Runtime>) -> Self {
        Self {
            settings,
            runtime,
            tracker: OnceCell::new(),
        }
    }

    /// The same with other settings.
    pub(super) fn with(&self, settings: Settings) -> Self {
        Self::new(settings, Rc::clone(&self.runtime))
    }

    /// The tracker. What sessions do here outlives this process.
    pub(super) fn tracker(&self) -> &Tracker {
        self.tracker_for(Lifetime::Idle(KEPT_FOR))
    }

    /// The tracker, for a process whose sessions live so long. The one place where the store is opened.
    pub(super) fn tracker_for(&self, session_lifetime: Lifetime) -> &Tracker {
        self.tracker.get_or_init(|| {
            let host = Host {
                session_lifetime,
                runtime_folder: self.settings.runtime_folder.clone(),
            };
            let address = self.settings.store_address();
            Tracker::new(todori_store::open(&address, host))
        })
    }

    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Now, and who types commands.
    pub(super) fn now(&self) -> Moment {
        clock::now(self.settings.person.clone())
    }

    /// Waits for an answer on this thread.
    pub(super) fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }

    /// Reads the board, or says why that can't be done.
    pub(super) fn read(&self, want: Want, output: &mut Output) -> Result<Answer, Ended> {
        self.ask(Request::Read(want), output)
    }

    /// Changes the board, or says why it was not changed.
    pub(super) fn write(
        &self,
        commands: Vec<Command>,
        output: &mut Output,
    ) -> Result<Answer, Ended> {
        let answer = self.ask(Request::Write(commands), output)?;
        if let Verdict::Refused(refusal) = &answer.verdict {
            return Err(refused(refusal, &answer, output));
        }
        Ok(answer)
    }

    /// Says what a change would do to a board that was read, or why it would be refused. Nothing is written.
    pub(super) fn rehearse(
        &self,
        commands: &[Command],
        read: &Answer,
        output: &mut Output,
    ) -> Result<Arc<Board>, Ended> {
        let moment = self.now();
        match decide(&read.board, commands, &moment, &NobodyElse) {
            Ok(decision) => Ok(decision.board),
            Err(refusal) => Err(refused(&refusal, read, output)),
        }
    }

    /// Sets the status of tasks, all or none.
    pub(super) fn set_status(
        &self,
        tasks: &[TaskRef],
        status: Status,
        output: &mut Output,
    ) -> Result<Answer, Ended> {
        let edit = TaskEdit {
            status: Some(status),
            ..TaskEdit::default()
        };
        let command = |task: &TaskRef| Command::Edit {
            task: task.clone(),
            edit: edit.clone(),
        };
        self.write(tasks.iter().map(command).collect(), output)
    }

    /// Asks anything; what was refused is for the caller to word.
    pub(super) fn ask(&self, request: Request, output: &mut Output) -> Result<Answer, Ended> {
        let moment = self.now();
        let answer = self.tracker().handle(&BoardKey::Project, moment, request);
        let answer = self.wait(answer);
        for notice in self.tracker().store().notices() {
            output.note(&notice.to_string());
        }
        answer.map_err(|error| failed(&error, output))
    }

    /// Asks as somebody, and leaves it to the caller to say what went wrong; nothing if there is no project.
    pub(super) fn ask_quietly(
        &self,
        actor: Actor,
        request: Request,
    ) -> Result<Option<Answer>, String> {
        let answer = self
            .tracker()
            .handle(&BoardKey::Project, clock::now(actor), request);
        match self.wait(answer) {
            Ok(answer) => Ok(Some(answer)),
            Err(StoreError::NoBoard { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Calls a tool as an agent would; `None` if there is no such tool.
    pub(super) fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Option<Result<Reply, Fault>> {
        let dispatcher = Dispatcher::new(self.tracker().clone(), todori_dialects::ALL.to_vec());
        let person = self.settings.person.clone();
        let list = person.session.clone();
        self.wait(dispatcher.call(tool, arguments, person, &list))
    }
}

/// Says why a request was refused.
pub(super) fn refused(refusal: &Refusal, answer: &Answer, output: &mut Output) -> Ended {
    let board = &answer.board;
    let named = |id| {
        let title = board.get(id).map_or("", |task| task.title.as_str());
        format!("{} {title}", board.short_id(id, 8))
    };
    match refusal {
        Refusal::TaskNotFound { given } | Refusal::DependencyNotFound { given } => {
            let hint = "`todori list --all` shows the ids; at least 4 characters of one are needed";
            output.error(&format!("no task has the id {given}"), Some(hint));
        }
        Refusal::AmbiguousId {
            given,
            candidates,
            total,
        } => {
            let names: Vec<String> = candidates.iter().map(|&id| named(id)).collect();
            let hint = format!("give more characters:\n{}", names.join("\n"));
            output.error(&format!("{total} tasks begin with {given}"), Some(&hint));
        }
        Refusal::SubtaskNotFound { subtask, .. } => {
            output.error(&format!("there is no subtask {}", subtask.number), None);
        }
        Refusal::NoSuchPlace { place, count } => {
            output.error(
                &format!("there is no task at {place}; the list has {count}"),
                None,
            );
        }
        Refusal::TitleNotFound { given } => {
            output.error(&format!("no title contains {given}"), None);
        }
        Refusal::AmbiguousTitle {
            given,
            candidates,
            total,
        } => {
            let names: Vec<String> = candidates.iter().map(|&id| named(id)).collect();
            let hint = format!("give more of the title:\n{}", names.join("\n"));
            output.error(&format!("{total} titles contain {given}"), Some(&hint));
        }
        Refusal::IncompleteOrder { missing, repeated } => {
            let names: Vec<String> = missing
                .iter()
                .chain(repeated)
                .map(|&id| named(id))
                .collect();
            let hint = format!("left out or repeated:\n{}", names.join("\n"));
            output.error("a new order names every task exactly once", Some(&hint));
        }
        Refusal::SeveralInProgress { count } => {
            output.error(
                &format!("only one item can be in progress, not {count}"),
                None,
            );
        }
        Refusal::ChangedSince { tasks } => {
            let names: Vec<String> = tasks.iter().map(|&id| named(id)).collect();
            let hint = format!(
                "`todori log ID` shows what happened to them:\n{}",
                names.join("\n")
            );
            output.error(
                "nothing was undone: later changes of these tasks would be lost",
                Some(&hint),
            );
        }
        Refusal::Cycle { path } => {
            let names: Vec<String> = path.iter().map(|&id| named(id)).collect();
            let hint = format!("each of these waits for the next:\n{}", names.join("\n"));
            output.error(
                "these tasks would wait for each other for ever",
                Some(&hint),
            );
        }
    }
    Ended::Refused
}

/// Says why the store failed.
pub(super) fn failed(error: &StoreError, output: &mut Output) -> Ended {
    let text = ErrorText::of(error);
    output.error(&text.message, text.hint.as_deref());
    match error {
        StoreError::NoBoard { .. } | StoreError::Denied { .. } => Ended::Refused,
        StoreError::Broken { .. }
        | StoreError::Vanished { .. }
        | StoreError::Busy { .. }
        | StoreError::Unreachable { .. }
        | StoreError::NotApplied { .. }
        | StoreError::Unreadable { .. }
        | StoreError::OutcomeUnknown { .. } => Ended::StoreFailed,
    }
}
