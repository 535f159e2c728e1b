//! The lines of a text: where they begin, and moving them to another indentation.

#[cfg(test)]
thread_local! {
    /// How many bytes were searched for the ends of lines on this thread: searching a long line again and again shows.
    pub(crate) static SEARCHED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Notes how much was searched, for tests.
fn searched(bytes: usize) {
    #[cfg(test)]
    SEARCHED.set(SEARCHED.get() + bytes);
    let _ = bytes;
}

/// Where the line of this byte begins.
pub(crate) fn start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    searched(at - start.min(at));
    start
}

/// Where the line after the line of this byte begins.
pub(crate) fn next(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let next = rest
        .find('\n')
        .map_or(text.len(), |newline| at + newline + 1);
    searched(next - at.min(next));
    next
}

/// Where the first line below a value begins. A block scalar ends where the next line begins, or within the indentation
/// of that line; any other value ends within its last line.
pub(crate) fn below(text: &str, end: usize) -> usize {
    let start = start(text, end);
    let before = text.get(start..end).unwrap_or_default();
    if before.trim_start_matches(' ').is_empty() {
        start
    } else {
        next(text, end)
    }
}

/// Whether all lines are blank or comments.
pub(crate) fn are_blank_or_comments(text: &str) -> bool {
    searched(text.len());
    text.lines().all(|line| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with('#')
    })
}

/// Moves lines from one indentation to another and changes nothing else: spaces beyond the indentation may be part of a
/// text, even on a line of spaces only.
pub(crate) fn reindent(text: &str, from: usize, to: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    text.split_inclusive('\n')
        .for_each(|line| push_moved(&mut out, line, from, to));
    out
}

/// The same for lines of which the first is given without its indentation.
pub(crate) fn reindent_first(text: &str, from: usize, to: usize) -> String {
    let mut out = " ".repeat(to);
    let (first, rest) = text.split_at(next(text, 0));
    out.push_str(first);
    out.push_str(&reindent(rest, from, to));
    out
}

fn push_moved(out: &mut String, line: &str, from: usize, to: usize) {
    let content = line.trim_start_matches(' ');
    let blanks = line.len() - content.len();
    let moved = (blanks + to).saturating_sub(from);
    let moved = if content.trim().is_empty() {
        // Spaces that do not reach beyond the key mean nothing, so none are added.
        if blanks > from {
            moved
        } else {
            moved.min(blanks)
        }
    } else if content.starts_with('#') {
        moved.max(1)
    } else if blanks < from {
        // A line may begin left of its key only within brackets and quotes, where any indentation will do.
        to + 1
    } else {
        moved
    };
    out.extend(std::iter::repeat_n(' ', moved));
    out.push_str(content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_moved_with_all_their_blanks() {
        let check = |text: &str, from, to, expected: &str| {
            assert_eq!(reindent(text, from, to), expected, "{text:?}");
        };
        check("    a\n      b\n", 4, 2, "  a\n    b\n");
        check("  a\n       \n\n", 2, 4, "    a\n         \n\n");
        check("      \n", 4, 2, "    \n");
        check(" \n", 4, 2, "\n");
        assert_eq!(
            reindent_first("a: |\n      b\n       \n", 4, 4),
            "    a: |\n      b\n       \n"
        );
    }
}
