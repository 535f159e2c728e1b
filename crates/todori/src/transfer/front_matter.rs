//! The front matter of a Markdown file: the YAML between two lines of `---` at its top.
//!
//! Reads it with the YAML reader that `todori-store` has for boards. The road that was rejected is a reader of our own:
//! it knew only the part of YAML that such programs usually write, and lost what stood deeper. People write front matter
//! by hand, though, so what is no YAML (`title: fix: this`, `assignee: @me`) is kept as the words that stand there:
//! nothing here fails.

use todori_store::{YamlNode, YamlValue, read_yaml};

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
pub(super) struct FrontMatter(Vec<(String, Vec<String>)>);

impl FrontMatter {
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

/// Reads a head: all of it as YAML, or else each name by itself, so that one bad line does not spoil the others.
pub(super) fn read(head: &str) -> FrontMatter {
    if let Ok(root) = read_yaml(head) {
        return FrontMatter(root.map(entries).unwrap_or_default());
    }
    let mut all = Vec::new();
    for part in parts(head) {
        match read_yaml(&part) {
            Ok(root) => all.extend(root.map(entries).unwrap_or_default()),
            Err(_) => all.extend(as_words(&part)),
        }
    }
    FrontMatter(all)
}

/// The names and values of a mapping; none of anything else.
fn entries(root: YamlNode) -> Vec<(String, Vec<String>)> {
    match root.value {
        YamlValue::Map(entries) => entries
            .into_iter()
            .map(|(name, value)| (name, values(value)))
            .collect(),
        YamlValue::Null | YamlValue::Text(_) | YamlValue::List(_) => Vec::new(),
    }
}

/// A value as a flat list of texts, without those that are empty.
fn values(node: YamlNode) -> Vec<String> {
    let texts: Vec<String> = match node.value {
        YamlValue::Null => Vec::new(),
        YamlValue::Text(text) => vec![text.trim().to_owned()],
        YamlValue::List(items) => items
            .into_iter()
            .map(|item| values(item).join(", "))
            .collect(),
        YamlValue::Map(entries) => entries
            .into_iter()
            .map(|(name, value)| format!("{name}: {}", values(value).join(", ")))
            .collect(),
    };
    texts.into_iter().filter(|text| !text.is_empty()).collect()
}

/// Splits a head where names begin: what belongs to a name is indented, or a list at the same depth.
fn parts(head: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in head.lines() {
        let goes_on = line.is_empty() || line.starts_with([' ', '\t', '-', '#']);
        match parts.last_mut() {
            Some(part) if goes_on => *part += &format!("\n{line}"),
            Some(_) | None => parts.push(line.to_owned()),
        }
    }
    parts
}

/// A name, and whatever stands behind its colon, without quotes around it or a comment behind it.
fn as_words(part: &str) -> Option<(String, Vec<String>)> {
    let (name, value) = part.split_once(':')?;
    let words: Vec<&str> = value.split_whitespace().collect();
    let words = words.join(" ");
    let quotes = ['\'', '"'];
    let value = if words.starts_with(quotes) {
        words.trim_matches(quotes)
    } else {
        words.split(" #").next().unwrap_or_default()
    };
    Some((name.trim().to_owned(), vec![value.to_owned()]))
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
    fn what_stands_deeper_is_kept() {
        check(
            "links:\n  - url: x\n    title: y\nmeta:\n  a: 1\n  b: [2, 3]",
            &[
                ("links", &["url: x, title: y"]),
                ("meta", &["a: 1", "b: 2, 3"]),
            ],
        );
    }

    #[test]
    fn what_is_no_yaml_is_kept_as_words_and_spoils_nothing_else() {
        check(
            "id: T-1\ntitle: fix: this # soon\nassignee: @me\nlabels:\n- a\n- b\nid: T-2",
            &[
                ("id", &["T-1"]),
                ("title", &["fix: this"]),
                ("assignee", &["@me"]),
                ("labels", &["a", "b"]),
                ("id", &["T-2"]),
            ],
        );
        check(
            "title: 'no end\nlabels: [a",
            &[("title", &["no end"]), ("labels", &["[a"])],
        );
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
