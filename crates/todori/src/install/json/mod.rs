//! Changes one entry of a JSON text with comments, and leaves everything else as it was written.
//!
//! Wraps `jsonc-parser`: its syntax tree keeps comments, white space and line ends. The road that was rejected is to read
//! into values and to write those out again, which loses all of that. One thing is done beside the library: it spreads an
//! object over several lines before it adds to it, so what stands on one line is changed here (`Style`).

mod style;

use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstNode, CstRootNode};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::{Map, Value};

use super::error::SyntaxError;
use style::{Style, inserted_in_line};

/// The byte order mark, which some editors put before the first character.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Comments and commas behind the last entry are fine, as all clients take them; the rest of JSON5 is not.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// What stands at a path of names, if anything does. Reads without the tree that keeps comments, which takes ten times as
/// long: a client's own file may have several megabytes.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, SyntaxError> {
    let Some(top) = read(text)? else {
        return Ok(None);
    };
    let Reached { value, depth } = follow(&top, path)?;
    Ok((depth == path.len()).then(|| Value::from(value.clone())))
}

/// Puts a value at a path of names; what is missing on the way is made.
pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, SyntaxError> {
    let Some(top) = read(text)? else {
        let document = Document::parse(text)?;
        document.root.set_value(input(&nested(path, value)));
        return Ok(document.text());
    };
    let depth = follow(&top, path)?.depth;
    let (way, rest) = path.split_at_checked(depth).unwrap_or((path, &[]));
    let document = Document::parse(text)?;
    let Some(node) = document.find(way) else {
        return Ok(text.to_owned());
    };
    let style = Style::of(text);
    let Some((name, deeper)) = rest.split_first() else {
        replace(&node, value, style);
        return Ok(document.text());
    };
    let Some(object) = node.as_object() else {
        return Err(wrong_type(way, "an object"));
    };
    let value = nested(deeper, value);
    if is_one_line(&node) {
        let whole = inserted_in_line(&node, &style.member(name, &value), style);
        drop(object.replace_with(verbatim(whole)));
    } else {
        object.append(name, input(&value));
    }
    Ok(document.text())
}

/// Adds a value at the end of the list at a path; what is missing on the way is made.
pub(super) fn push(text: &str, path: &[&str], value: &Value) -> Result<String, SyntaxError> {
    if get(text, path)?.is_none() {
        return set(text, path, &Value::Array(vec![value.clone()]));
    }
    let document = Document::parse(text)?;
    let Some(node) = document.find(path) else {
        return Ok(text.to_owned());
    };
    let Some(list) = node.as_array() else {
        return Err(wrong_type(path, "a list"));
    };
    if is_one_line(&node) {
        let style = Style::of(text);
        let whole = inserted_in_line(&node, &style.inline(value), style);
        drop(list.replace_with(verbatim(whole)));
    } else {
        list.append(input(value));
    }
    Ok(document.text())
}

/// Removes what stands at a path, and what is empty then on the way to it.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, SyntaxError> {
    if get(text, path)?.is_none() {
        return Ok(text.to_owned());
    }
    let document = Document::parse(text)?;
    // The value stands in its member, which goes as a whole.
    if let Some(member) = document.find(path).and_then(|node| node.parent()) {
        cut(&member.into());
    }
    Ok(document.text())
}

/// Removes an element of the list at a path, and what is empty then on the way to it.
pub(super) fn remove_element(
    text: &str,
    path: &[&str],
    place: usize,
) -> Result<String, SyntaxError> {
    if get(text, path)?.is_none() {
        return Ok(text.to_owned());
    }
    let document = Document::parse(text)?;
    let list = document.find(path).and_then(|node| node.as_array());
    if let Some(element) = list.and_then(|list| list.elements().into_iter().nth(place)) {
        cut(&element);
    }
    Ok(document.text())
}

/// Reads the value of a text; none where there is nothing but blanks and comments.
fn read(text: &str) -> Result<Option<ast::Value<'_>>, SyntaxError> {
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let read = parse_to_ast(body, &CollectOptions::default(), &OPTIONS);
    Ok(read.map_err(|error| broken(&error))?.value)
}

/// How far a path leads.
struct Reached<'a> {
    value: &'a ast::Value<'a>,
    /// How many of its names lead there.
    depth: usize,
}

fn follow<'a>(top: &'a ast::Value<'a>, path: &[&str]) -> Result<Reached<'a>, SyntaxError> {
    let mut value = top;
    for (depth, name) in path.iter().enumerate() {
        let Some(object) = value.as_object() else {
            return Err(wrong_type(
                path.get(..depth).unwrap_or_default(),
                "an object",
            ));
        };
        let members = object.properties.iter();
        let mut members = members.filter(|member| member.name.as_str() == *name);
        match (members.next(), members.next()) {
            (Some(_), Some(_)) => return Err(SyntaxError::Duplicate((*name).to_owned())),
            (Some(member), None) => value = &member.value,
            (None, _) => return Ok(Reached { value, depth }),
        }
    }
    let depth = path.len();
    Ok(Reached { value, depth })
}

/// A text as a tree that keeps all of it. It must live as long as any of its nodes is used: they know those above them
/// only weakly.
struct Document {
    has_mark: bool,
    root: CstRootNode,
}

impl Document {
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let body = text.strip_prefix(BYTE_ORDER_MARK);
        let root = CstRootNode::parse(body.unwrap_or(text), &OPTIONS);
        Ok(Self {
            has_mark: body.is_some(),
            root: root.map_err(|error| broken(&error))?,
        })
    }

    fn text(&self) -> String {
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        format!("{mark}{}", self.root)
    }

    fn find(&self, path: &[&str]) -> Option<CstNode> {
        path.iter().try_fold(self.root.value()?, |node, name| {
            node.as_object()?.get(name)?.value()
        })
    }
}

fn broken(error: &ParseError) -> SyntaxError {
    SyntaxError::Broken {
        line: error.line_display(),
        column: error.column_display(),
        what: lower_first(&error.kind().to_string()),
    }
}

fn wrong_type(path: &[&str], wanted: &'static str) -> SyntaxError {
    let path = if path.is_empty() {
        "the file".to_owned()
    } else {
        path.join(".")
    };
    SyntaxError::WrongType { path, wanted }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, name| {
        Value::Object(Map::from_iter([((*name).to_owned(), inner)]))
    })
}

/// A value in the library's own type, which it lays out like its neighbours.
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => {
            let members = map.iter();
            CstInputValue::Object(
                members
                    .map(|(name, value)| (name.clone(), input(value)))
                    .collect(),
            )
        }
    }
}

/// A text that is written as it is. Numbers are the one thing that the library does not lay out.
fn verbatim(text: String) -> CstInputValue {
    CstInputValue::Number(text)
}

/// The object or list around a node.
fn holder(node: &CstNode) -> Option<CstNode> {
    let mut around = node.ancestors();
    around
        .find(|around| !matches!(around, CstContainerNode::ObjectProp(_)))
        .filter(|around| !matches!(around, CstContainerNode::Root(_)))
        .map(CstNode::from)
}

fn has_lines(node: &CstNode) -> bool {
    node.children().iter().any(CstNode::is_newline)
}

/// Whether an object or list is written on one line and should stay so. An empty one says nothing about that: what is
/// around it does.
fn is_one_line(node: &CstNode) -> bool {
    if has_lines(node) {
        return false;
    }
    let is_empty = node.children_exclude_trivia_and_tokens().is_empty();
    !is_empty || holder(node).is_some_and(|holder| !has_lines(&holder))
}

fn replace(node: &CstNode, value: &Value, style: Style) {
    let stays_in_line = holder(node).is_some_and(|holder| !has_lines(&holder));
    let new = if stays_in_line {
        verbatim(style.inline(value))
    } else {
        input(value)
    };
    let member = node.parent().and_then(|parent| parent.as_object_prop());
    if let Some(member) = member {
        member.set_value(new);
    }
}

/// Takes out a member or an element, then whatever is left empty around it. Comments on a line of their own stay, and
/// keep what they stand in; one beside what is taken out goes with it.
fn cut(part: &CstNode) {
    let holder = part.parent();
    // Behind an opening bracket, the next one moves up without the blank between them.
    let is_first = part.previous_sibling().is_some_and(|node| node.is_token());
    if let (true, Some(comma)) = (is_first, part.trailing_comma()) {
        let blank = comma.next_sibling().filter(CstNode::is_whitespace);
        if let Some(blank) = blank {
            blank.remove();
        }
    }
    part.clone().remove();
    let Some(holder) = holder.map(CstNode::from) else {
        return;
    };
    let is_empty = holder
        .children()
        .iter()
        .all(|node| node.is_token() || node.is_trivia() && !node.is_comment());
    let member = holder.parent().and_then(|parent| parent.as_object_prop());
    if let (true, Some(member)) = (is_empty, member) {
        cut(&member.into());
    }
}

#[cfg(test)]
mod tests;
