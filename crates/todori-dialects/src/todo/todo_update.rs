//! `todo_update`: removes, edits, adds and reorders in one call, all of it or nothing.

use todori_domain::{
    Command, NewTask, OnDuplicate, Priority, Request, Stage, TaskEdit, TaskId, TaskRef,
};

use super::{DIALECT, PRIORITIES, STATUSES, views};
use crate::arguments::{Arguments, Problem};
use crate::budget::shorten;
use crate::call::Call;
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "todo_update",
    title: "Update the todo list",
    description: "Change the todo list in one call, applied in the order remove, update, add, reorder; all of it or \
        nothing. Keep each item a single short action",
    effect: Effect::Destroys,
    audience: Audience::Everybody,
    always_load: true,
    meta: None,
    input,
    output: views::list_shape,
    transcript: Transcript::AllByStage,
    decode,
};

fn input() -> Shape {
    let add = Shape::Object(vec![
        Field::required(
            "content",
            Shape::Text {
                least: 1,
                most: None,
            },
            "",
        ),
        Field::optional("priority", Shape::Choice(PRIORITIES), "default medium"),
    ]);
    let update = Shape::Object(vec![
        Field::required("id", Shape::Id, ""),
        Field::optional("status", Shape::Choice(STATUSES), ""),
        Field::optional("priority", Shape::Choice(PRIORITIES), ""),
        Field::optional(
            "content",
            Shape::Text {
                least: 1,
                most: None,
            },
            "",
        ),
    ]);
    Shape::Object(vec![
        Field::optional("add", Shape::list(add), "New items, put at the end"),
        Field::optional("update", Shape::list(update), "Changes by id"),
        Field::optional("remove", Shape::list(Shape::Id), "Ids to delete for good"),
        Field::optional(
            "reorder",
            Shape::list(Shape::Id),
            "Every id exactly once; new items may be left out",
        ),
    ])
}

fn decode(arguments: &Arguments, context: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let mut commands = Vec::new();
    let mut removed: Vec<TaskRef> = arguments.tasks("remove").unwrap_or_default();
    removed.sort_by(|a, b| a.given().cmp(b.given()));
    removed.dedup();
    commands.extend(removed.into_iter().map(|task| Command::Delete { task }));
    for (place, item) in arguments.objects("update").iter().enumerate() {
        commands.push(update(item).map_err(|problems| inside("update", place, problems))?);
    }
    let mut added: Vec<(TaskId, String)> = Vec::new();
    for (place, item) in arguments.objects("add").iter().enumerate() {
        let title = item
            .title("content")
            .map_err(|problems| inside("add", place, problems))?;
        let id = context.ids.next_id();
        added.push((id, shorten(title.as_str(), 80)));
        commands.push(Command::Add(NewTask {
            priority: item.priority("priority").unwrap_or(Priority::Medium),
            on_duplicate: OnDuplicate::Skip,
            ..NewTask::titled(id, title)
        }));
    }
    if let Some(order) = arguments.tasks("reorder").filter(|order| !order.is_empty()) {
        let new = added.iter().map(|(id, _)| *id).collect();
        commands.push(Command::Reorder { order, new });
    }
    Ok(Call::new(
        &DIALECT,
        Request::Write(commands),
        move |answer| {
            let skipped = added
                .iter()
                .filter(|(id, _)| answer.board.get(*id).is_none());
            let notes: Vec<String> = skipped
                .map(|(_, title)| format!("Already on the list, not added again: {title}"))
                .collect();
            Ok(views::list(answer, &notes))
        },
    ))
}

fn update(item: &Arguments) -> Result<Command, Vec<Problem>> {
    let stage = item.text("status").map(|status| match status {
        "in_progress" => Stage::InProgress,
        "done" => Stage::Completed,
        _ => Stage::Pending,
    });
    let edit = TaskEdit {
        title: item.optional_title("content")?,
        stage,
        priority: item.priority("priority"),
        ..TaskEdit::default()
    };
    let task: TaskRef = item.task("id");
    Ok(Command::Edit { task, edit })
}

/// Adds the item that the problems are about to their paths.
fn inside(list: &str, place: usize, problems: Vec<Problem>) -> Vec<Problem> {
    let within = |problem: Problem| Problem {
        path: format!("{list}[{place}].{}", problem.path),
        ..problem
    };
    problems.into_iter().map(within).collect()
}
