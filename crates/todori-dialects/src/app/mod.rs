//! The `app` dialect: six tools for hosts that show a widget, and one for the widget itself, over the board of the
//! project. Every reply carries the whole list for the widget to draw, refusals included. Only when the board cannot be
//! read is there no list, because the widget would draw an empty one.

mod tools;
mod views;

use serde_json::json;
use todori_domain::{Board, Refusal, StoreError};

use crate::arguments::Problem;
use crate::call::{Channel, Code, Fault};
use crate::dialect::{BoardKind, Dialect, ErrorCodes, Widget};
use crate::wording::{self, Wording};

/// The address of the widget.
const WIDGET_URI: &str = "ui://widget/todo.html";
/// What the ids of tasks begin with in this dialect.
const ID_PREFIX: &str = "todo-";

pub(crate) static DIALECT: Dialect = Dialect {
    name: "app",
    help: "ChatGPT and other MCP Apps hosts",
    board: BoardKind::Project,
    widget: Some(Widget {
        uri: WIDGET_URI,
        name: "todo-widget",
        title: "Todo widget",
        description: "The todo list, to look at and to click",
    }),
    id_prefix: ID_PREFIX,
    error_codes: ErrorCodes::Words,
    session_start: None,
    instructions: "The user's todo list, shown in a widget beside your answer. Say what changed in a few words; do not \
        repeat the list.",
    tools: tools::ALL,
    prompts: &[],
    invalid_fault: |problems: &[Problem]| Fault {
        channel: Channel::Protocol,
        ..Fault::new(
            Code::Number(-32602),
            wording::invalid(problems).message,
            json!({}),
        )
    },
    refusal_fault: refusal,
    store_fault: |error: &StoreError| wording::store(error).fault(),
};

fn refusal(refusal: &Refusal, board: &Board) -> Fault {
    let mut wording = wording::refusal(refusal);
    // Which ones could be meant is said by title: nobody here knows the long ids.
    if let Refusal::AmbiguousTitle { candidates, .. } | Refusal::AmbiguousId { candidates, .. } =
        refusal
    {
        let named = candidates.iter().filter_map(|&id| {
            let task = board.get(id)?;
            Some(json!({"id": views::id(board, id), "title": task.title.as_str()}))
        });
        wording.data = json!({"candidates": named.collect::<Vec<_>>()});
    }
    let Wording {
        code,
        message,
        data,
    } = wording;
    let mut error = json!({"code": code, "message": message});
    if let (Some(error), Some(data)) = (error.as_object_mut(), data.as_object()) {
        error.extend(data.clone());
    }
    let structured = json!({"tasks": views::tasks(board), "error": error});
    Fault {
        structured: Some(structured),
        meta: Box::new(views::meta(board)),
        ..Fault::new(Code::Word(code), message, data)
    }
}
