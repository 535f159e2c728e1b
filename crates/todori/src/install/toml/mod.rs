//! TOML, changed in place: one table is added, replaced or removed, everything else stays as it was written.

mod reader;

use serde_json::{Map, Value};

pub(super) use reader::Flaw;
use reader::{Statement, read};

/// What a table says, if it is there in any spelling: `[a.b]`, `a.b.c = 1`, or `b = {c = 1}` in `[a]`.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, Flaw> {
    let statements = read(text)?;
    let mut found = None;
    for statement in &statements {
        let Some(rest) = below(&statement.path, path) else {
            continue;
        };
        let table = found.get_or_insert_with(|| Value::Object(Map::new()));
        match &statement.value {
            Some(value) => put(table, rest, value.clone()),
            None if !rest.is_empty() => put(table, rest, Value::Object(Map::new())),
            None => {}
        }
    }
    Ok(found)
}

/// Puts a table at a path, in the place of the one that is there, or at the end.
pub(super) fn set(text: &str, path: &[&str], table: &Map<String, Value>) -> Result<String, Flaw> {
    let statements = read(text)?;
    let line_end = line_end(text);
    let block = block(path, table, line_end);
    // A value where a table must be: nothing can be added below it from outside.
    let closed = statements.iter().find(|statement| {
        let above = statement.path.len() < path.len();
        statement.value.is_some() && above && below_names(path, &statement.path)
    });
    if let Some(statement) = closed {
        return Err(Flaw::Inline(statement.path.join(".")));
    }
    let ours = ranges(text, &statements, path);
    let header = statements.iter().find(|statement| {
        statement.value.is_none() && below(&statement.path, path).is_some_and(<[String]>::is_empty)
    });
    match (header, ours.first()) {
        (Some(header), Some(_)) => {
            let mut new = text.to_owned();
            for (start, end) in ours.iter().rev() {
                let is_header = *start == header.start;
                let put = if is_header { block.as_str() } else { "" };
                new = splice(&new, *start, *end, put);
            }
            Ok(new)
        }
        (None, Some(_)) => Ok(append(&remove(text, path)?, &block, line_end)),
        (_, None) => Ok(append(text, &block, line_end)),
    }
}

/// Removes a table, in whatever spelling it is there.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, Flaw> {
    let statements = read(text)?;
    let mut new = text.to_owned();
    for (start, end) in ranges(text, &statements, path).into_iter().rev() {
        let before = new.get(..start).unwrap_or_default();
        let after = new.get(end..).unwrap_or_default();
        // The empty line above it goes, too, unless it parts two others.
        let gap = ["\r\n\r\n", "\n\n"]
            .into_iter()
            .find(|gap| before.ends_with(gap));
        let alone = after.is_empty() || after.starts_with(['\n', '\r']);
        let start = match gap {
            Some(gap) if alone => start - gap.len() / 2,
            Some(_) | None => start,
        };
        new = splice(&new, start, end, "");
    }
    Ok(new)
}

fn splice(text: &str, start: usize, end: usize, new: &str) -> String {
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
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

/// What is left of a path below another.
fn below<'a>(path: &'a [String], above: &[&str]) -> Option<&'a [String]> {
    let (head, rest) = path.split_at_checked(above.len())?;
    head.iter().zip(above).all(|(a, b)| a == b).then_some(rest)
}

fn below_names(path: &[&str], above: &[String]) -> bool {
    path.len() >= above.len() && path.iter().zip(above).all(|(a, b)| a == b)
}

fn put(table: &mut Value, path: &[String], value: Value) {
    let Some((name, rest)) = path.split_first() else {
        *table = value;
        return;
    };
    if let Value::Object(map) = table {
        let inner = map
            .entry(name.clone())
            .or_insert_with(|| Value::Object(Map::new()));
        put(inner, rest, value);
    }
}

/// The lines that make up a table: its headers with what stands below them, and single values elsewhere.
fn ranges(text: &str, statements: &[Statement], path: &[&str]) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for statement in statements {
        if below(&statement.path, path).is_none() {
            continue;
        }
        let end = line_after(text, statement.end);
        match ranges.last_mut() {
            // Comments between the lines of one table belong to it.
            Some((_, last))
                if below(&statement.table, path).is_some() && statement.value.is_some() =>
            {
                *last = end;
            }
            Some(_) | None => ranges.push((line_before(text, statement.start), end)),
        }
    }
    ranges
}

fn line_before(text: &str, place: usize) -> usize {
    let before = text.get(..place).unwrap_or_default();
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    before.rfind('\n').map_or(mark, |end| end + 1)
}

fn line_after(text: &str, place: usize) -> usize {
    let after = text.get(place..).unwrap_or_default();
    after.find('\n').map_or(text.len(), |end| place + end + 1)
}

#[cfg(test)]
mod tests;
