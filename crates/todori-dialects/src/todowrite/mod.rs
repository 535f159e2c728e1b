//! The `todowrite` dialect: the tool that many models were trained on, over the session's own list.

use serde_json::json;
use todori_domain::{Board, Command, Refusal, Request, Stage, StoreError};

use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::dialect::{BoardKind, Dialect, ErrorCodes};
use crate::schema::{Field, Shape};
use crate::todolist::items;
use crate::tool::{Audience, Context, Effect, Tool, Transcript};
use crate::wording;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "todowrite",
    help: "models trained on TodoWrite",
    board: BoardKind::Session,
    widget: None,
    id_prefix: "",
    error_codes: ErrorCodes::Words,
    session_start: None,
    instructions: "Track multi-step work of this session with TodoWrite, and keep the list true as you go.",
    tools: &[TOOL],
    prompts: &[],
    invalid_fault: |problems: &[Problem]| items::invalid(problems).fault(),
    refusal_fault: |refusal: &Refusal, _: &Board| wording::refusal(refusal).fault(),
    store_fault: |error: &StoreError| wording::store(error).fault(),
};

const TOOL: Tool = Tool {
    name: "TodoWrite",
    title: "Write the todo list",
    description: "Write this session's whole todo list. Use it for work of three or more steps, when the user gives \
        several tasks, or when asked to; not for a single or trivial step, or for questions. Keep exactly one item \
        in_progress while you work. Mark an item completed as soon as it is fully done, never while tests fail or \
        parts are missing; if you are stuck, keep it in_progress and add an item for what must be resolved. Leave out \
        what is no longer relevant",
    effect: Effect::Changes,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input: items::input,
    output: || {
        Shape::Object(vec![
            Field::required("message", Shape::any_text(), ""),
            Field::required("stats", items::counts_shape(), ""),
        ])
    },
    transcript: Transcript::ListWritten,
    decode,
};

fn decode(arguments: &Arguments, context: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let items = items::read(arguments, context)?;
    let stats = items::counts(items.iter().map(|item| item.stage));
    let finished = !items.is_empty() && items.iter().all(|item| item.stage == Stage::Completed);
    let done = items
        .iter()
        .filter(|item| item.stage == Stage::Completed)
        .count();
    let message = match (finished, items.len()) {
        (true, total) => format!("All {total} completed; the list is cleared"),
        (false, 0) => "The list is empty".to_owned(),
        (false, total) => format!("Todo list updated: {done} of {total} completed"),
    };
    // A list that is finished is counted once more, and removed.
    let items = if finished { Vec::new() } else { items };
    let request = Request::Write(vec![Command::Replace { items }]);
    Ok(Call::new(&DIALECT, request, move |_| {
        Ok(Reply::data(json!({"message": message, "stats": stats})))
    }))
}
