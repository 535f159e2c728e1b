//! Where calls are answered, whoever makes them: picks the tool, asks the tracker, words the answer. Knows dialects and
//! the tracker, but no transport.

use serde_json::{Map, Value};
use todori_dialects::{BoardKind, Channel, Code, Context, Dialect, Fault, Prompt, Reply, Tool};
use todori_domain::{
    Actor, Answer, BoardKey, RandomIds, Refusal, Request, SessionName, StoreError, Tracker, Want,
};

use crate::clock;

/// Answers calls of the tools of some toolsets.
#[derive(Debug, Clone)]
pub(crate) struct Dispatcher {
    tracker: Tracker,
    toolsets: Vec<&'static Dialect>,
}

/// Why a prompt could not be worded.
#[derive(Debug)]
pub(crate) enum PromptError {
    /// An argument is missing.
    Missing(&'static str),
    Refused(Refusal),
    Failed(Fault),
}

impl Dispatcher {
    pub(crate) fn new(tracker: Tracker, toolsets: Vec<&'static Dialect>) -> Self {
        Self { tracker, toolsets }
    }

    /// The same dispatcher with other toolsets.
    pub(crate) fn with(&self, toolsets: Vec<&'static Dialect>) -> Self {
        Self::new(self.tracker.clone(), toolsets)
    }

    /// The tracker behind the dispatcher, for those that wait for changes.
    pub(crate) fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Whether a tool works on the board of the session that calls it.
    pub(crate) fn is_for_sessions(&self, tool: &str) -> bool {
        let mut dialects = self
            .toolsets
            .iter()
            .filter(|dialect| dialect.tool(tool).is_some());
        dialects.any(|dialect| dialect.board == BoardKind::Session)
    }

    pub(crate) fn toolsets(&self) -> &[&'static Dialect] {
        &self.toolsets
    }

    /// All tools, in the order in which they are listed.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.toolsets.iter().flat_map(|dialect| dialect.tools)
    }

    pub(crate) fn prompts(&self) -> impl Iterator<Item = &'static Prompt> {
        self.toolsets.iter().flat_map(|dialect| dialect.prompts)
    }

    /// Calls a tool, for the one who asks and on the list that is theirs; `None` if there is no such tool.
    pub(crate) async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        actor: Actor,
        list: &SessionName,
    ) -> Option<Result<Reply, Fault>> {
        let mut dialects = self.toolsets.iter().copied();
        let (dialect, tool) = dialects.find_map(|dialect| Some((dialect, dialect.tool(name)?)))?;
        let call = match dialect.decode(tool, arguments, &Context { ids: &RandomIds }) {
            Ok(call) => call,
            Err(fault) => return Some(Err(fault)),
        };
        let board = match dialect.board {
            BoardKind::Project => BoardKey::Project,
            BoardKind::Session => BoardKey::Session(list.clone()),
        };
        let answer = self
            .tracker
            .handle(&board, clock::now(actor), call.request())
            .await;
        Some(call.finish(answer))
    }

    /// Words a prompt.
    pub(crate) async fn prompt(
        &self,
        prompt: &Prompt,
        arguments: &Map<String, Value>,
        actor: Actor,
    ) -> Result<String, PromptError> {
        let request = prompt.request(arguments).map_err(PromptError::Missing)?;
        let answer = self
            .ask(actor, request)
            .await
            .map_err(PromptError::Failed)?;
        prompt
            .render(arguments, &answer)
            .map_err(PromptError::Refused)
    }

    /// Reads the project's board.
    pub(crate) async fn read(&self, actor: Actor) -> Result<Answer, Fault> {
        self.ask(actor, Request::Read(Want::default())).await
    }

    async fn ask(&self, actor: Actor, request: Request) -> Result<Answer, Fault> {
        let answer = self
            .tracker
            .handle(&BoardKey::Project, clock::now(actor), request)
            .await;
        answer.map_err(|error| self.fault(&error))
    }

    /// Words an error of the store as the first toolset would.
    fn fault(&self, error: &StoreError) -> Fault {
        let first = self.toolsets.first().or(todori_dialects::ALL.first());
        first.map_or_else(
            || Fault {
                code: Code::Number(-32603),
                message: error.to_string(),
                data: Map::new(),
                channel: Channel::Protocol,
                structured: None,
                meta: Box::default(),
            },
            |dialect| dialect.store_fault(error),
        )
    }
}
