//! A decoded call of a tool: what to ask the domain, and how to turn the answer into a reply or a fault.

use serde_json::{Map, Value, json};
use todori_domain::{Answer, Refusal, Request, StoreError, Verdict};

use crate::dialect::Dialect;

/// How a tool turns the answer into a reply. It may refuse: some refusals only show when the board is looked at.
pub(crate) type Render = Box<dyn FnOnce(&Answer) -> Result<Reply, Refusal> + Send>;

/// A decoded call.
pub struct Call {
    dialect: &'static Dialect,
    request: Request,
    render: Render,
}

impl Call {
    pub(crate) fn new(
        dialect: &'static Dialect,
        request: Request,
        render: impl FnOnce(&Answer) -> Result<Reply, Refusal> + Send + 'static,
    ) -> Self {
        Self {
            dialect,
            request,
            render: Box::new(render),
        }
    }

    /// The request to the domain.
    pub fn request(&self) -> Request {
        self.request.clone()
    }

    /// Turns the answer into a reply, or what went wrong into a fault.
    pub fn finish(self, answer: Result<Answer, StoreError>) -> Result<Reply, Fault> {
        let answer = answer.map_err(|error| (self.dialect.store_fault)(&error))?;
        let refused = |refusal: &Refusal| (self.dialect.refusal_fault)(refusal, &answer.board);
        if let Verdict::Refused(refusal) = &answer.verdict {
            return Err(refused(refusal));
        }
        (self.render)(&answer).map_err(|refusal| refused(&refusal))
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Call")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

/// A block of text in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// For people and models.
    Text(String),
    /// For the model only.
    Reminder(String),
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The data that matches the tool's output schema.
    pub structured: Value,
    /// The same as text or JSON, and reminders.
    pub blocks: Vec<Block>,
    /// The result of the JSON-RPC method of the same name.
    pub bare: Value,
    /// Data for the widget, as `_meta`; models do not read it.
    pub meta: Map<String, Value>,
}

impl Reply {
    /// A reply whose text is its data as JSON.
    pub(crate) fn data(value: Value) -> Self {
        let text = value.to_string();
        Self {
            structured: value.clone(),
            blocks: vec![Block::Text(text)],
            bare: value,
            meta: Map::new(),
        }
    }

    /// Adds a reminder for the model, if there is one.
    pub(crate) fn remind(mut self, text: Option<String>) -> Self {
        self.blocks.extend(text.map(Block::Reminder));
        self
    }
}

/// The code of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// A number, as in JSON-RPC.
    Number(i64),
    /// A word.
    Word(&'static str),
}

/// How an error is sent to the client that called the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// As a result of the tool, which the model reads.
    Result,
    /// As an error of the protocol.
    Protocol,
}

/// An error as a dialect words it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Its code.
    pub code: Code,
    /// What was wrong.
    pub message: String,
    /// What helps to correct it.
    pub data: Map<String, Value>,
    /// How it is sent to the client.
    pub channel: Channel,
    /// Structured content, for dialects whose replies always have some.
    pub structured: Option<Value>,
    /// Data for the widget, as `_meta`; models do not read it. In a box, because it is rare and errors are passed by
    /// value.
    pub meta: Box<Map<String, Value>>,
}

impl Fault {
    pub(crate) fn new(code: Code, message: impl Into<String>, data: Value) -> Self {
        let data = if let Value::Object(map) = data {
            map
        } else {
            Map::new()
        };
        Self {
            code,
            message: message.into(),
            data,
            channel: Channel::Result,
            structured: None,
            meta: Box::default(),
        }
    }

    /// The code as JSON.
    pub fn code(&self) -> Value {
        match &self.code {
            Code::Number(number) => json!(number),
            Code::Word(word) => json!(word),
        }
    }

    /// The error as JSON: `{"error": {"code", "message", "data"}}`.
    pub fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code(), "message": self.message});
        if let (Some(map), false) = (error.as_object_mut(), self.data.is_empty()) {
            map.insert("data".to_owned(), Value::Object(self.data.clone()));
        }
        json!({"error": error})
    }
}
