//! Places in a list that never need renumbering: a rank is a short string, and there is (nearly) always room for
//! another one between two of them. Knows nothing of tasks.
//!
//! Ranks are compared byte by byte. Those made by appending count upwards (`a0`, `a1`, … `az`, `b00`, …): the first
//! letter tells how many digits follow, so that ten thousand appended tasks have ranks of four characters. Those made
//! by inserting extend a neighbour's (`a1V` lies between `a1` and `a2`).

use std::fmt;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Half of the alphabet: the digit that leaves room on both sides.
const MIDDLE: u8 = b'V';
/// Longer ranks are read, but not made: past this, neighbours are re-ranked instead.
const LONGEST_MADE: usize = 24;
const LONGEST_READ: usize = 256;

/// The place of a task in its list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(Box<str>);

impl Rank {
    /// The first rank of an empty list.
    pub fn first() -> Self {
        Self("a0".into())
    }

    /// Stands behind every rank that can be read or made: the place of a task that was written by hand without one.
    pub fn unset() -> Self {
        Self("~".into())
    }

    /// Whether the task has no rank of its own yet.
    pub fn is_unset(&self) -> bool {
        &*self.0 == "~"
    }

    /// Reads digits and letters; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = !text.is_empty() && text.len() <= LONGEST_READ;
        (fits && text.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| Self(text.into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Makes a rank behind this one; `None` when this one is unset.
    pub fn after(&self) -> Option<Self> {
        if self.is_unset() {
            return None;
        }
        let made = next_count(self.0.as_bytes()).unwrap_or_else(|| format!("{}V", self.0));
        Some(Self(made.into()))
    }

    /// Makes a rank before this one; `None` when there is no room.
    pub fn before(&self) -> Option<Self> {
        if self.is_unset() {
            return None;
        }
        let made = previous_count(self.0.as_bytes()).or_else(|| middle(b"", self.0.as_bytes()))?;
        Some(Self(made.into()))
    }

    /// Makes a rank between two others, either of which may be the end of the list; `None` when there is no room.
    pub fn between(lower: Option<&Self>, upper: Option<&Self>) -> Option<Self> {
        let made = match (lower, upper) {
            (None, None) => Some(Self::first()),
            (Some(lower), None) => lower.after(),
            (None, Some(upper)) => upper.before(),
            (Some(lower), Some(upper)) if lower >= upper => None,
            (Some(lower), Some(upper)) => lower.after().filter(|next| next < upper).or_else(|| {
                middle(lower.0.as_bytes(), upper.0.as_bytes()).map(|made| Self(made.into()))
            }),
        };
        made.filter(|rank| rank.0.len() <= LONGEST_MADE || upper.is_none())
    }

    /// Makes `count` ranks between two others, in order; `None` when there is no room for all.
    pub fn spread(lower: Option<&Self>, upper: Option<&Self>, count: usize) -> Option<Vec<Self>> {
        let mut made = Vec::with_capacity(count);
        let mut last = lower.cloned();
        for _ in 0..count {
            let next = Self::between(last.as_ref(), upper)?;
            made.push(next.clone());
            last = Some(next);
        }
        Some(made)
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn value(digit: u8) -> usize {
    DIGITS.iter().position(|&known| known == digit).unwrap_or(0)
}

fn digit(value: usize) -> u8 {
    DIGITS.get(value).copied().unwrap_or(MIDDLE)
}

/// How many digits follow this first letter in a counted rank: `a` one, `b` two …; `Z` one, `Y` two …, counting down.
fn digits_after(head: u8) -> Option<usize> {
    match head {
        b'a'..=b'z' => Some(usize::from(head - b'a') + 1),
        b'A'..=b'Z' => Some(usize::from(b'Z' - head) + 1),
        _ => None,
    }
}

/// Splits a rank into its first letter and the digits that it counts with.
fn counted(rank: &[u8]) -> Option<(u8, &[u8])> {
    let (&head, rest) = rank.split_first()?;
    Some((head, rest.get(..digits_after(head)?)?))
}

fn next_count(rank: &[u8]) -> Option<String> {
    let (head, digits) = counted(rank)?;
    let mut digits = digits.to_vec();
    for place in digits.iter_mut().rev() {
        if *place == b'z' {
            *place = b'0';
        } else {
            *place = digit(value(*place) + 1);
            return Some(join(head, &digits));
        }
    }
    // All digits overflowed: the next head, which is one digit longer from `a` on and one shorter before it.
    let head = match head {
        b'Z' => b'a',
        b'z' => return None,
        other => other + 1,
    };
    Some(join(head, &vec![b'0'; digits_after(head)?]))
}

fn previous_count(rank: &[u8]) -> Option<String> {
    let (head, digits) = counted(rank)?;
    if rank.len() > 1 + digits.len() {
        return Some(join(head, digits));
    }
    let mut digits = digits.to_vec();
    for place in digits.iter_mut().rev() {
        if *place == b'0' {
            *place = b'z';
        } else {
            *place = digit(value(*place) - 1);
            return Some(join(head, &digits));
        }
    }
    let head = match head {
        b'a' => b'Z',
        b'A' => return None,
        other => other - 1,
    };
    Some(join(head, &vec![b'z'; digits_after(head)?]))
}

fn join(head: u8, digits: &[u8]) -> String {
    std::iter::once(head)
        .chain(digits.iter().copied())
        .map(char::from)
        .collect()
}

/// Finds a string strictly between two others; `None` when there is none, as between `a` and `a0`.
fn middle(lower: &[u8], upper: &[u8]) -> Option<String> {
    let mut made = String::new();
    let mut place = 0;
    loop {
        let high = value(*upper.get(place)?);
        match lower.get(place).map(|&digit| value(digit)) {
            // `lower` has ended: anything that sorts before the rest of `upper` will do.
            None if high == 0 => made.push('0'),
            None if high == 1 => {
                made.push_str("0V");
                return Some(made);
            }
            None => {
                made.push(char::from(digit(high / 2)));
                return Some(made);
            }
            Some(low) if low == high => made.push(char::from(digit(low))),
            Some(low) if high - low > 1 => {
                made.push(char::from(digit(low + (high - low) / 2)));
                return Some(made);
            }
            // Neighbouring digits: keep the lower one and go on behind the rest of `lower`.
            Some(low) => {
                made.push(char::from(digit(low)));
                push_after(&mut made, lower.get(place + 1..).unwrap_or_default());
                return Some(made);
            }
        }
        place += 1;
    }
}

/// Appends digits that sort behind `rest`, leaving room on both sides.
fn push_after(made: &mut String, rest: &[u8]) {
    for &digit_of_rest in rest {
        let low = value(digit_of_rest);
        if low < DIGITS.len() - 1 {
            made.push(char::from(digit(low + (DIGITS.len() - low).div_ceil(2))));
            return;
        }
        made.push('z');
    }
    made.push(char::from(MIDDLE));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(lower: &str, upper: &str, expected: &str) {
        let (lower, upper) = (Rank::parse(lower), Rank::parse(upper));
        let made = Rank::between(lower.as_ref(), upper.as_ref());
        assert_eq!(made.as_ref().map_or("none", Rank::as_str), expected);
    }

    #[test]
    fn appending_counts_up_and_prepending_counts_down() {
        check("", "", "a0");
        check("a0", "", "a1");
        check("az", "", "b00");
        check("bzz", "", "c000");
        check("", "a0", "Zz");
        check("", "Z0", "Yzz");
        check("Yzz", "", "Z0");
        check("Zz", "", "a0");
    }

    #[test]
    fn inserting_takes_a_short_rank_between() {
        check("a1", "a3", "a2");
        check("a1", "a2", "a1V");
        check("a1", "a1V", "a1F");
        check("a1V", "a2", "a1l");
        check("a", "a0", "none");
        check("a1", "a1", "none");
        check("a1", "a11", "a10V");
        check("anything", "else", "ao");
        check("5", "", "5V");
    }

    #[test]
    fn ten_thousand_appended_ranks_stay_short() {
        let mut rank = Rank::first();
        for _ in 0..10_000 {
            rank = rank.after().unwrap();
        }
        assert_eq!(rank.as_str().len(), 4);
    }

    #[test]
    fn an_unset_rank_is_behind_all_others() {
        assert!(Rank::unset() > Rank::parse("zzzzzzzzzzzzzzzz").unwrap());
        assert_eq!(Rank::parse("~"), None);
        assert_eq!(Rank::unset().after(), None);
    }

    proptest! {
        #[test]
        fn what_is_made_lies_strictly_between(a in "[0-9A-Za-z]{1,6}", b in "[0-9A-Za-z]{1,6}") {
            let (lower, upper) = if a < b { (a, b) } else { (b, a) };
            let (lower, upper) = (Rank::parse(&lower).unwrap(), Rank::parse(&upper).unwrap());
            if let Some(made) = Rank::between(Some(&lower), Some(&upper)) {
                prop_assert!(lower < made && made < upper, "{made:?}");
            }
            let after = Rank::between(Some(&upper), None).unwrap();
            prop_assert!(after > upper);
            if let Some(before) = Rank::between(None, Some(&lower)) {
                prop_assert!(before < lower);
            }
        }

        #[test]
        fn inserting_again_and_again_keeps_the_order(places in prop::collection::vec(any::<prop::sample::Index>(), 1..120)) {
            let mut ranks = vec![Rank::first()];
            for place in places {
                let at = place.index(ranks.len() + 1);
                let lower = at.checked_sub(1).and_then(|below| ranks.get(below));
                if let Some(made) = Rank::between(lower, ranks.get(at)) {
                    ranks.insert(at, made);
                }
            }
            prop_assert!(ranks.is_sorted());
        }
    }
}
