//! The `todolist` dialect: a session's own list, read and written as a whole.

pub(crate) mod items;
mod todolist_get;
mod todolist_set;

use todori_domain::{Board, Refusal, StoreError};

use crate::arguments::Problem;
use crate::dialect::{BoardKind, Dialect, ErrorCodes};
use crate::wording;

pub(crate) static DIALECT: Dialect = Dialect {
    name: "todolist",
    help: "whole-list planning",
    board: BoardKind::Session,
    widget: None,
    id_prefix: "",
    error_codes: ErrorCodes::Words,
    session_start: None,
    instructions: "todolist__set replaces this session's plan as a whole; todolist__get shows it. Keep exactly one item \
        in_progress while you work, and mark it completed as soon as it is.",
    tools: &[todolist_get::TOOL, todolist_set::TOOL],
    prompts: &[],
    invalid_fault: |problems: &[Problem]| items::invalid(problems).fault(),
    refusal_fault: |refusal: &Refusal, _: &Board| wording::refusal(refusal).fault(),
    store_fault: |error: &StoreError| wording::store(error).fault(),
};
