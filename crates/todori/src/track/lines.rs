//! Splits bytes into lines in bounded memory: a line that is too long is skipped, not buffered.

/// The longest line that is read. Results that contain images take a few megabytes.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Buffers bytes until a line is complete.
#[derive(Debug)]
pub(crate) struct Lines {
    buffer: Vec<u8>,
    max_bytes: usize,
    skipping: bool,
}

/// What the bytes were split into.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A line without its line break.
    Line(&'a [u8]),
    /// A line that was too long; it has just ended.
    TooLong,
}

impl Lines {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            buffer: Vec::new(),
            max_bytes,
            skipping: false,
        }
    }

    /// Adds bytes, and calls `on_piece` for each line that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8], mut on_piece: impl FnMut(Piece<'_>)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match part.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (part, false),
            };
            if self.skipping || self.buffer.len() + text.len() > self.max_bytes {
                self.skipping = true;
                self.buffer = Vec::new();
            } else {
                self.buffer.extend_from_slice(text);
            }
            if ended {
                if self.skipping {
                    on_piece(Piece::TooLong);
                } else {
                    on_piece(Piece::Line(&self.buffer));
                }
                self.skipping = false;
                self.buffer.clear();
            }
        }
    }

    /// What is left at the end of the input: the last line, if it has no line break.
    pub(crate) fn rest(&self) -> Option<Piece<'_>> {
        if self.skipping {
            return Some(Piece::TooLong);
        }
        (!self.buffer.is_empty()).then_some(Piece::Line(&self.buffer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], expected: &str) {
        let mut lines = Lines::new(5);
        let mut told = String::new();
        let tell = |piece: &Piece<'_>| match piece {
            Piece::Line(line) => format!("[{}]", String::from_utf8_lossy(line)),
            Piece::TooLong => "long".to_owned(),
        };
        for piece in pieces {
            lines.push(piece.as_bytes(), |piece| told += &tell(&piece));
        }
        told += " rest ";
        told += &lines.rest().map(|rest| tell(&rest)).unwrap_or_default();
        assert_eq!(told, expected);
    }

    #[test]
    fn lines_come_out_whole_however_the_bytes_come_in() {
        check(&["a\nb\n"], "[a][b] rest ");
        check(&["a", "b", "\n", "\nc"], "[ab][] rest [c]");
        check(&["12345\n"], "[12345] rest ");
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_is_whole() {
        check(&["123456\nok\n"], "long[ok] rest ");
        check(&["123", "456", "789\nok"], "long rest [ok]");
        check(&["1234567"], " rest long");
    }
}
