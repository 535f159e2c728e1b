//! Changes one table of a TOML text, and leaves everything else as it was written.
//!
//! Wraps `toml_edit` as a reader that says where everything stands; the change itself is made in the text. The road that
//! was rejected is to let the library write the document: it ends all lines with LF, and a comment above a table goes
//! with the table.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Document, Item, Key, Table, TomlError};

use super::error::SyntaxError;

/// What a table says, if it is there in any spelling: `[a.b]`, `a.b.c = 1`, or `b = {c = 1}` in `[a]`.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, SyntaxError> {
    let document = parse(text)?;
    Ok(find(document.as_table(), path).map(|(_, item)| plain(item)))
}

/// Puts a table at a path, in the place of the one that is there, or at the end.
pub(super) fn set(
    text: &str,
    path: &[&str],
    table: &Map<String, Value>,
) -> Result<String, SyntaxError> {
    let document = parse(text)?;
    check_way(document.as_table(), path)?;
    let line_end = line_end(text);
    let block = block(path, table, line_end);
    let ours = lines_of(text, &document, path);
    let header = find(document.as_table(), path)
        .and_then(|(_, item)| header(item.as_table()?))
        .map(|header| line_start(text, header.start));
    let Some(header) = header else {
        let rest = without(text, &ours);
        return Ok(append(&rest, &block, line_end));
    };
    let mut new = text.to_owned();
    for Range { start, end } in ours.into_iter().rev() {
        let put = if start == header { block.as_str() } else { "" };
        new = splice(&new, start..end, put);
    }
    Ok(new)
}

/// Removes a table, in whatever spelling it is there.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, SyntaxError> {
    let document = parse(text)?;
    Ok(without(text, &lines_of(text, &document, path)))
}

fn parse(text: &str) -> Result<Document<&str>, SyntaxError> {
    Document::parse(text).map_err(|error| broken(text, &error))
}

fn broken(text: &str, error: &TomlError) -> SyntaxError {
    let place = error.span().map_or(text.len(), |span| span.start);
    let before = text.get(..place).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    SyntaxError::Broken {
        line: before.matches('\n').count() + 1,
        column: line.trim_start_matches('\u{feff}').chars().count() + 1,
        what: error.message().to_owned(),
    }
}

/// What stands at a path below tables. Inside of inline tables nothing is looked for: nothing is changed there either.
fn find<'a>(root: &'a Table, path: &[&str]) -> Option<(&'a Key, &'a Item)> {
    let (name, way) = path.split_last()?;
    let mut table = root;
    for name in way {
        table = table.get(name)?.as_table()?;
    }
    table.get_key_value(name)
}

/// Makes sure that a table can be added at a path from outside.
fn check_way(root: &Table, path: &[&str]) -> Result<(), SyntaxError> {
    for depth in 1..path.len() {
        let way = path.get(..depth).unwrap_or_default();
        match find(root, way) {
            None => return Ok(()),
            Some((_, Item::Table(_) | Item::None)) => {}
            Some((_, Item::Value(_))) => return Err(SyntaxError::InlineTable(way.join("."))),
            Some((_, Item::ArrayOfTables(_))) => {
                return Err(SyntaxError::WrongType {
                    path: way.join("."),
                    wanted: "a table",
                });
            }
        }
    }
    Ok(())
}

fn plain(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain_value(value),
        Item::Table(table) => {
            let entries = table.iter();
            Value::Object(
                entries
                    .map(|(name, item)| (name.to_owned(), plain(item)))
                    .collect(),
            )
        }
        Item::ArrayOfTables(tables) => {
            let tables = tables.iter().map(|table| {
                let entries = table.iter();
                Value::Object(
                    entries
                        .map(|(name, item)| (name.to_owned(), plain(item)))
                        .collect(),
                )
            });
            tables.collect()
        }
    }
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(value) => Value::from(*value.value()),
        toml_edit::Value::Datetime(moment) => Value::from(moment.value().to_string()),
        toml_edit::Value::Array(list) => list.iter().map(plain_value).collect(),
        toml_edit::Value::InlineTable(table) => {
            let entries = table.iter();
            Value::Object(
                entries
                    .map(|(name, value)| (name.to_owned(), plain_value(value)))
                    .collect(),
            )
        }
    }
}

/// Where the header of a table stands; none where the table follows from others, or from dotted names.
fn header(table: &Table) -> Option<Range<usize>> {
    if table.is_implicit() || table.is_dotted() {
        None
    } else {
        table.span()
    }
}

/// The lines that make up a table: its headers with what stands below them, and single values elsewhere.
fn lines_of(text: &str, document: &Document<&str>, path: &[&str]) -> Vec<Range<usize>> {
    let mut statements = Vec::new();
    if let Some((key, item)) = find(document.as_table(), path) {
        collect(key, item, Below::Elsewhere, &mut statements);
    }
    statements.sort_by_key(|statement| statement.span.start);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for Statement { span, below } in statements {
        let end = line_end_after(text, span.end);
        match (ranges.last_mut(), below) {
            // Comments between the lines of one table belong to it.
            (Some(last), Below::OwnHeader) => last.end = end,
            (_, Below::Elsewhere | Below::OwnHeader) => {
                ranges.push(line_start(text, span.start)..end);
            }
        }
    }
    ranges
}

/// A header, or a name with its value.
struct Statement {
    span: Range<usize>,
    below: Below,
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    /// Below a header that belongs to the same table.
    OwnHeader,
    /// At the top, below the header of another table, or a header itself.
    Elsewhere,
}

fn collect(key: &Key, item: &Item, below: Below, found: &mut Vec<Statement>) {
    match item {
        Item::None => {}
        Item::Value(value) => {
            let span = key.span().zip(value.span());
            found.extend(span.map(|(key, value)| Statement {
                span: key.start..value.end,
                below,
            }));
        }
        Item::Table(table) => collect_table(table, below, found),
        Item::ArrayOfTables(tables) => {
            for table in tables {
                collect_table(table, below, found);
            }
        }
    }
}

fn collect_table(table: &Table, below: Below, found: &mut Vec<Statement>) {
    let header = header(table);
    let below = if header.is_some() {
        Below::OwnHeader
    } else {
        below
    };
    found.extend(header.map(|span| Statement {
        span,
        below: Below::Elsewhere,
    }));
    for (name, item) in table {
        if let Some(key) = table.key(name) {
            collect(key, item, below, found);
        }
    }
}

fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut new = text.to_owned();
    for Range { start, end } in ranges.iter().rev() {
        let before = new.get(..*start).unwrap_or_default();
        let after = new.get(*end..).unwrap_or_default();
        // The empty line above it goes, too, unless it parts two others.
        let gap = ["\r\n\r\n", "\n\n"]
            .into_iter()
            .find(|gap| before.ends_with(gap));
        let alone = after.is_empty() || after.starts_with(['\n', '\r']);
        let start = match gap {
            Some(gap) if alone => start - gap.len() / 2,
            Some(_) | None => *start,
        };
        new = splice(&new, start..*end, "");
    }
    new
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    format!("{before}{new}{after}")
}

fn line_end(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

/// Adds a block at the end, after an empty line. A file without an end to its last line stays without one.
fn append(text: &str, block: &str, line_end: &str) -> String {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return format!("{text}{block}");
    }
    if text.ends_with('\n') {
        let gap = if text.ends_with("\n\n") || text.ends_with("\n\r\n") {
            ""
        } else {
            line_end
        };
        return format!("{text}{gap}{block}");
    }
    format!("{text}{line_end}{line_end}{}", block.trim_end())
}

fn block(path: &[&str], table: &Map<String, Value>, line_end: &str) -> String {
    let mut block = format!("[{}]{line_end}", path.join("."));
    for (name, value) in table {
        // Texts and lists of texts are written the same way as in JSON, except for what JSON leaves unescaped.
        let value = value.to_string().replace('\u{7f}', "\\u007f");
        block += &format!("{name} = {value}{line_end}");
    }
    block
}

fn line_start(text: &str, place: usize) -> usize {
    let before = text.get(..place).unwrap_or_default();
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    before.rfind('\n').map_or(mark, |end| end + 1)
}

fn line_end_after(text: &str, place: usize) -> usize {
    let after = text.get(place..).unwrap_or_default();
    after.find('\n').map_or(text.len(), |end| place + end + 1)
}

#[cfg(test)]
mod tests;
