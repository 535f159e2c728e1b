//! How a file writes what stands on one line, so that what is added there looks like what is there.

use jsonc_parser::cst::CstNode;
use serde_json::Value;

/// How a file writes what stands on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `{"a":1,"b":2}`
    Compact,
    /// `{"a": 1, "b": 2}`
    Spaced,
}

impl Style {
    pub(super) fn of(text: &str) -> Self {
        if text.contains("\":") && !text.contains("\": ") {
            Self::Compact
        } else {
            Self::Spaced
        }
    }

    /// A value on one line.
    pub(super) fn inline(self, value: &Value) -> String {
        match value {
            Value::Object(map) => {
                let members = map.iter().map(|(name, value)| self.member(name, value));
                format!("{{{}}}", self.joined(members))
            }
            Value::Array(list) => {
                let items = list.iter().map(|item| self.inline(item));
                format!("[{}]", self.joined(items))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        }
    }

    /// A name and its value on one line.
    pub(super) fn member(self, name: &str, value: &Value) -> String {
        format!(
            "{}:{}{}",
            Value::from(name),
            self.blank(),
            self.inline(value)
        )
    }

    const fn blank(self) -> &'static str {
        match self {
            Self::Compact => "",
            Self::Spaced => " ",
        }
    }

    fn joined(self, items: impl Iterator<Item = String>) -> String {
        let items: Vec<String> = items.collect();
        items.join(&format!(",{}", self.blank()))
    }
}

/// The text of an object or a list on one line, with something new behind its last entry.
pub(super) fn inserted_in_line(node: &CstNode, new: &str, style: Style) -> String {
    let last = node.children_exclude_trivia_and_tokens().into_iter().last();
    let blank = style.blank();
    let comma = last.as_ref().and_then(CstNode::trailing_comma);
    let (behind, added) = match (last, comma) {
        (Some(_), Some(comma)) => (comma.child_index(), format!("{blank}{new},")),
        (Some(last), None) => (last.child_index(), format!(",{blank}{new}")),
        // Behind the opening bracket, or a comment.
        (None, _) => {
            let children = node.children();
            let comment = children.iter().rposition(CstNode::is_comment);
            (comment.unwrap_or(0), new.to_owned())
        }
    };
    let children = node.children().into_iter().enumerate();
    let texts = children.map(|(place, child)| {
        let added = if place == behind { added.as_str() } else { "" };
        format!("{child}{added}")
    });
    texts.collect()
}
