//! One tool of a dialect, as a row of a table.

use serde_json::Value;
use todori_domain::IdSource;

use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::Shape;

/// What decoding may need beside the arguments.
pub struct Context<'a> {
    /// Makes ids for new tasks.
    pub ids: &'a dyn IdSource,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Context")
    }
}

/// What calling a tool can do to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// Adds something; calling it twice adds two.
    Adds,
    /// Changes something; calling it twice is like calling it once.
    Changes,
    /// Takes something away; calling it twice is like calling it once.
    Destroys,
}

impl Effect {
    /// Whether the board stays as it is.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::Reads)
    }

    /// Whether something may be lost.
    pub const fn is_destructive(self) -> bool {
        matches!(self, Self::Destroys)
    }

    /// Whether a second call with the same arguments changes nothing more.
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Adds)
    }
}

/// For whom a tool is. Whoever knows its name may call it all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Models, and all else.
    Everybody,
    /// The widget. It is listed only to hosts that show one, which keep it from their models.
    Widget,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// What it is called by.
    pub name: &'static str,
    /// What people see.
    pub title: &'static str,
    /// What models are told of it.
    pub description: &'static str,
    /// What it can do to the board.
    pub effect: Effect,
    /// For whom it is.
    pub audience: Audience,
    /// Whether an agent needs it in every session.
    pub always_load: bool,
    /// What else clients are told of it, as `_meta`.
    pub meta: Option<fn() -> Value>,
    /// The shape of its arguments: always an object.
    pub input: fn() -> Shape,
    /// The shape of its structured reply: always an object.
    pub output: fn() -> Shape,
    pub(crate) decode: fn(&Arguments, &Context<'_>) -> Result<Call, Vec<Problem>>,
}
