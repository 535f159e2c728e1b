//! Adding, replacing and removing one thing in a JSON text.

use serde_json::{Map, Value};

use super::Flaw;
use super::layout::Layout;
use super::tree::{Kind, Node, Part, Tree, named, walk};

/// Puts a value at a path of names; what is missing on the way is made.
pub(crate) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, Flaw> {
    let tree = Tree::parse(text)?;
    let layout = Layout::of(text);
    let Some(root) = &tree.root else {
        return Ok(begin(text, &nested(path, value), &layout));
    };
    let found = walk(root, path)?;
    let rest = path.get(found.depth..).unwrap_or_default();
    let Some((name, deeper)) = rest.split_first() else {
        return Ok(replace(text, found.node, value, &layout));
    };
    insert(
        &tree,
        found.node,
        Some(name),
        &nested(deeper, value),
        &layout,
    )
}

/// Adds a value at the end of the list at a path; what is missing on the way is made.
pub(crate) fn push(text: &str, path: &[&str], value: &Value) -> Result<String, Flaw> {
    let tree = Tree::parse(text)?;
    let found = match &tree.root {
        Some(root) => Some(walk(root, path)?),
        None => None,
    };
    match found.filter(|found| found.depth == path.len()) {
        None => set(text, path, &Value::Array(vec![value.clone()])),
        Some(found) if matches!(found.node.kind, Kind::Array(_)) => {
            insert(&tree, found.node, None, value, &Layout::of(text))
        }
        Some(_) => Err(Flaw::NotA {
            path: named(path),
            what: "a list",
        }),
    }
}

/// Removes what stands at a path, and what is empty then on the way to it.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String, Flaw> {
    let Some((name, way)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let tree = Tree::parse(text)?;
    let Some(root) = &tree.root else {
        return Ok(text.to_owned());
    };
    let found = walk(root, path)?;
    if found.depth < path.len() {
        return Ok(text.to_owned());
    }
    let holder = walk(root, way)?.node;
    let parts = parts(holder);
    let is_it = |part: &Part| part.name.as_deref() == Some(name);
    let Some(place) = parts.iter().position(is_it) else {
        return Ok(text.to_owned());
    };
    if parts.len() == 1 && !way.is_empty() && !has_comment(text, holder) {
        return remove(text, way);
    }
    Ok(cut(text, holder, place))
}

/// Removes an element of the list at a path, and what is empty then on the way to it.
pub(crate) fn remove_element(text: &str, path: &[&str], place: usize) -> Result<String, Flaw> {
    let tree = Tree::parse(text)?;
    let Some(root) = &tree.root else {
        return Ok(text.to_owned());
    };
    let found = walk(root, path)?;
    let count = parts(found.node).len();
    if found.depth < path.len() || place >= count {
        return Ok(text.to_owned());
    }
    if count == 1 && !has_comment(text, found.node) {
        return remove(text, path);
    }
    Ok(cut(text, found.node, place))
}

fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, name| {
        Value::Object(Map::from_iter([((*name).to_owned(), inner)]))
    })
}

/// A file that had no value gets one, below its comments.
fn begin(text: &str, value: &Value, layout: &Layout) -> String {
    let comments = text.trim_end();
    let bare = comments.trim_start_matches('\u{feff}').is_empty();
    let end = layout.line_end;
    let gap = if bare { "" } else { end };
    format!("{comments}{gap}{}{end}", layout.lines(value, ""))
}

fn parts(node: &Node) -> &[Part] {
    match &node.kind {
        Kind::Object(parts) | Kind::Array(parts) => parts,
        Kind::Scalar => &[],
    }
}

/// The part of the text between two places.
fn between(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

fn splice(text: &str, start: usize, end: usize, new: &str) -> String {
    let before = between(text, 0, start);
    let after = between(text, end, text.len());
    format!("{before}{new}{after}")
}

/// The blanks at the beginning of the line in which a place is.
fn indent_at(text: &str, place: usize) -> &str {
    let start = between(text, 0, place).rfind('\n').map_or(0, |end| end + 1);
    let line = between(text, start, text.len()).trim_start_matches('\u{feff}');
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blank).unwrap_or_default()
}

/// Whether nothing but blanks stands before a place in its line, and it is not the first line.
fn begins_line(text: &str, place: usize) -> bool {
    let before = between(text, 0, place).trim_end_matches([' ', '\t']);
    before.ends_with('\n')
}

fn replace(text: &str, node: &Node, value: &Value, layout: &Layout) -> String {
    let old = between(text, node.start, node.end);
    let new =
        if old.contains('\n') || matches!(node.kind, Kind::Scalar) || begins_line_of(text, node) {
            layout.lines(value, indent_at(text, node.start))
        } else {
            layout.inline(value)
        };
    splice(text, node.start, node.end, &new)
}

/// Whether the line in which a value stands begins with its name, so that it may take several lines.
fn begins_line_of(text: &str, node: &Node) -> bool {
    let indent = indent_at(text, node.start);
    let start = between(text, 0, node.start)
        .rfind('\n')
        .map_or(0, |end| end + 1);
    between(text, start + indent.len(), node.start).starts_with('"')
}

/// Adds a part at the end of an object or a list.
fn insert(
    tree: &Tree<'_>,
    holder: &Node,
    name: Option<&str>,
    value: &Value,
    layout: &Layout,
) -> Result<String, Flaw> {
    let text = tree.text;
    if let (Kind::Scalar, _) | (Kind::Array(_), Some(_)) | (Kind::Object(_), None) =
        (&holder.kind, name)
    {
        return Err(Flaw::NotA {
            path: name.map_or_else(
                || "the list".to_owned(),
                |name| format!("what holds {name}"),
            ),
            what: "an object",
        });
    }
    let shown = |value: String| match name {
        Some(name) => layout.member(name, &value),
        None => value,
    };
    let Some(last) = parts(holder).last() else {
        return Ok(fill(tree, holder, value, &shown, layout));
    };
    let first = parts(holder).first().unwrap_or(last);
    let after = last.comma.map_or(last.value.end, |comma| comma + 1);
    if !begins_line(text, first.start) {
        let new = shown(layout.inline(value));
        let new = match last.comma {
            Some(_) => format!("{}{new},", layout.comma().trim_start_matches(',')),
            None => format!("{}{new}", layout.comma()),
        };
        return Ok(splice(text, after, after, &new));
    }
    let indent = indent_at(text, first.start);
    let comma = if last.comma.is_some() { "," } else { "" };
    let new = shown(layout.lines(value, indent));
    let new = format!("{}{indent}{new}{comma}", layout.line_end);
    let place = after + comment_after(between(text, after, holder.end));
    let text = splice(text, place, place, &new);
    Ok(match last.comma {
        Some(_) => text,
        None => splice(&text, last.value.end, last.value.end, ","),
    })
}

/// Puts the first part into an object or a list.
fn fill(
    tree: &Tree<'_>,
    holder: &Node,
    value: &Value,
    shown: &dyn Fn(String) -> String,
    layout: &Layout,
) -> String {
    let text = tree.text;
    let inside = between(text, holder.start + 1, holder.end - 1);
    let kept = inside.trim_end();
    let place = holder.start + 1 + kept.len();
    let root = tree.root.as_ref().map_or(0, |root| root.start);
    let one_line = holder.start != root && !between(text, root, holder.end).contains('\n');
    if one_line && kept.is_empty() {
        return splice(text, place, holder.end - 1, &shown(layout.inline(value)));
    }
    let base = indent_at(text, holder.start);
    let indent = layout.deeper(base);
    let new = shown(layout.lines(value, &indent));
    let end = layout.line_end;
    if inside.contains('\n') {
        return splice(text, place, place, &format!("{end}{indent}{new}"));
    }
    let new = format!("{end}{indent}{new}{end}{base}");
    splice(text, place, holder.end - 1, &new)
}

/// How far a comment reaches that stands at the end of the same line.
fn comment_after(rest: &str) -> usize {
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let blank = rest.len() - trimmed.len();
    if trimmed.starts_with("//") {
        let line = trimmed.split('\n').next().unwrap_or_default();
        blank + line.trim_end().len()
    } else if trimmed.starts_with("/*") {
        match trimmed.find("*/") {
            Some(end) => {
                let end = blank + end + 2;
                end + comment_after(rest.get(end..).unwrap_or_default())
            }
            None => 0,
        }
    } else {
        0
    }
}

/// Whether there is a comment between the parts of an object or a list.
fn has_comment(text: &str, holder: &Node) -> bool {
    let mut from = holder.start + 1;
    for part in parts(holder) {
        if between(text, from, part.start).contains('/') {
            return true;
        }
        from = part.value.end;
    }
    between(text, from, holder.end).contains('/')
}

/// Takes a part out.
fn cut(text: &str, holder: &Node, place: usize) -> String {
    let parts = parts(holder);
    let Some(part) = parts.get(place) else {
        return text.to_owned();
    };
    let previous = place.checked_sub(1).and_then(|place| parts.get(place));
    let own_line = begins_line(text, part.start);
    let end = part.comma.map_or(part.value.end, |comma| comma + 1);
    if !own_line && part.comma.is_some() && previous.is_none() {
        // What follows moves up to where this began.
        let next = parts.get(place + 1).map_or(end, |next| next.start);
        return splice(text, part.start, next, "");
    }
    let start = if own_line {
        let line = between(text, 0, part.start).trim_end_matches([' ', '\t']);
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line).len()
    } else {
        previous.map_or(part.start, |previous| {
            previous.comma.map_or(previous.value.end, |comma| comma + 1)
        })
    };
    let blank = between(text, end, text.len());
    let blank = blank.len() - blank.trim_start_matches([' ', '\t']).len();
    let ends_line = between(text, end + blank, text.len()).starts_with(['\r', '\n']);
    let end = if ends_line { end + blank } else { end };
    let rest = splice(text, start, end, "");
    if parts.len() == 1 {
        // Nothing is left but blanks: nothing at all looks better.
        let shrunk = holder.end - 1 - (end - start);
        let inside = between(&rest, holder.start + 1, shrunk);
        if inside.trim().is_empty() {
            return splice(&rest, holder.start + 1, shrunk, "");
        }
        return rest;
    }
    match previous.and_then(|previous| previous.comma) {
        // The last one has a comma behind it only if it had one before.
        Some(comma) if part.comma.is_none() => splice(&rest, comma, comma + 1, ""),
        Some(_) | None => rest,
    }
}
