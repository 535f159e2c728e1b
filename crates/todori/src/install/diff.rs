//! The difference of two texts in lines, for people to look at before they say yes.

/// How many lines around a change are shown.
const AROUND: usize = 2;
/// Longer texts are not compared line by line in the middle.
const MAX_CELLS: usize = 4_000_000;
/// A longer line is shown around its change only.
const LONG: usize = 200;

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    Same(String),
    Old(String),
    New(String),
    /// Some lines are left out.
    Gap,
}

/// The difference of two texts, with a few lines around each change.
pub(crate) fn lines(before: &str, after: &str) -> Vec<Line> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (from(&old, head), from(&new, head));
    let tail = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let old_middle = old_rest.get(..old_rest.len() - tail).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - tail).unwrap_or_default();
    let mut all: Vec<Line> = Vec::new();
    all.extend(old.iter().take(head).map(|line| same(line)));
    if let ([one], [other]) = (old_middle, new_middle) {
        let (one, other) = shortened(one, other);
        all.extend([Line::Old(one), Line::New(other)]);
    } else {
        all.extend(compare(old_middle, new_middle));
    }
    let end = old_rest.iter().skip(old_rest.len() - tail);
    all.extend(end.map(|line| same(line)));
    around(all)
}

fn from<'a, 'b>(lines: &'a [&'b str], start: usize) -> &'a [&'b str] {
    lines.get(start..).unwrap_or_default()
}

fn same(line: &str) -> Line {
    Line::Same(line.chars().take(LONG).collect())
}

/// Two long lines, each around what differs: a file without line ends would show everything in it.
fn shortened(one: &str, other: &str) -> (String, String) {
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

/// The longest common sequence, the textbook way: these texts are short.
fn compare(old: &[&str], new: &[&str]) -> Vec<Line> {
    let gone = |line: &&str| Line::Old((*line).chars().take(LONG).collect());
    let come = |line: &&str| Line::New((*line).chars().take(LONG).collect());
    if old.len().saturating_mul(new.len()) > MAX_CELLS {
        let lines = old.iter().map(gone);
        return lines.chain(new.iter().map(come)).collect();
    }
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let at = |lengths: &[u32], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let best = if a == b {
                at(&lengths, i + 1, j + 1) + 1
            } else {
                at(&lengths, i + 1, j).max(at(&lengths, i, j + 1))
            };
            if let Some(cell) = lengths.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (old.get(i), new.get(j)) {
            (None, None) => return lines,
            (Some(a), Some(b)) if a == b => {
                lines.push(same(a));
                i += 1;
                j += 1;
            }
            (Some(a), b) if b.is_none() || at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) => {
                lines.push(gone(a));
                i += 1;
            }
            (_, Some(b)) => {
                lines.push(come(b));
                j += 1;
            }
            (Some(_), None) => i += 1,
        }
    }
}

/// Leaves out what is far from any change.
fn around(all: Vec<Line>) -> Vec<Line> {
    let changed: Vec<usize> = (0..)
        .zip(&all)
        .filter(|(_, line)| !matches!(line, Line::Same(_)))
        .map(|(place, _)| place)
        .collect();
    let near = |place: usize| {
        changed
            .iter()
            .any(|&change| place.abs_diff(change) <= AROUND)
    };
    let mut shown = Vec::new();
    for (place, line) in all.into_iter().enumerate() {
        if near(place) {
            shown.push(line);
        } else if !shown.is_empty() && shown.last() != Some(&Line::Gap) {
            shown.push(Line::Gap);
        }
    }
    if shown.last() == Some(&Line::Gap) {
        shown.pop();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        let told: Vec<String> = lines(before, after)
            .into_iter()
            .map(|line| match line {
                Line::Same(text) => format!(" {text}"),
                Line::Old(text) => format!("-{text}"),
                Line::New(text) => format!("+{text}"),
                Line::Gap => "~".to_owned(),
            })
            .collect();
        assert_eq!(told.join("|"), expected);
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
