//! Line endings. Inside this crate every line ends with a newline, the last one too. A file with other line endings is
//! converted when it is read, and written back with its own, provided that they were all the same.

use std::borrow::Cow;

/// The line endings of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// A newline.
    Unix,
    /// A carriage return and a newline, on every line.
    Windows,
}

/// Makes every line end with a newline; `None` if that is so already.
pub(crate) fn normalize(text: &str) -> Option<(String, LineEnds)> {
    let returns = text.contains('\r');
    let last = text.rsplit('\n').next().unwrap_or_default();
    // Spaces at the very end mean nothing, but as a line of their own they would add one to a block scalar that keeps its
    // last blank lines (`|+`).
    let ended = last.is_empty() || (last.trim().is_empty() && text.contains('+'));
    if !returns && ended {
        return None;
    }
    let mut normalized = text.to_owned();
    let mut ends = LineEnds::Unix;
    if returns {
        // In YAML, a carriage return alone ends a line too.
        normalized = text.replace("\r\n", "\n").replace('\r', "\n");
        if with(&normalized, LineEnds::Windows) == text {
            ends = LineEnds::Windows;
        }
    }
    if !ended && !normalized.ends_with('\n') {
        normalized.push('\n');
    }
    Some((normalized, ends))
}

/// The text with these line endings.
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
        let check = |text: &str, normalized: &str, ends: LineEnds| {
            assert_eq!(
                normalize(text),
                Some((normalized.to_owned(), ends)),
                "{text:?} is normalized"
            );
        };
        assert_eq!(normalize("a\nb\n"), None);
        assert_eq!(normalize(""), None);
        check("a\nb", "a\nb\n", LineEnds::Unix);
        check("a\r\nb\r\n", "a\nb\n", LineEnds::Windows);
        check("a\r\nb", "a\nb\n", LineEnds::Windows);
        check("a\r\nb\n", "a\nb\n", LineEnds::Unix);
        check("a\rb\n", "a\nb\n", LineEnds::Unix);
        assert_eq!(with("a\nb\n", LineEnds::Windows), "a\r\nb\r\n");
    }
}
