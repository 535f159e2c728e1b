//! How to get from the bytes of a file back to those that it replaced: one piece of them, and where it belongs. Two files
//! that follow each other differ in a task or two, so that this is small where a copy would be as large as the board.

use super::blocks::{common_prefix, common_suffix};

/// The piece in which two files differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WayBack {
    /// Names the newer file.
    from: String,
    start: usize,
    /// How many bytes the newer one has there.
    length: usize,
    /// What the older one has there.
    bytes: Vec<u8>,
}

impl WayBack {
    /// Compares the older file with the newer one, which comes in pieces and is named `from`.
    pub(crate) fn new(from: String, older: &[u8], newer: &[&[u8]]) -> Self {
        let mut start = 0;
        for piece in newer {
            let rest = older.get(start..).unwrap_or_default();
            let same = if is_same_memory(rest.get(..piece.len()), piece) {
                piece.len()
            } else {
                common_prefix(rest, piece)
            };
            start += same;
            if same < piece.len() {
                break;
            }
        }
        let size: usize = newer.iter().map(|piece| piece.len()).sum();
        let most = older.len().min(size) - start;
        let mut same_after = 0;
        for piece in newer.iter().rev() {
            let rest = older.get(..older.len() - same_after).unwrap_or_default();
            let end = rest.len().checked_sub(piece.len());
            let same = if is_same_memory(end.and_then(|end| rest.get(end..)), piece) {
                piece.len()
            } else {
                common_suffix(rest, piece)
            };
            same_after += same;
            if same < piece.len() || same_after >= most {
                break;
            }
        }
        let same_after = same_after.min(most);
        let bytes = older.get(start..older.len() - same_after);
        Self {
            from,
            start,
            length: size - start - same_after,
            bytes: bytes.unwrap_or_default().to_vec(),
        }
    }

    /// The name of the newer file.
    pub(crate) fn from(&self) -> &str {
        &self.from
    }

    /// The older file, from the newer one.
    pub(crate) fn walk(&self, newer: &[u8]) -> Option<Vec<u8>> {
        let before = newer.get(..self.start)?;
        let after = newer.get(self.start + self.length..)?;
        Some([before, &self.bytes, after].concat())
    }

    /// A line, and the bytes.
    pub(crate) fn write(&self) -> Vec<u8> {
        let Self {
            from,
            start,
            length,
            bytes,
        } = self;
        [format!("{from} {start} {length}\n").as_bytes(), bytes].concat()
    }

    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let end = text.iter().position(|&byte| byte == b'\n')?;
        let line = std::str::from_utf8(text.get(..end)?).ok()?;
        let mut words = line.split(' ');
        Some(Self {
            from: words.next()?.to_owned(),
            start: words.next()?.parse().ok()?,
            length: words.next()?.parse().ok()?,
            bytes: text.get(end + 1..)?.to_vec(),
        })
    }
}

/// Whether both are the same bytes in memory: those that a change leaves alone need not be compared.
fn is_same_memory(older: Option<&[u8]>, newer: &[u8]) -> bool {
    older.is_some_and(|older| std::ptr::eq(older, newer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let texts = ["", "a", "ab", "abab", "xaby", "aXb", "abcabc", "ccc", "cc"];
        for older in texts {
            for newer in texts {
                for cut in 0..=newer.len() {
                    let (first, second) = newer.as_bytes().split_at(cut);
                    let way = WayBack::new("name".to_owned(), older.as_bytes(), &[first, second]);
                    let read = WayBack::read(&way.write()).unwrap();
                    assert_eq!(read, way);
                    let back = read.walk(newer.as_bytes()).unwrap();
                    assert_eq!(back, older.as_bytes(), "{newer} -> {older}");
                }
            }
        }
        let way = WayBack::new(String::new(), b"one two three", &[b"one 2", b" three"]);
        assert_eq!((way.start, way.length, &*way.bytes), (4, 1, &b"two"[..]));
        assert_eq!(way.walk(b"one"), None);
    }
}
