//! A call that was understood: what to ask, and how to word the answer.

use serde_json::{Map, Value, json};
use todori_domain::{Answer, Refusal, Request, StoreError, Verdict};

use crate::dialect::Dialect;

/// How a tool words the answer. A refusal that only shows when the board is looked at is worded like any other.
pub(crate) type Render = Box<dyn FnOnce(&Answer) -> Result<Reply, Refusal> + Send>;

/// A call that was understood.
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

    /// What to ask.
    pub fn request(&self) -> Request {
        self.request.clone()
    }

    /// Words what came of it.
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

/// A piece of text in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// For everybody.
    Text(String),
    /// For the model only.
    Reminder(String),
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What matches the tool's output schema.
    pub structured: Value,
    /// The same in words or JSON, and what there is to add.
    pub blocks: Vec<Block>,
    /// What the direct method of the same name answers.
    pub bare: Value,
    /// What a page beside the conversation draws with; no model reads it.
    pub meta: Map<String, Value>,
}

impl Reply {
    /// Data whose text is the same as JSON.
    pub(crate) fn data(value: Value) -> Self {
        let text = value.to_string();
        Self {
            structured: value.clone(),
            blocks: vec![Block::Text(text)],
            bare: value,
            meta: Map::new(),
        }
    }

    /// Adds a word to the model.
    pub(crate) fn remind(mut self, words: Option<String>) -> Self {
        self.blocks.extend(words.map(Block::Reminder));
        self
    }
}

/// What an error is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// As JSON-RPC does.
    Number(i64),
    /// As people do.
    Word(&'static str),
}

/// How an error reaches the client that called a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// As the result of the tool, which the model reads.
    Result,
    /// As an error of the protocol.
    Protocol,
}

/// An error in the words of a dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What it is called.
    pub code: Code,
    /// What was wrong.
    pub message: String,
    /// What helps to mend it.
    pub data: Map<String, Value>,
    /// How it reaches the client.
    pub channel: Channel,
    /// Structured content that goes with it, where a dialect always has some.
    pub structured: Option<Value>,
    /// What a page beside the conversation draws with; no model reads it. In a box, because it is rare and errors are
    /// passed along by value.
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
