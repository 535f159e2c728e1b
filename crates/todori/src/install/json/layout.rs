//! How a file is laid out, so that what is added looks like what is there.

use serde_json::Value;

/// How a file is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) line_end: &'static str,
    /// One step of indentation.
    unit: String,
    /// Whether blanks stand behind colons and commas.
    airy: bool,
}

impl Layout {
    pub(super) fn of(text: &str) -> Self {
        let indented = text.lines().find_map(|line| {
            let rest = line.trim_start_matches([' ', '\t']);
            let blank = line.len() - rest.len();
            let begins = rest.starts_with(['"', '{', '[']);
            line.get(..blank).filter(|_| blank > 0 && begins)
        });
        let has_lines = text.trim().contains('\n');
        Self {
            line_end: line_end(text),
            unit: indented.unwrap_or("  ").to_owned(),
            airy: has_lines || text.contains("\": ") || !text.contains("\":"),
        }
    }

    /// The indentation one step deeper.
    pub(super) fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }

    /// A value over several lines, the first of which stands behind so much indentation.
    pub(super) fn lines(&self, value: &Value, indent: &str) -> String {
        let inner = self.deeper(indent);
        let items: Vec<String> = match value {
            Value::Object(map) if !map.is_empty() => map
                .iter()
                .map(|(name, value)| self.member(name, &self.lines(value, &inner)))
                .collect(),
            Value::Array(list) if list.iter().any(Value::is_object) => {
                list.iter().map(|item| self.lines(item, &inner)).collect()
            }
            Value::Object(_)
            | Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => return self.inline(value),
        };
        let (open, close) = if value.is_object() {
            ('{', '}')
        } else {
            ('[', ']')
        };
        let end = self.line_end;
        let items = items.join(&format!(",{end}{inner}"));
        format!("{open}{end}{inner}{items}{end}{indent}{close}")
    }

    /// A value on one line.
    pub(super) fn inline(&self, value: &Value) -> String {
        let comma = self.comma();
        match value {
            Value::Object(map) => {
                let items = map
                    .iter()
                    .map(|(name, value)| self.member(name, &self.inline(value)));
                format!("{{{}}}", items.collect::<Vec<_>>().join(comma))
            }
            Value::Array(list) => {
                let items: Vec<String> = list.iter().map(|item| self.inline(item)).collect();
                format!("[{}]", items.join(comma))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        }
    }

    pub(super) fn member(&self, name: &str, value: &str) -> String {
        let colon = if self.airy { ": " } else { ":" };
        format!("{}{colon}{value}", Value::from(name))
    }

    pub(super) fn comma(&self) -> &'static str {
        if self.airy { ", " } else { "," }
    }
}

/// How lines end in a text.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}
