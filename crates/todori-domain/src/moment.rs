//! When something is asked, and by whom. Knows no clock: the time is always an argument.

use std::fmt;

/// A point in time, in UTC, exact to the millisecond (what boards are stored with).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// 9999-12-30T00:00:00.000Z: the last day that every time zone can show with four digits for its year.
const LATEST: i64 = 253_402_128_000_000;
/// 0001-01-01T00:00:00.000Z.
const EARLIEST: i64 = -62_135_596_800_000;

impl Timestamp {
    /// 1970-01-01T00:00:00.000Z.
    pub const UNIX_EPOCH: Self = Self(0);

    /// Counts from 1970, bounded to the years 1 to 9999.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(EARLIEST, LATEST))
    }

    /// Counts from 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads an ISO 8601 date and time with an offset, or a plain date, which means its first moment in UTC.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
            return Some(Self::from_millis(timestamp.as_millisecond()));
        }
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Self::from_millis(zoned.timestamp().as_millisecond()))
    }

    /// The calendar day, as `2026-11-15`.
    pub fn date(self) -> String {
        let mut text = self.to_string();
        text.truncate(10);
        text
    }

    /// How many days lie between `earlier` and this, with fractions; never negative.
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds of ten thousand years fit 52 bits"
    )]
    pub fn days_since(self, earlier: Self) -> f64 {
        (self.0 - earlier.0).max(0) as f64 / 86_400_000.0
    }
}

impl fmt::Display for Timestamp {
    /// Writes `2026-11-15T07:12:13.123Z`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timestamp = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(formatter, "{timestamp:.3}")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Names a session of an agent, or a person: what stands in `assignee`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName(Box<str>);

/// What the name of a person begins with.
const PERSON: &str = "person:";

impl SessionName {
    /// Keeps the name; at most 128 characters of it, and no control characters, since it goes into file names,
    /// history lines and terminals.
    pub fn new(name: &str) -> Self {
        let kept: String = name.chars().filter(|c| !c.is_control()).take(128).collect();
        Self(kept.into())
    }

    /// Names a person at the command line. A person does not go away when a process ends.
    pub fn person(user: &str) -> Self {
        Self::new(&format!("{PERSON}{user}"))
    }

    /// Whether this names a person rather than a session.
    pub fn is_person(&self) -> bool {
        self.0.starts_with(PERSON)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The session that starts tasks under its name.
    pub session: SessionName,
    /// The program that speaks for it, such as `claude-code 2.1.325`, where it said so.
    pub client: Option<String>,
}

impl Actor {
    /// An actor of whom only the session is known.
    pub fn session(name: &str) -> Self {
        Self {
            session: SessionName::new(name),
            client: None,
        }
    }
}

/// When something is asked, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The time that everything decided now is stamped with.
    pub at: Timestamp,
    /// Who asks.
    pub actor: Actor,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, expected: &str) {
        let read = Timestamp::parse(given).map_or_else(|| "nothing".to_owned(), |t| t.to_string());
        assert_eq!(read, expected, "{given}");
    }

    #[test]
    fn times_are_read_in_the_spellings_that_clients_use() {
        check("2026-11-15T07:12:13.123Z", "2026-11-15T07:12:13.123Z");
        check("2026-11-15T07:12:13Z", "2026-11-15T07:12:13.000Z");
        check("2026-11-15T09:12:13+02:00", "2026-11-15T07:12:13.000Z");
        check("2026-11-15", "2026-11-15T00:00:00.000Z");
        check("2026-11-15T07:12:13", "2026-11-15T07:12:13.000Z");
        check("2026-11-15T07:12:13.123456789Z", "2026-11-15T07:12:13.123Z");
        check("yesterday", "nothing");
        check("2026-13-01", "nothing");
        check("", "nothing");
    }

    #[test]
    fn a_time_out_of_range_is_bounded_and_still_prints() {
        assert_eq!(
            Timestamp::from_millis(i64::MAX).to_string(),
            "9999-12-30T00:00:00.000Z"
        );
        assert_eq!(
            Timestamp::from_millis(i64::MIN).to_string(),
            "0001-01-01T00:00:00.000Z"
        );
    }

    #[test]
    fn only_a_person_is_named_like_one() {
        assert!(SessionName::person("ada").is_person());
        assert!(!SessionName::new("claude-code-1f").is_person());
    }
}
