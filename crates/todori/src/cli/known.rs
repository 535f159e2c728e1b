//! Arguments that are one of a few words: read as ever, and known to the shells that complete them.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};

/// Reads one of a few words.
#[derive(Debug, Clone)]
pub(super) struct OneOf<T> {
    parse: fn(&str) -> Result<T, String>,
    words: Vec<&'static str>,
}

/// A parser as it is, and the words that it knows best; it may read others, too.
pub(super) fn one_of<T>(
    parse: fn(&str) -> Result<T, String>,
    words: impl IntoIterator<Item = &'static str>,
) -> OneOf<T> {
    OneOf {
        parse,
        words: words.into_iter().collect(),
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().copied().map(PossibleValue::new)))
    }
}
