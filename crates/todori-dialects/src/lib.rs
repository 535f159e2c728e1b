//! The dialects that agents speak: tools with their arguments, replies and errors. Pure: a dialect turns a call into a
//! [`Request`](todori_domain::Request) and an answer into a reply; it knows no store, transport or SDK.

mod app;
mod arguments;
mod budget;
mod call;
mod cost;
mod dialect;
mod resource;
mod schema;
mod tasks;
mod todo;
mod todolist;
mod todowrite;
mod tool;
mod wording;

pub use arguments::Problem;
pub use budget::{CUT_MARK, MAX_LIST_BYTES, MAX_REPLY_BYTES};
pub use call::{Block, Call, Channel, Code, Fault, Reply};
pub use cost::{about_tokens, seen_by_model};
pub use dialect::{
    ALL, BoardKind, DEFAULT, Dialect, ErrorCodes, Prompt, PromptArgument, Widget, find, names,
    select,
};
pub use resource::{
    BOARD_URI, SESSIONS_URI, TASK_TEMPLATE, TASK_URI, read_board, read_sessions, read_task,
};
pub use schema::{Field, Shape};
pub use tool::{Audience, Context, Effect, Tool, Transcript};
