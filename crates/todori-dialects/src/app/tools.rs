//! The six tools for models, and the one for the widget. Each replies with a sentence about what it did.

use serde_json::{Value, json};
use todori_domain::{
    Answer, Change, Command, NewTask, Place, Refusal, Request, Stage, Status, Verdict, Want, Which,
};

use super::views;
use super::{DIALECT, WIDGET_URI};
use crate::arguments::{Arguments, Problem};
use crate::call::{Call, Reply};
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const ALL: &[Tool] = &[
    Tool {
        name: "add_todo",
        title: "Add a todo",
        description: "Add a todo to the list",
        effect: Effect::Adds,
        input: || Shape::Object(vec![Field::required("title", TEXT, "")]),
        decode: add,
        ..BLANK
    },
    Tool {
        name: "list_todos",
        title: "List todos",
        description: "Show all todos, and how many are completed",
        effect: Effect::Reads,
        decode: list,
        ..BLANK
    },
    Tool {
        name: "complete_todo",
        title: "Complete a todo",
        description: "Mark a todo as done by its id, or as not done",
        effect: Effect::Changes,
        input: || {
            Shape::Object(vec![
                Field::required("id", Shape::Id, ""),
                Field::optional("completed", Shape::Boolean, "default true"),
            ])
        },
        decode: complete,
        ..BLANK
    },
    Tool {
        name: "complete_todo_by_index",
        title: "Complete a todo by its position",
        description: "Mark a todo as done by its position in the list, 1 being the first",
        effect: Effect::Changes,
        input: || Shape::Object(vec![Field::required("index", Shape::Integer(1), "")]),
        decode: complete_by_index,
        ..BLANK
    },
    Tool {
        name: "complete_todo_by_title",
        title: "Complete a todo by its title",
        description: "Mark a todo as done by its title, or a part of it; case does not matter",
        effect: Effect::Changes,
        input: || Shape::Object(vec![Field::required("title", TEXT, "")]),
        decode: complete_by_title,
        ..BLANK
    },
    Tool {
        name: "delete_completed",
        title: "Delete completed todos",
        description: "Remove all completed todos from the list",
        effect: Effect::Destroys,
        decode: delete_completed,
        ..BLANK
    },
    // People reorder by hand; for a model it would only be one more description to read.
    Tool {
        name: "move_todo",
        title: "Move a todo",
        description: "Put a todo right before or right after another one",
        effect: Effect::Changes,
        audience: Audience::Widget,
        input: || {
            Shape::Object(vec![
                Field::required("id", Shape::Id, ""),
                Field::optional("before", Shape::Id, ""),
                Field::optional("after", Shape::Id, ""),
            ])
        },
        decode: move_beside,
        ..BLANK
    },
];

const TEXT: Shape = Shape::Text {
    least: 1,
    most: None,
};

/// The columns that are the same for most tools.
const BLANK: Tool = Tool {
    name: "",
    title: "",
    description: "",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: false,
    meta: Some(meta),
    input: || Shape::Object(Vec::new()),
    output: views::shape,
    transcript: Transcript::AllAsCheckList,
    decode: list,
};

/// Names the widget of a tool; the flat key is for older hosts.
fn meta() -> Value {
    json!({"ui": {"resourceUri": WIDGET_URI}, "ui/resourceUri": WIDGET_URI})
}

fn add(arguments: &Arguments, context: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let title = arguments.title("title")?;
    let sentence = format!("Added \"{}\".", title.as_str());
    let command = Command::Add(NewTask::titled(context.ids.next_id(), title));
    Ok(Call::new(
        &DIALECT,
        Request::Write(vec![command]),
        move |answer| Ok(views::reply(answer, sentence)),
    ))
}

fn list(_: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    Ok(Call::new(
        &DIALECT,
        Request::Read(Want::default()),
        |answer| {
            let stages = || {
                answer
                    .board
                    .in_order()
                    .filter_map(|task| Stage::of(task.status))
            };
            let total = stages().count();
            let done = stages().filter(|stage| *stage == Stage::Completed).count();
            let tasks = if total == 1 { "task" } else { "tasks" };
            let remaining = total - done;
            let sentence =
                format!("You have {total} {tasks} ({done} completed, {remaining} remaining)");
            Ok(views::reply(answer, sentence))
        },
    ))
}

fn complete(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let id = arguments.task("id");
    Ok(set_completed(
        Which::Id(id),
        arguments.boolean("completed").unwrap_or(true),
    ))
}

fn complete_by_index(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    Ok(set_completed(
        Which::Place(arguments.number("index").unwrap_or(0)),
        true,
    ))
}

fn complete_by_title(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let title = arguments.text("title").unwrap_or_default().to_owned();
    Ok(set_completed(Which::Title(title), true))
}

fn set_completed(which: Which, completed: bool) -> Call {
    let command = Command::Complete {
        which: which.clone(),
        completed,
    };
    Call::new(&DIALECT, Request::Write(vec![command]), move |answer| {
        completed_reply(answer, &which, completed)
    })
}

fn completed_reply(answer: &Answer, which: &Which, completed: bool) -> Result<Reply, Refusal> {
    let changed = match &answer.verdict {
        Verdict::Changed(Change { tasks }) => tasks.first().and_then(|task| task.after.as_ref()),
        Verdict::Read | Verdict::Refused(_) => None,
    };
    let sentence = match (changed, completed) {
        (Some(task), true) => format!("Completed \"{}\".", task.title.as_str()),
        (Some(task), false) => format!("Reopened \"{}\".", task.title.as_str()),
        (None, completed) => {
            let task = todori_domain::find_task(&answer.board, which)?;
            let state = if completed {
                "already completed"
            } else {
                "not completed"
            };
            format!("\"{}\" was {state}.", task.title.as_str())
        }
    };
    Ok(views::reply(answer, sentence))
}

fn delete_completed(_: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    Ok(Call::new(
        &DIALECT,
        Request::Write(vec![Command::DeleteCompleted]),
        |answer| {
            let gone = match &answer.verdict {
                Verdict::Changed(change) => {
                    let gone = change.tasks.iter().filter(|task| task.after.is_none());
                    gone.filter(|task| {
                        task.before
                            .as_ref()
                            .is_some_and(|task| task.status == Status::Done)
                    })
                    .count()
                }
                Verdict::Read | Verdict::Refused(_) => 0,
            };
            let sentence = match gone {
                0 => "There are no completed tasks to remove.".to_owned(),
                1 => "Removed 1 completed task.".to_owned(),
                more => format!("Removed {more} completed tasks."),
            };
            Ok(views::reply(answer, sentence))
        },
    ))
}

fn move_beside(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let given = |name: &str| arguments.text(name).map(|_| arguments.task(name));
    let (to, where_to) = match (given("before"), given("after")) {
        (Some(other), None) => (Place::Before(other.clone()), ("before", other)),
        (None, Some(other)) => (Place::After(other.clone()), ("after", other)),
        (None, None) => {
            return Err(vec![Problem::new(
                "before",
                "required, a task id, unless there is after",
            )]);
        }
        (Some(_), Some(_)) => {
            return Err(vec![Problem::new(
                "after",
                "must be left out where there is before",
            )]);
        }
    };
    let task = arguments.task("id");
    let command = Command::Move {
        task: task.clone(),
        to,
    };
    Ok(Call::new(
        &DIALECT,
        Request::Write(vec![command]),
        move |answer| {
            let title = answer.board.resolve(&task)?.title.as_str();
            let (side, other) = &where_to;
            let other = answer.board.resolve(other)?.title.as_str();
            let moved = match &answer.verdict {
                Verdict::Changed(Change { tasks }) => !tasks.is_empty(),
                Verdict::Read | Verdict::Refused(_) => false,
            };
            let sentence = if moved {
                format!("Moved \"{title}\" {side} \"{other}\".")
            } else {
                format!("\"{title}\" was there already.")
            };
            Ok(views::reply(answer, sentence))
        },
    ))
}
