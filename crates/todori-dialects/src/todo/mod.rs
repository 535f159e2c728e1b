//! The `todo` dialect: the board of the project as one list, read as a whole and edited by id in one call. It shows three
//! states.

mod todo_read;
mod todo_update;
mod views;

use todori_domain::{Board, Refusal, StoreError};

use crate::arguments::Problem;
use crate::dialect::{BoardKind, Dialect, ErrorCodes};
use crate::wording;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "todo",
    help: "agents that edit one list by id",
    board: BoardKind::Project,
    widget: None,
    id_prefix: "",
    error_codes: ErrorCodes::Words,
    session_start: None,
    instructions: "todo_read shows the project's list; todo_update changes it, all in one call. Read before you write, \
        keep one item in_progress while you work, and mark it done as soon as it is.",
    tools: &[todo_read::TOOL, todo_update::TOOL],
    prompts: &[],
    invalid_fault: |problems: &[Problem]| wording::invalid(problems).fault(),
    refusal_fault: |refusal: &Refusal, _: &Board| wording::refusal(refusal).fault(),
    store_fault: |error: &StoreError| wording::store(error).fault(),
};

const STATUSES: &[&str] = &["pending", "in_progress", "done"];
const PRIORITIES: &[&str] = &["low", "medium", "high"];
