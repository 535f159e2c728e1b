//! Reads any small YAML text, for whoever meets YAML that is not a board, such as the front matter of Markdown files.
//!
//! Wraps `syntax`, the only module that names the YAML library, so that no other crate has to own that library or learn
//! its events. Values stay text: whether `010` or `yes` is a number or a boolean is for the caller to decide. What
//! `syntax` refuses in boards is refused here, too: anchors, aliases, tags, several documents, the same key twice.

use todori_domain::Position;

use super::syntax::{Fault, Kind, Node, parse};

/// One value of a YAML text, and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlNode {
    /// Where it begins, counted from line 1, column 1.
    pub position: Position,
    /// What it is.
    pub value: YamlValue,
}

/// What a YAML text can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlValue {
    /// Nothing: an empty value, `~` or `null`, without quotes.
    Null,
    /// Everything else that is one value, without its quotes and with its lines folded as YAML says.
    Text(String),
    /// A list, in either style.
    List(Vec<YamlNode>),
    /// The keys and values of a mapping, in the order of the text.
    Map(Vec<(String, YamlNode)>),
}

/// Why a text is not YAML that is read here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {reason}", position.line, position.column)]
pub struct YamlError {
    /// Where reading ended.
    pub position: Position,
    /// What is wrong there.
    pub reason: String,
}

/// Reads one document; `None` where there is nothing but white space and comments.
pub fn read_yaml(text: &str) -> Result<Option<YamlNode>, YamlError> {
    match parse(text) {
        Ok(root) => Ok(root.map(plain)),
        Err(Fault { at, reason }) => Err(YamlError {
            position: at,
            reason,
        }),
    }
}

fn plain(node: Node) -> YamlNode {
    let position = node.at;
    let is_null = node.is_null();
    let value = match node.kind {
        Kind::Scalar { .. } if is_null => YamlValue::Null,
        Kind::Scalar { text, quoted: _ } => YamlValue::Text(text),
        Kind::List(items) => YamlValue::List(items.into_iter().map(plain).collect()),
        Kind::Map { entries, flow: _ } => {
            let entries = entries.into_iter();
            YamlValue::Map(
                entries
                    .map(|entry| (entry.key, plain(entry.value)))
                    .collect(),
            )
        }
    };
    YamlNode { position, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(node: &YamlNode) -> String {
        let Position { line, column } = node.position;
        let value = match &node.value {
            YamlValue::Null => "null".to_owned(),
            YamlValue::Text(text) => format!("{text:?}"),
            YamlValue::List(items) => {
                let items: Vec<String> = items.iter().map(shown).collect();
                format!("[{}]", items.join(" "))
            }
            YamlValue::Map(entries) => {
                let entries = entries.iter();
                let entries: Vec<String> = entries
                    .map(|(key, value)| format!("{key}={}", shown(value)))
                    .collect();
                format!("{{{}}}", entries.join(" "))
            }
        };
        format!("{line}:{column} {value}")
    }

    fn check(text: &str, expected: &str) {
        let found = match read_yaml(text) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(node)) => shown(&node),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_text_becomes_a_tree_of_values_with_their_places() {
        check("# only a comment\n", "nothing");
        check(
            "a: 010\nb: [x, 'null']\nc:\n  - ~\n",
            r#"1:1 {a=1:4 "010" b=2:4 [2:5 "x" 2:8 "null"] c=4:3 [4:5 null]}"#,
        );
        check("a: >-\n  one\n  two\n", r#"1:1 {a=2:3 "one two"}"#);
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused_with_its_place() {
        check(
            "a: 1\na: 2\n",
            "line 2, column 1: the key a stands here twice",
        );
        check(
            "a: &x 1\n",
            "line 1, column 7: an anchor (&), which is not allowed here",
        );
    }
}
