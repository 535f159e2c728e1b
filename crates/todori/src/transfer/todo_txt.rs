//! Reads todo.txt: one task a line. Projects, contexts and what else people put between the words stay in the title.

use todori_domain::{Priority, Status, Timestamp};

use super::Unreadable;
use super::draft::{Draft, Read};
use super::source::Source;

pub(super) fn read(source: &Source) -> Result<Read, Unreadable> {
    let mut read = Read::default();
    let lines = source.files.iter().flat_map(|file| file.text.lines());
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let draft = task(line, &mut read);
        read.push(draft);
    }
    Ok(read)
}

/// Whether a text looks like todo.txt: any line begins as only such a line does.
pub(super) fn is_like(text: &str) -> bool {
    text.lines().any(|line| {
        let done = line.strip_prefix("x ").and_then(date).is_some();
        let dated = date(line).is_some() || letter(line).is_some();
        let marked = line
            .split(' ')
            .any(|word| word.len() > 1 && word.starts_with(['+', '@']));
        done || dated || marked
    })
}

/// Takes a date off the beginning.
fn date(text: &str) -> Option<(Timestamp, &str)> {
    let (word, rest) = text.split_once(' ')?;
    let is_date = word.len() == 10 && word.bytes().filter(|&byte| byte == b'-').count() == 2;
    is_date
        .then(|| Timestamp::parse(word))?
        .map(|date| (date, rest))
}

/// Takes `(A)` off the beginning.
fn letter(text: &str) -> Option<(char, &str)> {
    let rest = text.strip_prefix('(')?;
    let letter = rest.chars().next().filter(char::is_ascii_uppercase)?;
    Some((letter, rest.get(1..)?.strip_prefix(") ")?))
}

fn task(line: &str, read: &mut Read) -> Draft {
    let mut rest = line.trim();
    let mut draft = Draft::new("", "");
    let mut urgency = None;
    if let Some(done) = rest.strip_prefix("x ") {
        rest = done;
        draft.status = Status::Done;
    }
    if let Some((found, after)) = letter(rest) {
        urgency = Some(found);
        rest = after;
    }
    if let Some((first, after)) = date(rest) {
        rest = after;
        draft.created = Some(first);
        // Of something done the first date is the day it was done, the second the day it was made.
        if draft.status == Status::Done {
            draft.completed = Some(first);
            draft.created = date(rest).map(|(second, after)| {
                rest = after;
                second
            });
        }
    }
    let mut title = Vec::new();
    for word in rest.split(' ') {
        match word.split_once(':') {
            Some(("pri", value)) if value.len() == 1 => urgency = value.chars().next(),
            Some(("id", value)) if !value.is_empty() => value.clone_into(&mut draft.key),
            Some(("dep", value)) if !value.is_empty() => {
                draft.waits_for.extend(value.split(',').map(str::to_owned));
            }
            _ => title.push(word),
        }
    }
    title.join(" ").trim().clone_into(&mut draft.title);
    draft.priority = match urgency {
        Some('A') => Priority::High,
        Some('B') | None => Priority::Medium,
        Some(_) => Priority::Low,
    };
    // Three levels do not tell D from Z.
    if let Some(letter) = urgency.filter(|letter| !matches!(letter, 'A'..='C')) {
        let mut description = String::new();
        read.fact(&mut description, "Priority", &letter.to_string());
        draft.description = description;
    }
    draft
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let draft = task(line, &mut Read::default());
        let day = |time: Option<Timestamp>| time.map_or("-".to_owned(), Timestamp::date);
        let told = format!(
            "{} {} {} made {} done {} [{}] >{}",
            draft.key,
            draft.status.as_str(),
            draft.priority.as_str(),
            day(draft.created),
            day(draft.completed),
            draft.title,
            draft.waits_for.join(",")
        );
        assert_eq!(told, expected, "{line}");
    }

    #[test]
    fn each_part_of_a_line_is_read() {
        check("Call home", " pending medium made - done - [Call home] >");
        check(
            "(A) 2026-01-02 Call home +family @phone due:2026-02-01",
            " pending high made 2026-01-02 done - [Call home +family @phone due:2026-02-01] >",
        );
        check(
            "x 2026-01-03 2026-01-02 Call home pri:C",
            " done low made 2026-01-02 done 2026-01-03 [Call home] >",
        );
        check(
            "x (B) Call home",
            " done medium made - done - [Call home] >",
        );
        check(
            "xylophone lesson",
            " pending medium made - done - [xylophone lesson] >",
        );
        check(
            "(a) not a priority",
            " pending medium made - done - [(a) not a priority] >",
        );
        check(
            "2026-13-99 no date",
            " pending medium made - done - [2026-13-99 no date] >",
        );
        check(
            "Build id:2 dep:1,3",
            "2 pending medium made - done - [Build] >1,3",
        );
        check(
            "See http://example.org/x",
            " pending medium made - done - [See http://example.org/x] >",
        );
    }
}
