//! Reading JSON of other programs: every field is taken out by name, so that what is left over can be told.

use serde_json::{Map, Value};

use super::Unreadable;
use super::draft::Read;

/// Reads JSON, or says where it is broken. `line` is where the text begins in its file.
pub(super) fn parse(text: &str, file: &str, line: usize) -> Result<Value, Unreadable> {
    serde_json::from_str(text).map_err(|error| {
        let at = line + error.line().max(1) - 1;
        let said = error.to_string();
        let reason = said.split(" at line ").next().unwrap_or_default();
        Unreadable::new(format!(
            "{file} is no JSON at line {at}, column {}: {reason}",
            error.column()
        ))
        .with_hint("mend the file; nothing was imported")
    })
}

/// An object whose fields are taken out one by one.
#[derive(Debug)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// Takes an object; anything else is told, and gives none.
    pub(super) fn of(value: Value, item: &str, read: &mut Read) -> Option<Self> {
        if let Value::Object(map) = value {
            return Some(Self(map));
        }
        read.note(item, "it is no JSON object; left out");
        None
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name).filter(|value| !value.is_null())
    }

    /// A text, or a number or truth value as text; empty if there is none.
    pub(super) fn text(&mut self, name: &str) -> String {
        self.take(name)
            .map(|value| plain(&value))
            .unwrap_or_default()
    }

    /// A list; a single value is a list of one.
    pub(super) fn list(&mut self, name: &str) -> Vec<Value> {
        match self.take(name) {
            Some(Value::Array(values)) => values,
            Some(value) => vec![value],
            None => Vec::new(),
        }
    }

    /// A list of texts or numbers, as texts.
    pub(super) fn texts(&mut self, name: &str) -> Vec<String> {
        let values = self.list(name);
        values
            .iter()
            .map(plain)
            .filter(|text| !text.is_empty())
            .collect()
    }

    /// Drops fields that say nothing of their own here: what follows from others, or counts what is gone.
    pub(super) fn ignore(&mut self, names: &[&str]) {
        for name in names {
            self.0.shift_remove(*name);
        }
    }

    /// Adds whatever is left over to a description.
    pub(super) fn rest(self, description: &mut String, read: &mut Read) {
        for (name, value) in self.0 {
            if is_nothing(&value) {
                continue;
            }
            let text = plain(&value);
            if text.contains('\n') {
                read.section(description, &capital(&name), &text);
            } else {
                read.fact(description, &capital(&name), &text);
            }
        }
    }
}

/// A value as people would write it.
pub(super) fn plain(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    match value.as_array() {
        Some(values)
            if values
                .iter()
                .all(|value| !value.is_object() && !value.is_array()) =>
        {
            let texts: Vec<String> = values.iter().map(plain).collect();
            texts.join(", ")
        }
        _ if value.is_null() => String::new(),
        _ => value.to_string(),
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null()
        || value.as_str().is_some_and(str::is_empty)
        || value.as_array().is_some_and(Vec::is_empty)
        || value.as_object().is_some_and(Map::is_empty)
}

/// The name of a field as a heading: `testStrategy` is `Test strategy`.
fn capital(name: &str) -> String {
    let mut words = String::new();
    for (place, c) in name.chars().enumerate() {
        match c {
            '_' | '-' => words.push(' '),
            c if place == 0 => words.extend(c.to_uppercase()),
            c if c.is_uppercase() => {
                words.push(' ');
                words.extend(c.to_lowercase());
            }
            c => words.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_json_is_told_with_its_place_in_the_file() {
        let error = parse("{\"a\": 1,\n  oops}", "x.json", 5).unwrap_err();
        assert_eq!(
            error.message,
            "x.json is no JSON at line 6, column 3: key must be a string"
        );
    }

    #[test]
    fn what_is_left_over_goes_into_the_description() {
        let value = serde_json::json!({"a": 1, "testStrategy": "run it", "b": [], "c": {"d": 1}, "e": ["x", 2]});
        let (mut read, mut text) = (Read::default(), String::new());
        let mut fields = Fields::of(value, "it", &mut read).unwrap();
        assert_eq!(fields.text("a"), "1");
        fields.rest(&mut text, &mut read);
        assert_eq!(text, "Test strategy: run it\nC: {\"d\":1}\nE: x, 2");
    }
}
