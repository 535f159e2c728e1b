//! A vocabulary: a table of tools, and words for everything that can go wrong.

use serde_json::{Map, Value};
use todori_domain::{Answer, Board, Refusal, Request, StoreError};

use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Fault};
use crate::schema::Shape;
use crate::tool::{Audience, Context, Tool};

/// Which board a dialect looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The board of the project.
    Project,
    /// The board of the session that asks.
    Session,
}

/// A vocabulary.
#[derive(Debug)]
pub struct Dialect {
    /// What the toolset is called.
    pub name: &'static str,
    /// Which board it looks at.
    pub scope: Scope,
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
    /// What it is called by.
    pub name: &'static str,
    /// What people see.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What it takes.
    pub arguments: &'static [PromptArgument],
    pub(crate) request: fn(&Map<String, Value>) -> Request,
    pub(crate) render: fn(&Map<String, Value>, &Answer) -> Result<String, Refusal>,
}

/// An argument of a prompt. Always a single word, because clients split at blanks.
#[derive(Debug)]
pub struct PromptArgument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether it must be there.
    pub required: bool,
}

/// All dialects, the default one first.
pub const ALL: &[&Dialect] = &[
    &crate::tasks::DIALECT,
    &crate::todo::DIALECT,
    &crate::todolist::DIALECT,
    &crate::todowrite::DIALECT,
    &crate::app::DIALECT,
];

/// Finds a dialect by the name of its toolset.
pub fn find(name: &str) -> Option<&'static Dialect> {
    ALL.iter().copied().find(|dialect| dialect.name == name)
}

/// Picks toolsets by a list of names such as `tasks,todo`, or `all`; each once, in the order given. `Err` is the name
/// that is unknown.
pub fn select(names: &str) -> Result<Vec<&'static Dialect>, String> {
    let mut selected: Vec<&'static Dialect> = Vec::new();
    for name in names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let found: Vec<&'static Dialect> = match name {
            "all" => ALL.to_vec(),
            other => vec![find(other).ok_or_else(|| other.to_owned())?],
        };
        for dialect in found {
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
    /// The tools that models are told of.
    pub fn for_models(&self) -> impl Iterator<Item = &'static Tool> {
        let tools = self.tools.iter();
        tools.filter(|tool| tool.audience == Audience::Everybody)
    }

    /// Finds a tool.
    pub fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Understands a call of one of the tools.
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
