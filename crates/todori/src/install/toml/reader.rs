//! Reads TOML as far as it takes to know what stands where, and that it can be read at all.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Deeper than this is no settings file.
const MAX_DEPTH: usize = 100;

/// Why a file can't be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// It does not parse.
    Broken {
        line: usize,
        column: usize,
        what: &'static str,
    },
    /// A name stands twice in the same place.
    Twice(String),
    /// A table is written as one value, to which nothing can be added from outside.
    Inline(String),
}

/// A header, or a name with its value.
#[derive(Debug)]
pub(super) struct Statement {
    /// Where it leads from the root.
    pub(super) path: Vec<String>,
    /// The table in which it stands; its own path for a header.
    pub(super) table: Vec<String>,
    /// None for a header.
    pub(super) value: Option<Value>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Reads all statements.
pub(super) fn read(text: &str) -> Result<Vec<Statement>, Flaw> {
    let mut reader = Reader { text, at: 0 };
    reader.take("\u{feff}");
    let mut statements: Vec<Statement> = Vec::new();
    let mut known = BTreeSet::new();
    let mut table: Vec<String> = Vec::new();
    // Each element of a list of tables has names of its own.
    let mut element = 0;
    loop {
        reader.skip_lines();
        let start = reader.at;
        if reader.rest().is_empty() {
            return Ok(statements);
        }
        let (path, value) = if reader.take("[") {
            let list = reader.take("[");
            let path = reader.path()?;
            if !reader.take(if list { "]]" } else { "]" }) {
                return Err(reader.flaw("a header has no end"));
            }
            table.clone_from(&path);
            if list {
                element += 1;
            } else if !known.insert((0, true, path.clone())) {
                return Err(Flaw::Twice(path.join(".")));
            }
            (path, None)
        } else {
            let mut path = table.clone();
            path.extend(reader.path()?);
            if !reader.take("=") {
                return Err(reader.flaw("expected an equals sign"));
            }
            reader.skip_blanks();
            let value = reader.value(0)?;
            if !known.insert((element, false, path.clone())) {
                return Err(Flaw::Twice(path.join(".")));
            }
            (path, Some(value))
        };
        let end = reader.at;
        reader.end_line()?;
        statements.push(Statement {
            path,
            table: table.clone(),
            value,
            start,
            end,
        });
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, wanted: &str) -> bool {
        let is_it = self.rest().starts_with(wanted);
        if is_it {
            self.at += wanted.len();
        }
        is_it
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn flaw(&self, what: &'static str) -> Flaw {
        let before = self.text.get(..self.at).unwrap_or_default();
        let column = before.rsplit('\n').next().unwrap_or_default();
        Flaw::Broken {
            line: before.matches('\n').count() + 1,
            column: column.trim_start_matches('\u{feff}').chars().count() + 1,
            what,
        }
    }

    fn skip_blanks(&mut self) {
        self.take_while(|c| matches!(c, ' ' | '\t'));
    }

    /// Skips blanks, ends of lines and comments.
    fn skip_lines(&mut self) {
        loop {
            self.take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
            if !self.rest().starts_with('#') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn end_line(&mut self) -> Result<(), Flaw> {
        self.skip_blanks();
        if self.rest().starts_with('#') {
            self.take_while(|c| c != '\n');
        }
        let rest = self.rest();
        if rest.is_empty() || self.take("\n") || self.take("\r\n") {
            return Ok(());
        }
        Err(self.flaw("something stands behind the end of a value"))
    }

    /// Names with dots between them.
    fn path(&mut self) -> Result<Vec<String>, Flaw> {
        let mut path = Vec::new();
        loop {
            self.skip_blanks();
            let name = match self.rest().chars().next() {
                Some('"') => self.basic()?,
                Some('\'') => self.literal()?,
                Some(_) | None => {
                    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                    self.take_while(is_bare).to_owned()
                }
            };
            let quoted = self.text.get(..self.at).unwrap_or_default();
            if name.is_empty() && !quoted.ends_with(['"', '\'']) {
                return Err(self.flaw("expected a name"));
            }
            path.push(name);
            self.skip_blanks();
            if !self.take(".") {
                return Ok(path);
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Flaw> {
        if depth > MAX_DEPTH {
            return Err(self.flaw("it is nested too deeply"));
        }
        let rest = self.rest();
        if rest.starts_with("\"\"\"") || rest.starts_with("'''") {
            return self.long().map(Value::from);
        }
        match rest.chars().next() {
            Some('"') => self.basic().map(Value::from),
            Some('\'') => self.literal().map(Value::from),
            Some('[') => self.list(depth),
            Some('{') => self.table(depth),
            Some(_) | None => self.word(),
        }
    }

    /// A text in double quotes, on one line.
    fn basic(&mut self) -> Result<String, Flaw> {
        let rest = self.rest();
        let mut escaped = false;
        for (place, c) in rest.char_indices().skip(1) {
            match c {
                '"' if !escaped => {
                    let inner = rest.get(1..place).unwrap_or_default();
                    self.at += place + 1;
                    return Ok(unescaped(inner));
                }
                '\n' => break,
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Err(self.flaw("a text has no end"))
    }

    /// A text in single quotes, on one line.
    fn literal(&mut self) -> Result<String, Flaw> {
        let inner = self.rest().get(1..).unwrap_or_default();
        match inner.find(['\'', '\n']) {
            Some(end) if inner.get(end..).is_some_and(|rest| rest.starts_with('\'')) => {
                self.at += end + 2;
                Ok(inner.get(..end).unwrap_or_default().to_owned())
            }
            Some(_) | None => Err(self.flaw("a text has no end")),
        }
    }

    /// A text over several lines.
    fn long(&mut self) -> Result<String, Flaw> {
        let rest = self.rest();
        let quote = rest.get(..3).unwrap_or_default();
        let mut place = 3;
        loop {
            let inner = rest.get(place..).unwrap_or_default();
            if inner.is_empty() {
                return Err(self.flaw("a text has no end"));
            }
            if inner.starts_with(quote) {
                break;
            }
            let skip = if quote == "\"\"\"" && inner.starts_with('\\') {
                2
            } else {
                1
            };
            place += inner.chars().take(skip).map(char::len_utf8).sum::<usize>();
        }
        // Up to two quotes more may belong to the text.
        let mark = quote.get(..1).unwrap_or_default();
        let mut end = place + 3;
        while end < place + 5 && rest.get(end..).is_some_and(|rest| rest.starts_with(mark)) {
            end += 1;
        }
        self.at += end;
        Ok(rest.get(3..end - 3).unwrap_or_default().to_owned())
    }

    fn list(&mut self, depth: usize) -> Result<Value, Flaw> {
        let mut list = Vec::new();
        self.take("[");
        loop {
            self.skip_lines();
            if self.take("]") {
                return Ok(Value::Array(list));
            }
            list.push(self.value(depth + 1)?);
            self.skip_lines();
            if !self.take(",") && !self.rest().starts_with(']') {
                return Err(self.flaw("expected a comma or the end of a list"));
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<Value, Flaw> {
        let mut table = Value::Object(Map::new());
        self.take("{");
        loop {
            self.skip_lines();
            if self.take("}") {
                return Ok(table);
            }
            let path = self.path()?;
            if !self.take("=") {
                return Err(self.flaw("expected an equals sign"));
            }
            self.skip_blanks();
            let value = self.value(depth + 1)?;
            super::put(&mut table, &path, value);
            self.skip_lines();
            if !self.take(",") && !self.rest().starts_with('}') {
                return Err(self.flaw("expected a comma or the end of a table"));
            }
        }
    }

    /// A number, a date, `true` or `false`.
    fn word(&mut self) -> Result<Value, Flaw> {
        let start = self.at;
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-_.:".contains(c);
        let word = self.take_while(is_part);
        let is_date = word.len() == 10 && word.matches('-').count() == 2;
        let time = self.rest().get(1..2).unwrap_or_default();
        if is_date && self.rest().starts_with(' ') && time.starts_with(|c: char| c.is_ascii_digit())
        {
            self.take(" ");
            self.take_while(is_part);
        }
        let number = word.trim_start_matches(['+', '-']);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        match word {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ if is_number || matches!(number, "inf" | "nan") => Ok(Value::from(
                self.text.get(start..self.at).unwrap_or_default(),
            )),
            _ => {
                self.at = start;
                Err(self.flaw("expected a value"))
            }
        }
    }
}

/// A text without its escapes; where one is strange, as it was written.
fn unescaped(text: &str) -> String {
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| text.to_owned())
}
