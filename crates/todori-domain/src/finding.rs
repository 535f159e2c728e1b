//! What somebody who looks after a thing finds: as it should be, worth knowing, or a problem, and what to do about it.
//! The store and the program find; `doctor` shows.

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Something does not work, or will not.
    Problem,
}

impl Level {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// What it is about, in one word.
    pub about: &'static str,
    /// What was found.
    pub says: String,
    /// What to do about it.
    pub advice: Option<String>,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.says)?;
        match &self.advice {
            Some(advice) => write!(formatter, ": {advice}"),
            None => Ok(()),
        }
    }
}

impl Finding {
    /// As it should be.
    pub fn ok(about: &'static str, says: impl Into<String>) -> Self {
        Self::new(Level::Ok, about, says)
    }

    /// Worth knowing.
    pub fn note(about: &'static str, says: impl Into<String>) -> Self {
        Self::new(Level::Note, about, says)
    }

    /// Something does not work, or will not.
    pub fn problem(about: &'static str, says: impl Into<String>) -> Self {
        Self::new(Level::Problem, about, says)
    }

    /// The same with advice.
    #[must_use]
    pub fn advise(self, advice: impl Into<String>) -> Self {
        Self {
            advice: Some(advice.into()),
            ..self
        }
    }

    fn new(level: Level, about: &'static str, says: impl Into<String>) -> Self {
        Self {
            level,
            about,
            says: says.into(),
            advice: None,
        }
    }
}
