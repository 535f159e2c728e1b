//! Words that people and agents write: kept verbatim, checked once.

use std::fmt;

/// The most characters that any dialect allows in a title.
pub const MAX_TITLE_CHARS: usize = 2_000;

/// The most bytes that a description may have.
pub const MAX_DESCRIPTION_BYTES: usize = 64 * 1024;

/// Why a text was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Nothing but white space.
    #[error("must not be blank")]
    Blank,
    /// More than the limit.
    #[error("must be at most {most} {unit}, got {got}")]
    TooLong {
        /// How many there may be.
        most: usize,
        /// How many there were.
        got: usize,
        /// What is counted.
        unit: &'static str,
    },
}

/// The words of a task, a subtask or an active form: never blank, at most [`MAX_TITLE_CHARS`] characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Title(Box<str>);

impl Title {
    /// Checks the text and keeps it as it is.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        if text.trim().is_empty() {
            return Err(TextError::Blank);
        }
        // Counting characters is only needed where there are more bytes than characters are allowed.
        if text.len() > MAX_TITLE_CHARS {
            let got = text.chars().count();
            if got > MAX_TITLE_CHARS {
                return Err(TextError::TooLong {
                    most: MAX_TITLE_CHARS,
                    got,
                    unit: "characters",
                });
            }
        }
        Ok(Self(text.into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The long text of a task or subtask: never empty, at most [`MAX_DESCRIPTION_BYTES`] bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Description(Box<str>);

impl Description {
    /// Checks the text and keeps it as it is; an empty text is no description.
    pub fn parse(text: &str) -> Result<Option<Self>, TextError> {
        if text.len() > MAX_DESCRIPTION_BYTES {
            let (most, got) = (MAX_DESCRIPTION_BYTES, text.len());
            return Err(TextError::TooLong {
                most,
                got,
                unit: "bytes",
            });
        }
        Ok((!text.is_empty()).then(|| Self(text.into())))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Title {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Description {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_kept_verbatim_and_never_blank() {
        assert_eq!(
            Title::parse(" two  words ").unwrap().as_str(),
            " two  words "
        );
        assert_eq!(Title::parse(" \t\u{2003}\n"), Err(TextError::Blank));
    }

    #[test]
    fn a_title_is_counted_in_characters() {
        assert!(Title::parse(&"é".repeat(MAX_TITLE_CHARS)).is_ok());
        let error = Title::parse(&"é".repeat(MAX_TITLE_CHARS + 1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "must be at most 2000 characters, got 2001"
        );
    }

    #[test]
    fn an_empty_description_is_none() {
        assert_eq!(Description::parse(""), Ok(None));
        assert!(Description::parse(" ").unwrap().is_some());
        assert!(Description::parse(&"x".repeat(MAX_DESCRIPTION_BYTES + 1)).is_err());
    }
}
