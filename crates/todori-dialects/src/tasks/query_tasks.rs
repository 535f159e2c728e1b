//! `query_tasks`: a page of the list, sorted and with chosen fields.

use todori_domain::{Direction, Request, Sort, SortField, Want, query};

use super::{DIALECT, filters, views};
use crate::arguments::{Arguments, Problem};
use crate::call::Call;
use crate::schema::{Field, Shape};
use crate::tool::{Audience, Context, Effect, Tool, Transcript};

pub(super) const TOOL: Tool = Tool {
    name: "query_tasks",
    title: "Query tasks",
    description: "List tasks sorted, with chosen fields; pages by filters.offset",
    effect: Effect::Reads,
    audience: Audience::Everybody,
    always_load: false,
    meta: None,
    input: || {
        let sort = Shape::Object(vec![
            Field::optional(
                "field",
                Shape::Choice(&["priority", "created", "updated", "status"]),
                "",
            ),
            Field::optional("order", Shape::Choice(&["asc", "desc"]), "default asc"),
        ]);
        Shape::Object(vec![
            Field::optional(
                "filters",
                Shape::Object(filters::fields()),
                "As in get_tasks",
            ),
            Field::optional("sort", sort, ""),
            Field::optional("fields", Shape::list(Shape::Choice(views::ROW_FIELDS)), ""),
        ])
    },
    output: || filters::page_shape(Shape::Object(Vec::new())),
    transcript: Transcript::SomeTasks,
    decode,
};

fn decode(arguments: &Arguments, _: &Context<'_>) -> Result<Call, Vec<Problem>> {
    let inner = arguments.object("filters");
    let filter = filters::filter(&inner);
    let (offset, limit) = filters::window(&inner);
    let sort = sort(&arguments.object("sort"));
    let chosen = arguments
        .texts("fields")
        .filter(|fields| !fields.is_empty());
    let chosen: Option<Vec<String>> =
        chosen.map(|fields| fields.into_iter().map(str::to_owned).collect());
    Ok(Call::new(
        &DIALECT,
        Request::Read(Want::default()),
        move |answer| {
            let page = query(&answer.board, &filter, sort, offset, limit);
            let how = "repeat with filters.offset";
            Ok(match &chosen {
                Some(fields) => {
                    filters::reply(&page, offset, how, |task| views::projection(task, fields))
                }
                None => filters::reply(&page, offset, how, views::row),
            })
        },
    ))
}

fn sort(arguments: &Arguments) -> Option<Sort> {
    let field = match arguments.text("field")? {
        "priority" => SortField::Priority,
        "created" => SortField::Created,
        "updated" => SortField::Updated,
        _ => SortField::Status,
    };
    let descending = arguments.text("order") == Some("desc");
    let direction = if descending {
        Direction::Descending
    } else {
        Direction::Ascending
    };
    Some(Sort { field, direction })
}
