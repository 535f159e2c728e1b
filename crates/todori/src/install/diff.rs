//! Which lines of two texts differ, for people to look at before they say yes.
//!
//! Wraps `similar`, which finds them. Ours is only how a line is shown that is too long: some settings files are one
//! line, and all of it would be printed.

use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};

/// How many lines around a change are shown.
const AROUND: usize = 2;
/// A longer line is shown around its change only.
const LONG: usize = 200;

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DiffLine {
    Same(String),
    Old(String),
    New(String),
    /// Some lines are left out.
    Gap,
}

/// The lines in which two texts differ, with a few around each change.
pub(crate) fn diff_lines(before: &str, after: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let operations = capture_diff_slices(Algorithm::Myers, &old, &new);
    let mut shown = Vec::new();
    for group in group_diff_ops(operations, AROUND) {
        if group
            .iter()
            .all(|operation| operation.tag() == DiffTag::Equal)
        {
            continue;
        }
        if !shown.is_empty() {
            shown.push(DiffLine::Gap);
        }
        for operation in group {
            let gone = old.get(operation.old_range()).unwrap_or_default();
            let come = new.get(operation.new_range()).unwrap_or_default();
            match (operation.tag(), gone, come) {
                (DiffTag::Equal, same, _) => {
                    shown.extend(same.iter().map(|line| DiffLine::Same(start_of(line))));
                }
                (DiffTag::Replace, [gone], [come]) => {
                    let (gone, come) = around_difference(gone, come);
                    shown.extend([DiffLine::Old(gone), DiffLine::New(come)]);
                }
                (DiffTag::Delete | DiffTag::Insert | DiffTag::Replace, _, _) => {
                    shown.extend(gone.iter().map(|line| DiffLine::Old(start_of(line))));
                    shown.extend(come.iter().map(|line| DiffLine::New(start_of(line))));
                }
            }
        }
    }
    shown
}

fn start_of(line: &str) -> String {
    line.chars().take(LONG).collect()
}

/// Two lines; where they are long, each around what differs.
fn around_difference(one: &str, other: &str) -> (String, String) {
    if one.len().max(other.len()) <= LONG {
        return (one.to_owned(), other.to_owned());
    }
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let most = a.len().min(b.len()) - head;
    let tail = a.iter().rev().zip(b.iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count().min(most);
    let start = head.saturating_sub(20);
    let shown = |text: &[char]| {
        let end = (text.len() - tail + 20).min(text.len());
        let middle: String = text.iter().take(end).skip(start).collect();
        let before = if start > 0 { "..." } else { "" };
        let after = if end < text.len() { "..." } else { "" };
        format!("{before}{middle}{after}")
    };
    (shown(&a), shown(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        let shown: Vec<String> = diff_lines(before, after)
            .into_iter()
            .map(|line| match line {
                DiffLine::Same(text) => format!(" {text}"),
                DiffLine::Old(text) => format!("-{text}"),
                DiffLine::New(text) => format!("+{text}"),
                DiffLine::Gap => "~".to_owned(),
            })
            .collect();
        assert_eq!(shown.join("|"), expected);
    }

    #[test]
    fn only_what_differs_is_shown_with_a_little_around_it() {
        check("", "a\nb\n", "+a|+b");
        check("a\nb\n", "", "-a|-b");
        check(
            "1\n2\n3\n4\n5\n6\n",
            "1\n2\n3\nx\n4\n5\n6\n",
            " 2| 3|+x| 4| 5",
        );
        check(
            "a\n1\n2\n3\n4\n5\n6\nz\n",
            "b\n1\n2\n3\n4\n5\n6\ny\n",
            "-a|+b| 1| 2|~| 5| 6|-z|+y",
        );
        check("same\n", "same\n", "");
    }

    #[test]
    fn a_long_line_is_shown_around_its_change_only() {
        let long = "s".repeat(300);
        let (before, after) = (format!("{{{long}}}"), format!("{{{long}, new{long}}}"));
        let twenty = "s".repeat(20);
        check(
            &before,
            &after,
            &format!("-...{twenty}}}|+...{twenty}, new{long}}}"),
        );
    }
}
