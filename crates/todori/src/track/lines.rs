//! Bytes to lines, in bounded memory: a line that is too long is left out, not kept.

/// The longest line that is looked at. Results with pictures in them take a few megabytes.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Collects bytes until a line is whole.
#[derive(Debug)]
pub(crate) struct Lines {
    begun: Vec<u8>,
    most: usize,
    skipping: bool,
}

/// What comes out of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A line without its end.
    Line(&'a [u8]),
    /// The end of a line that was too long.
    TooLong,
}

impl Lines {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            begun: Vec::new(),
            most,
            skipping: false,
        }
    }

    /// Takes bytes in, and tells of each line that is whole now.
    pub(crate) fn push(&mut self, bytes: &[u8], mut tell: impl FnMut(Piece<'_>)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match part.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (part, false),
            };
            if self.skipping || self.begun.len() + text.len() > self.most {
                self.skipping = true;
                self.begun = Vec::new();
            } else {
                self.begun.extend_from_slice(text);
            }
            if ended {
                if self.skipping {
                    tell(Piece::TooLong);
                } else {
                    tell(Piece::Line(&self.begun));
                }
                self.skipping = false;
                self.begun.clear();
            }
        }
    }

    /// What is left when nothing more comes: the last line, if it has no end.
    pub(crate) fn rest(&self) -> Option<Piece<'_>> {
        if self.skipping {
            return Some(Piece::TooLong);
        }
        (!self.begun.is_empty()).then_some(Piece::Line(&self.begun))
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
