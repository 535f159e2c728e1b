//! The head of a Markdown file: the small part of YAML that note-taking programs write there. Names with one value or a
//! list of them, quoted or not, folded or not; no more.

/// The head and the rest of a text that has a head.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n")?;
    if let Some(body) = rest.strip_prefix("---\n") {
        return Some(("", body));
    }
    let end = rest.find("\n---\n").or_else(|| {
        let end = rest.len().checked_sub(4)?;
        (rest.get(end..)? == "\n---").then_some(end)
    })?;
    let head = rest.get(..end)?;
    Some((head, rest.get(end + 5..).unwrap_or_default()))
}

/// The names and values of a head, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Front(Vec<(String, Vec<String>)>);

impl Front {
    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// Takes all values of a name.
    pub(super) fn take(&mut self, name: &str) -> Vec<String> {
        let place = self.0.iter().position(|(own, _)| own == name);
        place
            .map(|place| self.0.remove(place).1)
            .unwrap_or_default()
    }

    /// Takes the value of a name; several are joined.
    pub(super) fn text(&mut self, name: &str) -> String {
        self.take(name).join(", ")
    }

    /// What was not taken.
    pub(super) fn rest(self) -> Vec<(String, Vec<String>)> {
        self.0
    }
}

/// Reads a head. What is not understood is kept as words: nothing here fails.
pub(super) fn read(head: &str) -> Front {
    let mut front = Front::default();
    let mut lines = head.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if line.starts_with([' ', '#', '-']) {
            continue;
        }
        // What belongs to the name is indented, or a list at the same depth.
        let mut below = Vec::new();
        while let Some(next) = lines.next_if(|next| {
            next.starts_with([' ', '\t'])
                || next.starts_with("- ")
                || next.is_empty()
                || *next == "-"
        }) {
            below.push(next);
        }
        front
            .0
            .push((unquote(name.trim()), values(value.trim(), &below)));
    }
    front
}

fn values(value: &str, below: &[&str]) -> Vec<String> {
    if value.starts_with(['>', '|']) && value.len() <= 3 {
        let joint = if value.starts_with('>') { " " } else { "\n" };
        return one(joined(below, joint));
    }
    let whole = if value.is_empty() {
        String::new()
    } else {
        // A value that goes on in the next lines.
        let rest = joined(below, " ");
        format!("{value} {rest}").trim_end().to_owned()
    };
    if let Some(inner) = whole.strip_prefix('[') {
        let inner = inner.rsplit_once(']').map_or(inner, |(inner, _)| inner);
        return flow(inner);
    }
    if value.is_empty() {
        let items = below.iter().map(|line| line.trim());
        let is_list = items.clone().any(|line| line.starts_with('-'));
        if is_list {
            let items = items.filter_map(|line| line.strip_prefix('-'));
            return items
                .map(|item| unquote(item.trim()))
                .filter(|item| !item.is_empty())
                .collect();
        }
        return one(joined(below, " "));
    }
    one(unquote(&whole))
}

fn one(text: String) -> Vec<String> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![text]
    }
}

fn joined(lines: &[&str], joint: &str) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(joint).trim().to_owned()
}

/// Splits `a, "b, c", d`.
fn flow(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (None, ',') => {
                items.push(String::new());
                continue;
            }
            (None, '\'' | '"') if items.last().is_some_and(|item| item.trim().is_empty()) => {
                quote = Some(c);
            }
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        if let Some(item) = items.last_mut() {
            item.push(c);
        }
    }
    items
        .iter()
        .map(|item| unquote(item.trim()))
        .filter(|item| !item.is_empty())
        .collect()
}

/// A value without its quotes; of one that has none, without its comment.
fn unquote(text: &str) -> String {
    let quoted = |quote: char| {
        let inner = text.strip_prefix(quote)?;
        inner.rsplit_once(quote).map(|(inner, _)| inner)
    };
    if let Some(inner) = quoted('\'') {
        return inner.replace("''", "'");
    }
    if let Some(inner) = quoted('"') {
        // JSON knows the escapes that are in use.
        let read: Result<String, _> = serde_json::from_str(&format!("\"{inner}\""));
        return read.unwrap_or_else(|_| inner.to_owned());
    }
    let plain = text.split(" #").next().unwrap_or_default().trim();
    if matches!(plain, "null" | "~") {
        String::new()
    } else {
        plain.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, expected: &[(&str, &[&str])]) {
        let found: Vec<(String, Vec<String>)> = read(head).rest();
        let expected: Vec<(String, Vec<String>)> = expected
            .iter()
            .map(|(name, values)| {
                (
                    (*name).to_owned(),
                    values.iter().map(|value| (*value).to_owned()).collect(),
                )
            })
            .collect();
        assert_eq!(found, expected, "{head}");
    }

    #[test]
    fn values_are_read_as_such_programs_write_them() {
        check(
            "id: BACK-1\nlabels: []\npriority: high # urgent",
            &[
                ("id", &["BACK-1"]),
                ("labels", &[]),
                ("priority", &["high"]),
            ],
        );
        check(
            "assignee:\n  - '@codex'\n  - bob\nx: y",
            &[("assignee", &["@codex", "bob"]), ("x", &["y"])],
        );
        check("labels:\n- a\n- \"b: c\"", &[("labels", &["a", "b: c"])]);
        check(
            "labels: [a, 'b, c', \"d\"]",
            &[("labels", &["a", "b, c", "d"])],
        );
        check(
            "title: 'It''s: here'\nb: \"a \\\"q\\\" \\u00e9\"",
            &[("title", &["It's: here"]), ("b", &["a \"q\" é"])],
        );
        check(
            "title: >-\n  A long\n  title\nb: |\n  one\n  two",
            &[("title", &["A long title"]), ("b", &["one\ntwo"])],
        );
        check(
            "title: plain that\n  goes on",
            &[("title", &["plain that goes on"])],
        );
        check(
            "title: 'fix #12' # why\nb: a:b\nnone: null\nempty:",
            &[
                ("title", &["fix #12"]),
                ("b", &["a:b"]),
                ("none", &[]),
                ("empty", &[]),
            ],
        );
        check("# a comment\nwords without sense\n", &[]);
    }

    #[test]
    fn a_head_ends_at_its_line() {
        assert_eq!(split("---\na: b\n---\n\ntext"), Some(("a: b", "\ntext")));
        assert_eq!(split("---\na: b\n---"), Some(("a: b", "")));
        assert_eq!(split("---\n---\nx"), Some(("", "x")));
        assert_eq!(split("--- \na"), None);
        assert_eq!(split("---\na: b\n"), None);
    }
}
