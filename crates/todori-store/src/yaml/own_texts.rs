//! The text of tasks that holds more than a task: fields and comments of people and of other programs. The history keeps
//! it, so that a task comes back with it even if it was deleted with an editor and nobody was there to see.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use todori_domain::TaskId;

/// Texts, each with its task.
pub(crate) type OwnTexts = BTreeMap<TaskId, String>;

/// Names a set of texts, so that it is known without reading whether the history has them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn of(texts: &OwnTexts) -> Self {
        Self::NONE.with(texts)
    }

    /// With these texts as well; without them, if they were there.
    pub(crate) fn with(self, texts: &OwnTexts) -> Self {
        let hash = |text: (&TaskId, &String)| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish()
        };
        Self(texts.iter().map(hash).fold(self.0, |all, one| all ^ one))
    }

    /// As the history writes it; nothing for no texts.
    pub(crate) fn to_text(self) -> Option<String> {
        (self.0 != 0).then(|| format!("{:x}", self.0))
    }

    pub(crate) fn parse(text: Option<&str>) -> Self {
        let number = text.and_then(|text| u64::from_str_radix(text, 16).ok());
        Self(number.unwrap_or_default())
    }
}

/// What a change of the file does to these texts.
#[derive(Debug, Default)]
pub(crate) struct TextChange {
    /// All that were there before; left out where the history is known to have them.
    pub(crate) all: Option<OwnTexts>,
    /// Those of the tasks that change, before and after.
    pub(crate) replaced: OwnTexts,
    pub(crate) written: OwnTexts,
}

impl TextChange {
    /// What the history must say beside what it knows; none for a text that is no more.
    pub(crate) fn news(
        &self,
        recorded: impl FnOnce() -> OwnTexts,
    ) -> BTreeMap<TaskId, Option<String>> {
        let mut news = BTreeMap::new();
        if let Some(all) = &self.all {
            let recorded = recorded();
            let lost = recorded.keys().filter(|id| !all.contains_key(id));
            news.extend(lost.map(|id| (*id, None)));
            let new = all
                .iter()
                .filter(|(id, text)| recorded.get(id) != Some(text));
            news.extend(new.map(|(id, text)| (*id, Some(text.clone()))));
        }
        news.extend(self.replaced.keys().map(|id| (*id, None)));
        let written = self.written.iter();
        news.extend(written.map(|(id, text)| (*id, Some(text.clone()))));
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use todori_domain::testing::letter;

    fn texts(given: &[(&str, &str)]) -> OwnTexts {
        let texts = given.iter();
        texts
            .map(|(name, text)| (letter(name), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn a_digest_follows_what_is_exchanged() {
        let before = Digest::of(&texts(&[("a", "1"), ("b", "2")]));
        let after = before
            .with(&texts(&[("b", "2")]))
            .with(&texts(&[("b", "3")]));
        assert_eq!(after, Digest::of(&texts(&[("a", "1"), ("b", "3")])));
        assert_ne!(after, before);
        assert_eq!(Digest::of(&texts(&[])).to_text(), None);
        assert_eq!(Digest::parse(after.to_text().as_deref()), after);
    }

    #[test]
    fn only_what_the_history_does_not_know_is_news() {
        let change = TextChange {
            all: Some(texts(&[("a", "1"), ("b", "2"), ("c", "3")])),
            replaced: texts(&[("c", "3")]),
            written: texts(&[("d", "4")]),
        };
        let news = change.news(|| texts(&[("a", "1"), ("b", "old"), ("x", "gone")]));
        let told = |name: &str, text: Option<&str>| (letter(name), text.map(str::to_owned));
        let expected = [
            told("b", Some("2")),
            told("c", None),
            told("d", Some("4")),
            told("x", None),
        ];
        assert_eq!(news, expected.into());
    }
}
