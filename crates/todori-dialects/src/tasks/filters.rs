//! Filters and pages of tasks: what `get_tasks` and `query_tasks` share.

use serde_json::{Map, Value, json};
use todori_domain::{Filter, Page, Task};

use crate::arguments::Arguments;
use crate::budget::{MAX_LIST_BYTES, cut_all, size};
use crate::call::{Block, Reply};
use crate::schema::{Field, Shape};

/// The most tasks on one page.
pub(super) const MAX_ROWS: usize = 20;
/// The room that a page leaves for the line that says how to read on.
const MORE_BYTES: usize = 120;

pub(super) fn fields() -> Vec<Field> {
    use Field as F;
    vec![
        F::optional("status", Shape::Choices(super::STATUSES), ""),
        F::optional("priority", Shape::Choices(super::PRIORITIES), ""),
        F::optional("createdAfter", Shape::Time, "ISO 8601"),
        F::optional("createdBefore", Shape::Time, ""),
        F::optional("updatedAfter", Shape::Time, ""),
        F::optional("updatedBefore", Shape::Time, ""),
        F::optional("offset", Shape::Integer(0), "default 0"),
        F::optional("limit", Shape::Integer(1), "at most 20 are shown"),
    ]
}

/// The shape of the reply.
pub(super) fn page_shape(row: Shape) -> Shape {
    Shape::Object(vec![
        Field::required("tasks", Shape::list(row), ""),
        Field::required("total", Shape::Integer(0), ""),
        Field::optional("nextOffset", Shape::Integer(1), ""),
    ])
}

pub(super) fn filter(arguments: &Arguments) -> Filter {
    Filter {
        statuses: arguments.statuses("status"),
        priorities: arguments.priorities("priority"),
        created_after: arguments.time("createdAfter"),
        created_before: arguments.time("createdBefore"),
        updated_after: arguments.time("updatedAfter"),
        updated_before: arguments.time("updatedBefore"),
    }
}

/// The offset of the page, and how many tasks it may have.
pub(super) fn window(arguments: &Arguments) -> (usize, usize) {
    let limit = arguments.number("limit").unwrap_or(MAX_ROWS).min(MAX_ROWS);
    (arguments.number("offset").unwrap_or(0), limit)
}

/// The reply with a page: the rows that fit, and where the next page begins.
pub(super) fn reply(
    page: &Page<'_>,
    offset: usize,
    how: &str,
    row: impl Fn(&Task) -> Value,
) -> Reply {
    const ROOM: usize = MAX_LIST_BYTES - MORE_BYTES - "[]".len();
    let mut rows = Vec::new();
    let mut used = 0;
    for task in &page.tasks {
        let mut row = row(task);
        if rows.is_empty() {
            // One row is always shown, however long it is: from an empty page nobody could read on.
            let tighter = [200, 100, 60].into_iter().map(|most| cut_all(&row, most));
            if size(&row) > ROOM {
                row = tighter
                    .into_iter()
                    .find(|row| size(row) <= ROOM)
                    .unwrap_or(row);
            }
        }
        used += size(&row) + 1;
        if used > ROOM {
            break;
        }
        rows.push(row);
    }
    let next = offset + rows.len();
    let mut structured = json!({"tasks": rows, "total": page.total});
    let bare = Value::Array(rows);
    let mut blocks = vec![Block::Text(bare.to_string())];
    if next < page.total {
        if let Some(map) = structured.as_object_mut() {
            map.insert("nextOffset".to_owned(), json!(next));
        }
        let rest = page.total - next;
        blocks.push(Block::Text(format!(
            "{rest} more of {}: {how} {next}",
            page.total
        )));
    }
    Reply {
        structured,
        blocks,
        bare,
        meta: Map::new(),
    }
}
