//! The project that commands are about: asks the tracker and words what went wrong for people.

use std::sync::Arc;

use serde_json::{Map, Value};
use todori_dialects::{Fault, Reply};
use todori_domain::{
    Actor, Answer, Board, BoardKey, Command, NobodyElse, Refusal, Request, Status, StoreError,
    TaskEdit, TaskRef, Tracker, Verdict, Want, decide,
};
use todori_store::{KEPT_FOR, Lifetime, Origin, ProjectStore, SessionBoards};

use super::Ended;
use super::output::Output;
use crate::clock;
use crate::config::Settings;
use crate::dispatch::Dispatcher;
use crate::error_text::ErrorText;

/// The project that commands are about.
pub(super) struct Project {
    pub(super) settings: Settings,
    tracker: Tracker,
}

impl Project {
    pub(super) fn new(settings: Settings) -> Self {
        let sessions =
            SessionBoards::new(Lifetime::Idle(KEPT_FOR), settings.runtime_folder.clone());
        let store = ProjectStore::new(settings.origin.clone(), sessions);
        Self {
            settings,
            tracker: Tracker::new(Arc::new(store)),
        }
    }

    /// The tracker, for those that go on after one answer.
    pub(super) fn tracker(&self) -> &Tracker {
        &self.tracker
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
        let moment = clock::now(self.settings.person.clone());
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
        let moment = clock::now(self.settings.person.clone());
        let answer = wait(
            self.tracker.handle(&BoardKey::Project, moment, request),
            output,
        )?;
        answer.map_err(|error| failed(&error, &self.settings.origin, output))
    }

    /// Asks as somebody, and leaves it to the caller to say what went wrong; nothing if there is no project.
    pub(super) fn ask_quietly(
        &self,
        actor: Actor,
        request: Request,
    ) -> Result<Option<Answer>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let answer = self
            .tracker
            .handle(&BoardKey::Project, clock::now(actor), request);
        match runtime.block_on(answer) {
            Ok(answer) => Ok(Some(answer)),
            Err(StoreError::NoProject { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Calls a tool as an agent would; `None` if there is no such tool.
    pub(super) fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        output: &mut Output,
    ) -> Result<Option<Result<Reply, Fault>>, Ended> {
        let dispatcher = Dispatcher::new(self.tracker.clone(), todori_dialects::ALL.to_vec());
        {
            let person = self.settings.person.clone();
            let list = person.session.clone();
            wait(dispatcher.call(tool, arguments, person, &list), output)
        }
    }
}

/// Waits for an answer on this thread.
pub(super) fn wait<T>(answer: impl Future<Output = T>, output: &mut Output) -> Result<T, Ended> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| {
            output.error("cannot start", Some(&error.to_string()));
            Ended::StoreFailed
        })?;
    Ok(runtime.block_on(answer))
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
pub(super) fn failed(error: &StoreError, origin: &Origin, output: &mut Output) -> Ended {
    let trouble = ErrorText::of(error, origin);
    output.error(&trouble.message, trouble.hint);
    match error {
        StoreError::NoProject { .. } => Ended::Refused,
        StoreError::Broken { .. }
        | StoreError::Vanished { .. }
        | StoreError::Busy { .. }
        | StoreError::NotApplied { .. }
        | StoreError::Unreadable { .. }
        | StoreError::OutcomeUnknown { .. } => Ended::StoreFailed,
    }
}
