//! Keeps replies small, in one place: everything that a model reads costs it context, however long the tasks are.

use serde_json::Value;

/// The most bytes of text in a list or a prompt.
pub const MAX_LIST_BYTES: usize = 2_048;
/// The most bytes of text in any other reply.
pub const MAX_REPLY_BYTES: usize = 2_560;

/// The beginning of the mark at the end of a text that was cut. Input that contains it is refused, so that an agent that
/// writes back what it read does not destroy the rest.
pub const CUT_MARK: &str = "⟦todori:";

/// How many bytes a value takes as JSON.
pub(crate) fn size(value: &Value) -> usize {
    value.to_string().len()
}

/// How many bytes a text takes inside a JSON string.
pub(crate) fn size_in_json(text: &str) -> usize {
    text.chars().map(char_size).sum()
}

fn char_size(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\u{0}'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

/// Cuts a text to at most this many bytes of JSON, mark included. `read_on` gets the number of characters that are left
/// and returns how to read the rest, for the mark.
pub(crate) fn cut(text: &str, most: usize, read_on: impl Fn(usize) -> String) -> String {
    if size_in_json(text) <= most {
        return text.to_owned();
    }
    let total = text.chars().count();
    let mark = |kept: usize| {
        let rest = total - kept;
        let how = read_on(kept);
        let comma = if how.is_empty() { "" } else { ", " };
        format!("{CUT_MARK} {rest} more characters{comma}{how}⟧")
    };
    // The mark is longest where its numbers are.
    let room = most.saturating_sub(size_in_json(&mark(0)).max(size_in_json(&mark(total - 1))) + 4);
    let mut used = 0;
    let mut kept = String::new();
    let mut count = 0;
    for c in text.chars() {
        used += char_size(c);
        if used > room {
            break;
        }
        kept.push(c);
        count += 1;
    }
    kept.push_str(&mark(count));
    kept
}

/// The mark that ends a list that was cut.
pub(crate) fn list_mark(rest: usize, read_on: &str) -> String {
    format!("{CUT_MARK} {rest} more, {read_on}⟧")
}

/// Cuts every text inside a value to at most this many bytes of JSON.
pub(crate) fn cut_all(value: &Value, most: usize) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text, most, |_| String::new())),
        Value::Array(items) => items.iter().map(|item| cut_all(item, most)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), cut_all(value, most)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Shortens a text to at most this many characters, for an error message.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most).collect();
    format!("{kept}…")
}

/// Replaces line breaks by spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
        .collect::<Vec<_>>()
        .join(" ")
}

/// Divides the room among needs: small needs are met in full, the others share the rest equally.
pub(crate) fn share<const N: usize>(room: usize, needs: [usize; N]) -> [usize; N] {
    let mut shares = [0; N];
    let mut order: Vec<usize> = (0..N).collect();
    order.sort_by_key(|&place| needs.get(place).copied());
    let mut left = room;
    for (taken, place) in order.into_iter().enumerate() {
        let fair = left / (N - taken);
        if let (Some(share), Some(need)) = (shares.get_mut(place), needs.get(place)) {
            *share = fair.min(*need);
            left -= *share;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn room_is_shared_fairly() {
        assert_eq!(share(100, [10, 200, 30]), [10, 60, 30]);
        assert_eq!(share(90, [100, 100, 100]), [30, 30, 30]);
        assert_eq!(share(1000, [1, 2, 3]), [1, 2, 3]);
    }

    #[test]
    fn a_cut_text_says_how_much_is_left_and_how_to_read_on() {
        let cut = cut(&"x".repeat(200), 80, |kept| format!("from={kept}"));
        assert_eq!(
            cut,
            format!("{}⟦todori: 165 more characters, from=35⟧", "x".repeat(35))
        );
    }

    proptest! {
        #[test]
        fn a_cut_text_fits_and_counts_right(text in "\\PC{0,400}|[\\x00-\\x7f]{0,400}", most in 100usize..300) {
            let read_on = |kept: usize| format!("from={kept}");
            let short = cut(&text, most, read_on);
            prop_assert!(size_in_json(&short) <= most);
            prop_assert_eq!(serde_json::json!(short).to_string().len(), size_in_json(&short) + 2);
            if short != text {
                let (kept, mark) = short.split_once(CUT_MARK).unwrap();
                let kept = kept.chars().count();
                let rest = text.chars().count() - kept;
                prop_assert_eq!(mark, format!(" {rest} more characters, from={kept}⟧"));
            }
        }
    }
}
