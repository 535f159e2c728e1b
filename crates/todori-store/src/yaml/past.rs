//! Reads the history backwards, and no more of it than a question needs: lines that can't be meant are passed over by
//! their bytes, without reading them as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;

use serde_json::Value;
use todori_domain::{
    AuthorMatch, Event, HistoryPage, HistoryQuery, Selection, Selector, TaskId, TaskMatch,
    Timestamp,
};

use super::atomic_file;
use super::history::{BASELINE_TASK, BLOCKS, Entry, KEPT};
use super::paths::Paths;

/// How much of a file is read at first, and at most at a time.
const FIRST_STEP: u64 = 8 * 1024;
const LARGEST_STEP: u64 = 256 * 1024;

/// No history gets so long. Somebody may have written anything into the file, and numbers must be able to grow.
const LARGEST_NUMBER: u64 = 1 << 53;

/// The newest line that names a state of the board's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Last {
    /// That state.
    pub(crate) stamp: String,
    /// The number of the newest request; 0 if there is none.
    pub(crate) request: u64,
}

/// Finds the newest line. Half a line, which a writer that was killed may have left, has its number all the same.
pub(crate) fn last(paths: &Paths) -> Option<Last> {
    let mut stamp: Option<String> = None;
    let mut request = None;
    let mut numbers = Numbers::new(paths);
    walk(paths, |line| {
        let text = std::str::from_utf8(line).unwrap_or_default();
        if text.starts_with(BASELINE_TASK) {
            return Next::Line;
        }
        let head = Head::read(text);
        if request.is_none() && is_request(text, &head) {
            request = Some(numbers.next(head.number));
        }
        if stamp.is_none() {
            let value = serde_json::from_str::<Value>(text).unwrap_or_default();
            stamp = value.get("file").and_then(Value::as_str).map(str::to_owned);
        }
        match (&stamp, request) {
            (Some(_), Some(_)) => Next::End,
            _ => Next::Line,
        }
    });
    let request = request.unwrap_or(0);
    stamp.map(|stamp| Last { stamp, request })
}

/// Whether a line is a request, as far as its bytes tell.
fn is_request(text: &str, head: &Head) -> bool {
    head.number.is_some() || text.contains("\"tasks\":")
}

/// The history up to one state of the board.
#[derive(Debug)]
pub(crate) struct Past<'a> {
    pub(crate) paths: &'a Paths,
    /// The number of the newest request that led to that state.
    pub(crate) up_to: u64,
    /// What was changed outside after that, and is not noted yet.
    pub(crate) outside: Option<&'a Entry>,
}

impl Past<'_> {
    /// Answers one question.
    pub(crate) fn page(&self, query: &HistoryQuery) -> HistoryPage {
        if query.limit == 0 {
            return HistoryPage::default();
        }
        let mut found: Vec<Event> = Vec::new();
        let mut take = |entry: &Entry, number: u64| {
            found.extend(entry.events(number).filter(|event| query.accepts(event)));
            // One more than wanted says that there is more.
            found.len() > query.limit
        };
        let next = self.up_to.saturating_add(1);
        if !self.outside.is_some_and(|entry| take(entry, next)) {
            self.walk(query, take);
        }
        let more = found.len() > query.limit;
        found.truncate(query.limit);
        HistoryPage {
            events: found,
            more,
        }
    }

    /// Finds what an undo is about.
    pub(crate) fn select(&self, selection: &Selection) -> Vec<Event> {
        let mut selector = Selector::new(selection);
        while let Some(query) = selector.needs() {
            let page = self.page(query);
            selector.take(page);
        }
        selector.finish()
    }

    /// Gives every entry that may be meant, newest first, until `take` has enough.
    fn walk(&self, query: &HistoryQuery, mut take: impl FnMut(&Entry, u64) -> bool) {
        let newest = query.before.map_or(u64::MAX, |before| before.request);
        let newest = newest.min(self.up_to);
        let needles = needles(query);
        let mut numbers = Numbers::new(self.paths);
        walk(self.paths, |line| {
            // A file begins with the board as it was then. Its tasks are no events, and no event comes before them.
            if line.starts_with(BASELINE_TASK.as_bytes()) {
                return Next::File;
            }
            let Ok(text) = std::str::from_utf8(line) else {
                return Next::Line;
            };
            let head = Head::read(text);
            if !is_request(text, &head) {
                return Next::Line;
            }
            let number = numbers.next(head.number);
            let too_old = query
                .since
                .is_some_and(|since| head.at.is_some_and(|at| at < since));
            if number > newest || too_old || !needles.iter().all(|needle| text.contains(needle)) {
                return Next::Line;
            }
            let value = serde_json::from_str::<Value>(text).ok();
            match value.as_ref().and_then(Entry::read) {
                Some(entry) if take(&entry, number) => Next::End,
                Some(_) | None => Next::Line,
            }
        });
    }
}

/// Texts that every line holds which a query can mean, as they stand in it.
fn needles(query: &HistoryQuery) -> Vec<String> {
    let mut needles = Vec::new();
    if let Some(TaskMatch::Is(id)) = &query.task {
        needles.push(id.to_string());
    }
    let author = match &query.by {
        Some(AuthorMatch::Is(session)) => Some(session.as_str()),
        Some(AuthorMatch::Like(text)) => Some(text.as_str()),
        None => None,
    };
    // What JSON writes as it is.
    let is_plain = |text: &&str| {
        !text
            .chars()
            .any(|c| c.is_control() || matches!(c, '"' | '\\'))
    };
    needles.extend(author.filter(is_plain).map(str::to_owned));
    needles
}

/// How a line begins, read without the rest of it.
#[derive(Default)]
struct Head {
    at: Option<Timestamp>,
    number: Option<u64>,
}

impl Head {
    fn read(line: &str) -> Self {
        let read = || {
            let rest = line.strip_prefix("{\"at\":\"")?;
            let (at, rest) = rest.split_once('"')?;
            let number = rest.strip_prefix(",\"n\":").and_then(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit())?;
                rest.get(..end)?
                    .parse()
                    .ok()
                    .filter(|number| *number < LARGEST_NUMBER)
            });
            Some(Self {
                at: Timestamp::parse(at),
                number,
            })
        };
        read().unwrap_or_default()
    }
}

/// Numbers requests, newest first. A written number stays as it is. Lines that an older version wrote have none: they
/// are counted.
struct Numbers<'a> {
    paths: &'a Paths,
    last: Option<u64>,
}

impl<'a> Numbers<'a> {
    fn new(paths: &'a Paths) -> Self {
        Self { paths, last: None }
    }

    fn next(&mut self, written: Option<u64>) -> u64 {
        let number = match (written, self.last) {
            (Some(written), _) => written,
            (None, Some(last)) => last.saturating_sub(1),
            (None, None) => count(self.paths),
        };
        self.last = Some(number);
        number
    }
}

/// The number of the newest request if that has none: so many after the newest that has one.
fn count(paths: &Paths) -> u64 {
    let mut count = 0;
    walk(paths, |line| {
        let text = std::str::from_utf8(line).unwrap_or_default();
        let head = Head::read(text);
        if let Some(number) = head.number {
            count += number;
            return Next::End;
        }
        if !text.starts_with(BASELINE_TASK) && is_request(text, &head) {
            count += 1;
        }
        Next::Line
    });
    count
}

/// The text that deleted tasks had last, as far as it was kept.
pub(crate) fn deleted_blocks(paths: &Paths, wanted: &BTreeSet<TaskId>) -> BTreeMap<TaskId, String> {
    let mut found = BTreeMap::new();
    let marked = format!("\"{BLOCKS}\":");
    walk(paths, |line| {
        let text = std::str::from_utf8(line).unwrap_or_default();
        if text.contains(&marked)
            && let Ok(line) = serde_json::from_str::<Value>(text)
        {
            let blocks = line.get(BLOCKS).and_then(Value::as_object);
            for (id, text) in blocks.into_iter().flatten() {
                let id = TaskId::parse(id).filter(|id| wanted.contains(id));
                if let (Some(id), Some(text)) = (id, text.as_str()) {
                    found.entry(id).or_insert_with(|| text.to_owned());
                }
            }
        }
        if found.len() < wanted.len() {
            Next::Line
        } else {
            Next::End
        }
    });
    found
}

/// Where to go on after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// With the line before it.
    Line,
    /// With the last line of the next older file.
    File,
    /// Nowhere.
    End,
}

/// Gives the lines of all files, newest first. A file that can't be read is passed over.
fn walk(paths: &Paths, mut take: impl FnMut(&[u8]) -> Next) {
    for file in open_all(paths) {
        if let Ok(Next::End) = walk_file(file, &mut take) {
            return;
        }
    }
}

/// Opens all files before the first is read. Another process may put them aside meanwhile, so that one is met again
/// under another name: then it is not read twice.
fn open_all(paths: &Paths) -> Vec<File> {
    let mut files: Vec<(u64, File)> = Vec::new();
    for age in 0..KEPT {
        if let Ok(file) = atomic_file::open(&paths.history(age))
            && let Ok(found) = file.metadata()
            && files.iter().all(|(inode, _)| *inode != found.ino())
        {
            files.push((found.ino(), file));
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

/// Gives the lines of a file, last first, and says where to go on. Every byte is read once and copied at most twice,
/// however long the lines are.
fn walk_file(mut file: File, take: &mut impl FnMut(&[u8]) -> Next) -> io::Result<Next> {
    let mut start = file.metadata()?.len();
    let mut step = FIRST_STEP;
    // The end of a line whose beginning was not read yet, last piece first.
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    while start > 0 {
        let length = step.min(start);
        start -= length;
        step = (step * 2).min(LARGEST_STEP);
        file.seek(SeekFrom::Start(start))?;
        let mut chunk = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact(&mut chunk)?;
        while let Some(newline) = chunk.iter().rposition(|&byte| byte == b'\n') {
            pieces.push(chunk.split_off(newline + 1));
            chunk.truncate(newline);
            let next = take_line(&mut pieces, take);
            if next != Next::Line {
                return Ok(next);
            }
        }
        pieces.push(chunk);
    }
    Ok(take_line(&mut pieces, take))
}

/// Gives the line that the pieces are, if there is anything in it.
fn take_line(pieces: &mut Vec<Vec<u8>>, take: &mut impl FnMut(&[u8]) -> Next) -> Next {
    let mut line = pieces.pop().unwrap_or_default();
    for piece in pieces.drain(..).rev() {
        line.extend(piece);
    }
    if line.is_empty() {
        return Next::Line;
    }
    take(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a file for this test")]
    fn lines_of(text: &str) -> Vec<String> {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, text).unwrap();
        let mut lines = Vec::new();
        let mut take = |line: &[u8]| {
            lines.push(String::from_utf8(line.to_vec()).unwrap());
            Next::Line
        };
        walk_file(File::open(&path).unwrap(), &mut take).unwrap();
        lines
    }

    #[test]
    fn lines_come_last_first_and_whole_however_long_they_are() {
        assert_eq!(lines_of(""), [""; 0]);
        assert_eq!(lines_of("a"), ["a"]);
        assert_eq!(lines_of("a\nb\n\nc"), ["c", "b", "a"]);
        let long = "x".repeat(3 * 1024 * 1024);
        let text = format!("first\n{long}\nlast\n");
        assert_eq!(lines_of(&text), ["last", &long, "first"]);
        // Lines that end exactly where a piece of the file does.
        let step = usize::try_from(FIRST_STEP).unwrap();
        for length in [step - 1, step, step + 1] {
            let text = format!("a\n{}\n", "b".repeat(length));
            assert_eq!(lines_of(&text), [&"b".repeat(length), "a"]);
        }
    }

    #[test]
    fn the_beginning_of_a_line_is_read_without_the_rest() {
        let check = |line: &str, at: Option<&str>, number: Option<u64>| {
            let head = Head::read(line);
            assert_eq!(head.at, at.and_then(Timestamp::parse), "{line}");
            assert_eq!(head.number, number, "{line}");
        };
        let at = Some("2026-11-15T07:12:13.123Z");
        check(
            "{\"at\":\"2026-11-15T07:12:13.123Z\",\"n\":12,\"by\":",
            at,
            Some(12),
        );
        check(
            "{\"at\":\"2026-11-15T07:12:13.123Z\",\"by\":\"n\"",
            at,
            None,
        );
        check("{\"by\":\"x\"", None, None);
        check("", None, None);
    }
}
