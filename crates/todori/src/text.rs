//! Text that others wrote, on its way to a terminal: nothing in it is obeyed there, and it fits the columns that there
//! are. Also the signs and the ages that people see everywhere.

use std::fmt::Write as _;

use todori_domain::{Status, Timestamp};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Whether a terminal would obey this character, or hide or turn what follows.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A user's text on one line, with everything spelt out that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push('⏎'),
            '\t' => safe.push(' '),
            // Joins parts of an emoji: without it families fall apart.
            '\u{200d}' => safe.push(c),
            other if is_unsafe(other) => {
                let _ = write!(safe, "\\u{{{:x}}}", other as u32);
            }
            other => safe.push(other),
        }
    }
    safe
}

/// A harmless text in which all terminals agree how many columns each character takes: where a picture is put together
/// from several, they do not, and what is drawn behind it on a screen goes astray. Flags are spelt as their letters, of
/// families and the like the first one stays, and marks that turn a sign into a picture are left out.
pub(crate) fn steady(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut joined = false;
    for c in text.chars() {
        let is_picture = before.is_some_and(is_picture);
        match c {
            // How the one before it is to look, its colour of skin, and the frame of a key.
            '\u{fe00}'..='\u{fe0f}' | '\u{20e3}' => continue,
            '\u{1f3fb}'..='\u{1f3ff}' if is_picture => continue,
            '\u{200d}' if is_picture => {
                joined = true;
                continue;
            }
            _ if joined => {
                joined = false;
                continue;
            }
            '\u{1f1e6}'..='\u{1f1ff}' => {
                let letter = u8::try_from(c as u32 - 0x1_f1e6).unwrap_or_default();
                shown.push(char::from(b'A' + letter));
            }
            other => shown.push(other),
        }
        before = Some(c);
    }
    harmless(&shown)
}

/// Whether others may be joined to this one.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Cuts a harmless text to so many columns; an ellipsis takes one of them.
pub(crate) fn cut(text: &str, room: usize, ellipsis: &str) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut width = 0;
    for c in text.chars() {
        width += c.width().unwrap_or(0);
        if width >= room {
            break;
        }
        kept.push(c);
    }
    if room > 0 {
        kept.push_str(ellipsis);
    }
    kept
}

/// Cuts a harmless name to so many columns, in the middle: what tells names apart is mostly at their end.
pub(crate) fn cut_middle(name: &str, room: usize, ellipsis: &str) -> String {
    const END: usize = 4;
    let short = name.is_ascii() && name.len() > room && room > 2 * END;
    let Some(end) = name.len().checked_sub(END).filter(|_| short) else {
        return cut(name, room, ellipsis);
    };
    let (start, end) = name.split_at(end);
    format!("{}{end}", cut(start, room - END, ellipsis))
}

/// Breaks a harmless text into lines of at most so many columns: between words, and inside one that is longer.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut width = 0;
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end_matches(' ').width();
        if width > 0 && width + bare > room {
            lines.push(line.trim_end().to_owned());
            line.clear();
            width = 0;
        }
        for c in word.chars() {
            let columns = c.width().unwrap_or(0);
            if width + columns > room && c != ' ' {
                lines.push(std::mem::take(&mut line));
                width = 0;
            }
            line.push(c);
            width += columns;
        }
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// The picture of a status; each is two columns wide.
pub(crate) const fn picture(status: Status) -> &'static str {
    match status {
        Status::Pending => "❌",
        Status::InProgress => "🔧",
        Status::Blocked => "⛔",
        Status::Done => "✅",
        Status::Deferred => "💤",
        Status::Cancelled => "🚫",
    }
}

/// How long something has been so, roughly.
pub(crate) fn age(now: Timestamp, then: Timestamp) -> String {
    let minutes = (now.as_millis() - then.as_millis()).max(0) / 60_000;
    match minutes {
        0 => "now".to_owned(),
        1..120 => format!("{minutes} min"),
        120..2880 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{7}\u{9b}c"),
            "a\\u{1b}[31mb\\u{7}\\u{9b}c"
        );
        assert_eq!(harmless("x\u{202e}y\u{2066}z"), "x\\u{202e}y\\u{2066}z");
        assert_eq!(harmless("two\nlines\r\tend"), "two⏎lines\\u{d} end");
        assert_eq!(harmless("héllo 🔧 日本"), "héllo 🔧 日本");
    }

    #[test]
    fn pictures_of_several_characters_are_made_steady() {
        for (given, expected) in [
            ("🇩🇪 flag", "DE flag"),
            ("a🇺🇳b🇽", "aUNbX"),
            ("👨\u{200d}👩\u{200d}👧 family", "👨 family"),
            ("👩🏽\u{200d}🔬🏽 x", "👩 x"),
            ("🏳\u{fe0f}\u{200d}🌈!", "🏳!"),
            ("❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3} ☎\u{fe0e}", "❤ 1 ☎"),
            (
                "👍🏿 ok 🔧 日本 héllo e\u{301}",
                "👍 ok 🔧 日本 héllo e\u{301}",
            ),
            ("क\u{94d}\u{200d}ष", "क\u{94d}\u{200d}ष"),
            ("x\u{1b}[2J\n", "x\\u{1b}[2J⏎"),
            ("👨\u{200d}", "👨"),
        ] {
            let shown = steady(given);
            assert_eq!(shown, expected, "{given:?}");
            assert_eq!(steady(&shown), shown);
            let alone: usize = shown.chars().map(|c| c.width().unwrap_or(0)).sum();
            assert_eq!(
                shown.width(),
                alone,
                "{shown:?}: each takes what it takes alone"
            );
        }
    }

    #[test]
    fn a_text_is_cut_by_columns() {
        let check =
            |text: &str, room: usize, expected: &str| assert_eq!(cut(text, room, "…"), expected);
        check("日本語日本語日本語", 12, "日本語日本…");
        check("日本語日本語日本語", 11, "日本語日本…");
        check("short", 5, "short");
        check("short", 4, "sho…");
        check("short", 1, "…");
        check("short", 0, "");
    }

    #[test]
    fn a_name_keeps_its_end() {
        let check = |name: &str, room: usize, expected: &str| {
            assert_eq!(cut_middle(name, room, "…"), expected);
        };
        check("claude-code-d85cb012", 20, "claude-code-d85cb012");
        check("claude-code-d85cb012", 12, "claude-…b012");
        check("claude-code-d85cb012", 6, "claud…");
        check("日本語日本語日本語", 12, "日本語日本…");
    }

    #[test]
    fn a_text_is_wrapped_between_words_and_inside_long_ones() {
        let check =
            |text: &str, room: usize, expected: &[&str]| assert_eq!(wrap(text, room), expected);
        check("one two three", 7, &["one two", "three"]);
        check("one two three", 100, &["one two three"]);
        check("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]);
        check("日本語", 5, &["日本", "語"]);
        check("", 5, &[""]);
        check("a  b", 5, &["a  b"]);
    }

    #[test]
    fn ages_are_rough() {
        let check = |minutes: i64, expected: &str| {
            let then = Timestamp::from_millis(0);
            let now = Timestamp::from_millis(minutes * 60_000 + 59_000);
            assert_eq!(age(now, then), expected);
        };
        check(0, "now");
        check(1, "1 min");
        check(119, "119 min");
        check(120, "2 h");
        check(2879, "47 h");
        check(2880, "2 days");
        check(-100, "now");
    }
}
