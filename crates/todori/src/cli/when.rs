//! Times as people type them: how long ago, or a date.

use todori_domain::Timestamp;

use super::Ended;
use super::output::Output;

/// Reads `10m`, `2h`, `3d`, `1w` (so long ago), a date, or a date and time (UTC unless it says otherwise).
fn parse(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    let unit = text.chars().next_back()?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        _ => return Timestamp::parse(text),
    };
    let number: i64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    let back = number.checked_mul(minutes)?.checked_mul(60_000)?;
    let then = now.as_millis().checked_sub(back)?;
    (number >= 0).then(|| Timestamp::from_millis(then))
}

/// Reads a time that may be left out, or says what was expected.
pub(super) fn since(
    given: Option<&str>,
    now: Timestamp,
    output: &Output,
) -> Result<Option<Timestamp>, Ended> {
    let Some(text) = given else {
        return Ok(None);
    };
    let read = parse(text, now);
    if read.is_none() {
        output.error(&format!("{text} is no time"), Some(EXPECTED));
    }
    read.map(Some).ok_or(Ended::Usage)
}

/// What is said to somebody who typed something else.
const EXPECTED: &str = "expected 10m, 2h, 3d, 1w, a date such as 2026-11-15, or 2026-11-15T08:00Z";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        let now = Timestamp::parse("2026-11-15T08:00:00Z").unwrap();
        let check = |text: &str, expected: Option<&str>| {
            let read = parse(text, now).map(|time| time.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        };
        check("10m", Some("2026-11-15T07:50:00.000Z"));
        check("2h", Some("2026-11-15T06:00:00.000Z"));
        check("1w", Some("2026-11-08T08:00:00.000Z"));
        check("2026-11-14", Some("2026-11-14T00:00:00.000Z"));
        check("2026-11-14T10:30Z", Some("2026-11-14T10:30:00.000Z"));
        check("-2h", None);
        check("soon", None);
        check("", None);
        check("99999999999999999d", None);
    }
}
