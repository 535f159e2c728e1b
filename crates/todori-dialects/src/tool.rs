//! One tool of a dialect, as a row of a table.

use serde_json::Value;
use todori_domain::IdSource;

use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::Shape;

/// What decoding needs besides the arguments.
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

/// Who is told about a tool. Nobody is refused: whoever knows its name may call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// All clients and their models.
    Everybody,
    /// The widget. The tool is listed only to hosts that show widgets, and those hide it from their models.
    Widget,
}

/// What a call of a tool says about tasks, for programs that read the transcript of an agent (`todori track`) and cannot
/// ask the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transcript {
    /// Nothing about single tasks.
    Nothing,
    /// The arguments are a whole list (`todos`) of items without ids.
    ListWritten,
    /// The reply is such a list.
    ListRead,
    /// The reply is one task.
    Task,
    /// The reply has a task (`task`), or null.
    OptionalTask,
    /// The reply has some tasks of the board (`tasks`).
    SomeTasks,
    /// The reply has all tasks of the board (`todos`), each pending, in progress or done.
    AllByStage,
    /// The reply has all tasks of the board (`tasks`), each completed or not.
    AllAsCheckList,
    /// The task is deleted; the reply names it (`deletedId`).
    DeletedTask,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// The name that clients call.
    pub name: &'static str,
    /// The title that people see.
    pub title: &'static str,
    /// What models are told about it.
    pub description: &'static str,
    /// What it can do to the board.
    pub effect: Effect,
    /// Who is told about it.
    pub audience: Audience,
    /// Whether an agent needs it in every session.
    pub always_load: bool,
    /// What else clients are told about it, as `_meta`.
    pub meta: Option<fn() -> Value>,
    /// The shape of its arguments: always an object.
    pub input: fn() -> Shape,
    /// The shape of its structured reply: always an object.
    pub output: fn() -> Shape,
    /// What a transcript of a call says about tasks.
    pub transcript: Transcript,
    pub(crate) decode: fn(&Arguments, &Context<'_>) -> Result<Call, Vec<Problem>>,
}
