//! How lines end. Inside this crate every line ends with a newline, the last one too; a file that has it otherwise is
//! read so, and written back with the ends it had, as far as they were all the same.

use std::borrow::Cow;

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// With a newline.
    Unix,
    /// With a carriage return and a newline, every one of them.
    Windows,
}

/// Makes every line end with a newline; `None` where that is so already.
pub(crate) fn unify(text: &str) -> Option<(String, LineEnds)> {
    let returns = text.contains('\r');
    let last = text.rsplit('\n').next().unwrap_or_default();
    // Blanks at the very end say nothing, but as a line of their own they would add one to a text that keeps its last
    // blank lines (`|+`).
    let ended = last.is_empty() || (last.trim().is_empty() && text.contains('+'));
    if !returns && ended {
        return None;
    }
    let mut unified = text.to_owned();
    let mut ends = LineEnds::Unix;
    if returns {
        // A return alone ends a line too, says YAML.
        unified = text.replace("\r\n", "\n").replace('\r', "\n");
        if with(&unified, LineEnds::Windows) == text {
            ends = LineEnds::Windows;
        }
    }
    if !ended && !unified.ends_with('\n') {
        unified.push('\n');
    }
    Some((unified, ends))
}

/// The text with lines that end like this.
pub(crate) fn with(text: &str, ends: LineEnds) -> Cow<'_, str> {
    match ends {
        LineEnds::Unix => text.into(),
        LineEnds::Windows => text.replace('\n', "\r\n").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_ends_with_a_newline() {
        let check = |text: &str, unified: &str, ends: LineEnds| {
            assert_eq!(
                unify(text),
                Some((unified.to_owned(), ends)),
                "{text:?} is unified"
            );
        };
        assert_eq!(unify("a\nb\n"), None);
        assert_eq!(unify(""), None);
        check("a\nb", "a\nb\n", LineEnds::Unix);
        check("a\r\nb\r\n", "a\nb\n", LineEnds::Windows);
        check("a\r\nb", "a\nb\n", LineEnds::Windows);
        check("a\r\nb\n", "a\nb\n", LineEnds::Unix);
        check("a\rb\n", "a\nb\n", LineEnds::Unix);
        assert_eq!(with("a\nb\n", LineEnds::Windows), "a\r\nb\r\n");
    }
}
