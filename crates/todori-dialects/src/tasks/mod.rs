//! The `tasks` dialect: eleven tools and two prompts for coding agents, over the board of the project.

mod add_subtask;
mod create_task;
mod delete_subtask;
mod delete_task;
mod faults;
mod filters;
mod get_next_task;
mod get_task;
mod get_task_stats;
mod get_tasks;
mod prompts;
mod query_tasks;
mod update_subtask;
mod update_task;
mod views;

use todori_domain::{Answer, Command, Refusal, Request, Status, Task, TaskRef};

use crate::call::{Call, Reply};
use crate::dialect::{BoardKind, Dialect, ErrorCodes};

pub(crate) static DIALECT: Dialect = Dialect {
    name: "tasks",
    help: "coding agents",
    board: BoardKind::Project,
    widget: None,
    id_prefix: "",
    error_codes: ErrorCodes::Numbers,
    session_start: Some(&prompts::SESSION_RESTORE),
    instructions: "The project's task list: shared by all agents and people on this project, and kept after the \
        session ends. Plan with create_task, take work with get_next_task, set status in-progress when you start a \
        task and done when it is finished. Ids may be shortened to a unique prefix of 4 or more characters. Text that \
        ends in a ⟦todori: …⟧ mark was cut; the mark says how to read on.",
    tools: &[
        get_tasks::TOOL,
        get_task::TOOL,
        create_task::TOOL,
        update_task::TOOL,
        delete_task::TOOL,
        get_next_task::TOOL,
        query_tasks::TOOL,
        get_task_stats::TOOL,
        add_subtask::TOOL,
        update_subtask::TOOL,
        delete_subtask::TOOL,
    ],
    prompts: &[prompts::SESSION_RESTORE, prompts::TASK_CONTEXT],
    invalid_fault: faults::invalid,
    refusal_fault: faults::refusal,
    store_fault: faults::store,
};

/// The most characters of a title that is written through this dialect.
const MAX_TITLE: usize = 200;

const STATUSES: &[&str] = &[
    "pending",
    "in-progress",
    "blocked",
    "done",
    "deferred",
    "cancelled",
];
const PRIORITIES: &[&str] = &["high", "medium", "low"];

/// A call that runs one command and replies with its task.
fn write_and_show(command: Command, task: TaskRef) -> Call {
    let starts =
        matches!(&command, Command::Edit { edit, .. } if edit.status == Some(Status::InProgress));
    Call::new(&DIALECT, Request::Write(vec![command]), move |answer| {
        show(answer, &task, starts)
    })
}

/// The reply with a task that was written.
fn show(answer: &Answer, task: &TaskRef, starts: bool) -> Result<Reply, Refusal> {
    let task = answer.board.resolve(task)?;
    let reply = Reply::data(views::task(task, crate::MAX_REPLY_BYTES - REMINDER_BYTES));
    Ok(reply.remind(held_by_another(answer, task).filter(|_| starts)))
}

/// The room for a reminder beside a task.
const REMINDER_BYTES: usize = 256;

/// Tells an agent that another session holds the task that it wanted to start.
fn held_by_another(answer: &Answer, task: &Task) -> Option<String> {
    let holder = task.assignee.as_ref()?;
    (*holder != answer.moment.actor.session).then(|| {
        "Another session has this task in progress (see assignee). Take another one with get_next_task.".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use todori_domain::Priority;

    use super::*;

    #[test]
    fn the_words_are_those_of_the_domain() {
        assert_eq!(STATUSES, Status::ALL.map(Status::as_str));
        assert_eq!(PRIORITIES, Priority::ALL.map(Priority::as_str));
    }
}
