//! What a dialect is: one row of [`ALL`]. Everything that the program must know about a dialect is a column here, so
//! that a new one is a folder and a row, and nobody compares its name.

use serde_json::{Map, Value};
use todori_domain::{Answer, Board, Refusal, Request, StoreError};

use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Fault};
use crate::schema::Shape;
use crate::tool::{Audience, Context, Tool};

/// Which board the tools of a dialect work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardKind {
    /// The board of the project.
    Project,
    /// The board of the calling session.
    Session,
}

/// What the errors of a dialect are called: refusals and failures of the store. Arguments that do not match their
/// schema may be reported as the protocol does, with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCodes {
    /// Numbers, as in JSON-RPC.
    Numbers,
    /// Words that programs can tell apart, such as `not_found`.
    Words,
}

/// A page that hosts show beside the replies of a dialect.
#[derive(Debug)]
pub struct Widget {
    /// The address under which hosts read it.
    pub uri: &'static str,
    /// The name of the resource.
    pub name: &'static str,
    /// The title that people see.
    pub title: &'static str,
    /// What the page shows.
    pub description: &'static str,
}

/// A dialect: a set of tools that are served together, and the words for everything that can go wrong.
#[derive(Debug)]
pub struct Dialect {
    /// The name of the toolset: in `--toolsets`, in `TODORI_TOOLSETS`, and in the URL as `/mcp/<name>`.
    pub name: &'static str,
    /// Whom it suits, in a few words: its line in the help and in the README.
    pub help: &'static str,
    /// Which board its tools work on.
    pub board: BoardKind,
    /// The page that hosts show beside its replies, if it has one.
    pub widget: Option<Widget>,
    /// What the ids of tasks begin with in its replies; empty for plain ids. The domain understands them with and
    /// without it.
    pub id_prefix: &'static str,
    /// What its errors are called.
    pub error_codes: ErrorCodes,
    /// The prompt that tells a session that starts where the project stands, for hooks.
    pub session_start: Option<&'static Prompt>,
    /// What a model should know before it uses any of the tools; the most important first.
    pub instructions: &'static str,
    /// The tools, in the order in which they are listed.
    pub tools: &'static [Tool],
    /// The prompts, in the order in which they are listed.
    pub prompts: &'static [Prompt],
    pub(crate) invalid_fault: fn(&[Problem]) -> Fault,
    pub(crate) refusal_fault: fn(&Refusal, &Board) -> Fault,
    pub(crate) store_fault: fn(&StoreError) -> Fault,
}

/// A text that a person or an agent can ask for.
#[derive(Debug)]
pub struct Prompt {
    /// The name that clients ask for.
    pub name: &'static str,
    /// The title that people see.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The arguments that it takes.
    pub arguments: &'static [PromptArgument],
    pub(crate) request: fn(&Map<String, Value>) -> Request,
    pub(crate) render: fn(&Map<String, Value>, &Answer) -> Result<String, Refusal>,
}

/// An argument of a prompt. Its value is always a single word, because clients split their input at spaces.
#[derive(Debug)]
pub struct PromptArgument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether it must be there.
    pub required: bool,
}

/// The dialect that is served unless somebody chooses others.
pub const DEFAULT: &Dialect = &crate::tasks::DIALECT;

/// All dialects, the default one first. A new dialect is one row here; tests walk all rows.
pub const ALL: &[&Dialect] = &[
    DEFAULT,
    &crate::todo::DIALECT,
    &crate::todolist::DIALECT,
    &crate::todowrite::DIALECT,
    &crate::app::DIALECT,
];

/// Finds a dialect by the name of its toolset.
pub fn find(name: &str) -> Option<&'static Dialect> {
    ALL.iter().copied().find(|dialect| dialect.name == name)
}

/// The names of all dialects as a sentence lists them: `tasks, todo, ...`.
pub fn names() -> String {
    let names: Vec<&str> = ALL.iter().map(|dialect| dialect.name).collect();
    names.join(", ")
}

/// Selects toolsets by a list of names such as `tasks,todo`, or by `all`; each once, in the order given. `Err` is the
/// unknown name.
pub fn select(names: &str) -> Result<Vec<&'static Dialect>, String> {
    let mut selected: Vec<&'static Dialect> = Vec::new();
    for name in names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let named: Vec<&'static Dialect> = match name {
            "all" => ALL.to_vec(),
            other => vec![find(other).ok_or_else(|| other.to_owned())?],
        };
        for dialect in named {
            if !selected.iter().any(|known| known.name == dialect.name) {
                selected.push(dialect);
            }
        }
    }
    if selected.is_empty() {
        Err(names.to_owned())
    } else {
        Ok(selected)
    }
}

impl Dialect {
    /// Whether it is served unless somebody chooses others.
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT.name
    }

    /// The tools that models see.
    pub fn for_models(&self) -> impl Iterator<Item = &'static Tool> {
        let tools = self.tools.iter();
        tools.filter(|tool| tool.audience == Audience::Everybody)
    }

    /// Finds a tool.
    pub fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Checks the arguments of a call against the tool's schema and turns the call into a request.
    pub fn decode(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        context: &Context<'_>,
    ) -> Result<Call, Fault> {
        let Shape::Object(fields) = (tool.input)() else {
            return Err((self.invalid_fault)(&[Problem::new(
                "",
                "a tool takes an object",
            )]));
        };
        Arguments::check(arguments, &fields)
            .and_then(|arguments| (tool.decode)(&arguments, context))
            .map_err(|problems| (self.invalid_fault)(&problems))
    }

    /// Words a refusal.
    pub fn refusal_fault(&self, refusal: &Refusal, board: &Board) -> Fault {
        (self.refusal_fault)(refusal, board)
    }

    /// Words an error of the store.
    pub fn store_fault(&self, error: &StoreError) -> Fault {
        (self.store_fault)(error)
    }
}

impl Prompt {
    /// What to ask in order to word the prompt; `Err` names an argument that is missing or empty.
    pub fn request(&self, arguments: &Map<String, Value>) -> Result<Request, &'static str> {
        let given = |name: &str| {
            let text = arguments.get(name).and_then(Value::as_str);
            text.is_some_and(|text| !text.trim().is_empty())
        };
        let missing = self
            .arguments
            .iter()
            .find(|argument| argument.required && !given(argument.name));
        missing.map_or_else(
            || Ok((self.request)(arguments)),
            |argument| Err(argument.name),
        )
    }

    /// Words the prompt.
    pub fn render(
        &self,
        arguments: &Map<String, Value>,
        answer: &Answer,
    ) -> Result<String, Refusal> {
        (self.render)(arguments, answer)
    }
}
