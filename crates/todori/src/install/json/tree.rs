//! Where everything stands in a JSON text. Comments and commas at the end of lists are taken as they come.

use serde_json::{Map, Value};

use super::Flaw;

/// Deeper than this is no settings file.
const MAX_DEPTH: usize = 200;

/// A text, and what stands where in it.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub(super) text: &'a str,
    /// None where there is no value at all: an empty file, or comments only.
    pub(super) root: Option<Node>,
}

/// A value, from its first byte to behind its last.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Object(Vec<Part>),
    Array(Vec<Part>),
    Scalar,
}

/// A member of an object, or an element of an array.
#[derive(Debug)]
pub(super) struct Part {
    /// Where it begins: its name, or its value if it has none.
    pub(super) start: usize,
    pub(super) name: Option<String>,
    pub(super) value: Node,
    /// Where the comma behind it is.
    pub(super) comma: Option<usize>,
}

/// How far a path leads.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) node: &'a Node,
    pub(super) depth: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, Flaw> {
        let mut reader = Reader { text, at: 0 };
        if text.starts_with('\u{feff}') {
            reader.at = '\u{feff}'.len_utf8();
        }
        reader.skip()?;
        if reader.peek().is_none() {
            return Ok(Self { text, root: None });
        }
        let root = reader.value(0)?;
        reader.skip()?;
        if reader.peek().is_some() {
            return Err(reader.flaw("something stands behind the end"));
        }
        Ok(Self {
            text,
            root: Some(root),
        })
    }

    /// A value without its layout.
    pub(super) fn value(&self, node: &Node) -> Value {
        match &node.kind {
            Kind::Object(parts) => {
                let members = parts.iter().filter_map(|part| {
                    let name = part.name.clone()?;
                    Some((name, self.value(&part.value)))
                });
                Value::Object(members.collect::<Map<_, _>>())
            }
            Kind::Array(parts) => parts.iter().map(|part| self.value(&part.value)).collect(),
            Kind::Scalar => {
                let text = self.text.get(node.start..node.end).unwrap_or_default();
                serde_json::from_str(text).unwrap_or_default()
            }
        }
    }
}

/// Follows a path of names as far as it leads.
pub(super) fn walk<'n>(root: &'n Node, path: &[&str]) -> Result<Found<'n>, Flaw> {
    let mut found = Found {
        node: root,
        depth: 0,
    };
    for name in path {
        let Kind::Object(parts) = &found.node.kind else {
            let path = path.get(..found.depth).unwrap_or_default();
            return Err(Flaw::NotA {
                path: named(path),
                what: "an object",
            });
        };
        let mut members = parts
            .iter()
            .filter(|part| part.name.as_deref() == Some(name));
        match (members.next(), members.next()) {
            (Some(_), Some(_)) => return Err(Flaw::Twice((*name).to_owned())),
            (Some(part), None) => {
                found = Found {
                    node: &part.value,
                    depth: found.depth + 1,
                };
            }
            (None, _) => break,
        }
    }
    Ok(found)
}

/// A path as people write it.
pub(super) fn named(path: &[&str]) -> String {
    if path.is_empty() {
        "the file".to_owned()
    } else {
        path.join(".")
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_it = self.peek() == Some(wanted);
        if is_it {
            self.at += wanted.len_utf8();
        }
        is_it
    }

    fn flaw(&self, what: &'static str) -> Flaw {
        let what = if self.rest().is_empty() {
            "it ends too early"
        } else {
            what
        };
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default();
        Flaw::Broken {
            line,
            column: column.trim_start_matches('\u{feff}').chars().count() + 1,
            what,
        }
    }

    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), Flaw> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if blank > 0 {
                self.at += blank;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(self.flaw("a comment has no end"));
                };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Flaw> {
        if depth > MAX_DEPTH {
            return Err(self.flaw("it is nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some('{') => Kind::Object(self.parts('}', depth)?),
            Some('[') => Kind::Array(self.parts(']', depth)?),
            Some('"') => {
                self.string()?;
                Kind::Scalar
            }
            Some(_) | None => {
                self.word()?;
                Kind::Scalar
            }
        };
        Ok(Node {
            start,
            end: self.at,
            kind,
        })
    }

    fn parts(&mut self, close: char, depth: usize) -> Result<Vec<Part>, Flaw> {
        let mut parts = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.take(close) {
                return Ok(parts);
            }
            let start = self.at;
            let name = if close == '}' {
                let name = self.string()?;
                self.skip()?;
                if !self.take(':') {
                    return Err(self.flaw("expected a colon"));
                }
                self.skip()?;
                Some(name)
            } else {
                None
            };
            let value = self.value(depth + 1)?;
            self.skip()?;
            let comma = self.take(',').then(|| self.at - 1);
            let more = comma.is_some();
            parts.push(Part {
                start,
                name,
                value,
                comma,
            });
            if !more && self.peek() != Some(close) {
                return Err(self.flaw("expected a comma or the end of a list"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Flaw> {
        let rest = self.rest();
        if !rest.starts_with('"') {
            return Err(self.flaw("expected a name or a value in double quotes"));
        }
        let mut escaped = false;
        for (place, c) in rest.char_indices().skip(1) {
            match c {
                '"' if !escaped => {
                    let text = rest.get(..=place).unwrap_or_default();
                    let Ok(string) = serde_json::from_str(text) else {
                        return Err(self.flaw("a text is not written as JSON wants it"));
                    };
                    self.at += place + 1;
                    return Ok(string);
                }
                '\n' => break,
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Err(self.flaw("a text has no end"))
    }

    fn word(&mut self) -> Result<(), Flaw> {
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || ",:]}[{\"/".contains(c);
        let word = rest.split(is_end).next().unwrap_or_default();
        let is_value = serde_json::from_str::<Value>(word).is_ok();
        if !is_value {
            return Err(self.flaw("expected a value"));
        }
        self.at += word.len();
        Ok(())
    }
}
