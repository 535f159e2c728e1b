//! Reads the history backwards, and no more of it than a question needs: lines that can't be meant are passed over by
//! their bytes, without reading them as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use todori_domain::{
    AuthorMatch, Event, HistoryFilter, HistoryPage, HistoryQuery, Selection, Selector, TaskChange,
    TaskId, TaskMatch, Timestamp,
};

use super::history::{BASELINE_TASK, Entry, LeadsTo};
use super::history_files::{Next, walk};
use super::paths::Paths;

/// No history gets so long. Somebody may have written anything into the file, and numbers must be able to grow.
const LARGEST_NUMBER: u64 = 1 << 53;

/// Where the history ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Last {
    /// The newest state of the board's file that a line names.
    pub(crate) leads_to: LeadsTo,
    /// The number of the newest request; 0 if there is none.
    pub(crate) request: u64,
}

/// Finds the newest line. Half a line, which a writer that was killed may have left, has its number all the same.
pub(crate) fn last(paths: &Paths) -> Option<Last> {
    let mut leads_to = None;
    let mut request = None;
    let mut numbers = Numbers::new(paths);
    walk(paths, |line| {
        if line.starts_with(BASELINE_TASK.as_bytes()) {
            return Next::Line;
        }
        let head = Head::read(line);
        let text = std::str::from_utf8(line).unwrap_or_default();
        if request.is_none() && is_request(text, &head) {
            request = Some(numbers.next(head.number));
        }
        if leads_to.is_none() && text.contains("\"file\":") {
            let value = serde_json::from_str::<Value>(text).ok();
            leads_to = value.as_ref().and_then(LeadsTo::read);
        }
        match (&leads_to, request) {
            (Some(_), Some(_)) => Next::End,
            _ => Next::Line,
        }
    });
    let request = request.unwrap_or(0);
    leads_to.map(|leads_to| Last { leads_to, request })
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
    /// What was changed outside after that, and is not noted yet; oldest first.
    pub(crate) outside: &'a [Entry],
}

impl Past<'_> {
    /// Answers one question.
    pub(crate) fn page(&self, query: &HistoryQuery) -> HistoryPage {
        if query.limit == 0 {
            return HistoryPage::default();
        }
        let mut filter = HistoryFilter::new(query);
        let mut found: Vec<Event> = Vec::new();
        let mut take = |entry: &Entry, number: u64, filter: &mut HistoryFilter<'_>| {
            found.extend(entry.events(number).filter(|event| filter.accepts(event)));
            // One more than wanted says that there is more.
            found.len() > query.limit || filter.is_over()
        };
        let next = self.up_to.saturating_add(1);
        let mut outside = (next..)
            .zip(self.outside)
            .collect::<Vec<_>>()
            .into_iter()
            .rev();
        if !outside.any(|(number, entry)| take(entry, number, &mut filter)) {
            self.walk(query, &mut filter, take);
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
    fn walk<'a>(
        &self,
        query: &'a HistoryQuery,
        filter: &mut HistoryFilter<'a>,
        mut take: impl FnMut(&Entry, u64, &mut HistoryFilter<'a>) -> bool,
    ) {
        let newest = query.before.map_or(u64::MAX, |before| before.request);
        let needles = Needles::of(query);
        let mut numbers = Numbers::new(self.paths);
        walk(self.paths, |line| {
            // A file begins with the board as it was then. Its tasks are no events, and no event comes before them.
            if line.starts_with(BASELINE_TASK.as_bytes()) {
                return Next::File;
            }
            let Ok(text) = std::str::from_utf8(line) else {
                return Next::Line;
            };
            let head = Head::read(line);
            if !is_request(text, &head) {
                return Next::Line;
            }
            let number = numbers.next(head.number);
            if number > self.up_to {
                return Next::Line;
            }
            let may_be_meant = number <= newest && needles.are_in(text);
            // A change of branch may end the search, whoever is asked for.
            let may_end = query.since_switch && head.is_switch && needles.is_of_task(text);
            if !may_be_meant && !may_end {
                head.at.into_iter().for_each(|at| filter.pass_over(at));
                return Next::Line;
            }
            let value = serde_json::from_str::<Value>(text).ok();
            match value.as_ref().and_then(Entry::read) {
                Some(entry) if take(&entry, number, filter) => Next::End,
                Some(_) | None => Next::Line,
            }
        });
    }
}

/// Texts that every line holds which a query can mean, as they stand in it.
#[derive(Default)]
struct Needles {
    task: Option<String>,
    author: Option<String>,
}

impl Needles {
    fn of(query: &HistoryQuery) -> Self {
        let task = match &query.task {
            Some(TaskMatch::Is(id)) => Some(id.to_string()),
            Some(TaskMatch::Like(_)) | None => None,
        };
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
        let author = author.filter(is_plain).map(str::to_owned);
        Self { task, author }
    }

    fn is_of_task(&self, text: &str) -> bool {
        self.task.as_ref().is_none_or(|task| text.contains(task))
    }

    fn are_in(&self, text: &str) -> bool {
        let author = self.author.as_ref();
        author.is_none_or(|author| text.contains(author)) && self.is_of_task(text)
    }
}

/// How a line begins, read without the rest of it.
#[derive(Default)]
struct Head {
    at: Option<Timestamp>,
    number: Option<u64>,
    is_switch: bool,
}

/// The longest beginning: a time and a number.
const LONGEST_HEAD: usize = 100;

impl Head {
    /// Reads it even where what comes later is no text.
    fn read(line: &[u8]) -> Self {
        let line = line.get(..LONGEST_HEAD).unwrap_or(line);
        let line = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let read = || {
            let rest = line.strip_prefix("{\"at\":\"")?;
            let (at, rest) = rest.split_once('"')?;
            let rest = rest.strip_prefix(",\"n\":").unwrap_or_default();
            let end = rest.find(|c: char| !c.is_ascii_digit());
            let (number, rest) = rest.split_at(end.unwrap_or(0));
            let number = number.parse().ok();
            Some(Self {
                at: Timestamp::parse(at),
                number: number.filter(|number| *number < LARGEST_NUMBER),
                is_switch: rest.starts_with(",\"switch\":true"),
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
        let head = Head::read(line);
        if let Some(number) = head.number {
            count += number;
            return Next::End;
        }
        let text = std::str::from_utf8(line).unwrap_or_default();
        if !text.starts_with(BASELINE_TASK) && is_request(text, &head) {
            count += 1;
        }
        Next::Line
    });
    count
}

/// Which of these tasks the history has ever told of. Reads all of it, so that it is for what happens seldom.
pub(crate) fn known(paths: &Paths, tasks: &BTreeSet<TaskId>) -> BTreeSet<TaskId> {
    let mut unknown: Vec<(TaskId, String)> = tasks.iter().map(|id| (*id, id.to_string())).collect();
    walk(paths, |line| {
        let line = String::from_utf8_lossy(line);
        unknown.retain(|(_, id)| !line.contains(id.as_str()));
        if unknown.is_empty() {
            Next::End
        } else {
            Next::Line
        }
    });
    let unknown: BTreeSet<TaskId> = unknown.into_iter().map(|(id, _)| id).collect();
    tasks.difference(&unknown).copied().collect()
}

/// The text that tasks had when these requests deleted them, as far as there was more in it than a task.
pub(crate) fn deleted_texts(
    paths: &Paths,
    requests: &BTreeSet<u64>,
    wanted: &BTreeSet<TaskId>,
) -> BTreeMap<TaskId, Option<String>> {
    let mut found = BTreeMap::new();
    let mut numbers = Numbers::new(paths);
    let oldest = requests.first().copied().unwrap_or(u64::MAX);
    walk(paths, |line| {
        let head = Head::read(line);
        let text = std::str::from_utf8(line).unwrap_or_default();
        if text.starts_with(BASELINE_TASK) || !is_request(text, &head) {
            return Next::Line;
        }
        let number = numbers.next(head.number);
        if number < oldest {
            return Next::End;
        }
        if requests.contains(&number)
            && let Ok(value) = serde_json::from_str::<Value>(text)
            && let Some(entry) = Entry::read(&value)
        {
            entry.deleted_texts(wanted, &mut found);
        }
        Next::Line
    });
    found
}

impl Entry {
    /// Notes the texts of the tasks that it deletes. A task that is deleted several times has, once all of that is taken
    /// back, the text that it had at first.
    pub(crate) fn deleted_texts(
        &self,
        wanted: &BTreeSet<TaskId>,
        found: &mut BTreeMap<TaskId, Option<String>>,
    ) {
        let deleted = self.change.tasks.iter().filter(|task| task.after.is_none());
        let deleted = deleted.filter_map(TaskChange::id);
        for id in deleted.filter(|id| wanted.contains(id)) {
            found.insert(id, self.blocks.get(&id).cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_line_is_read_without_the_rest() {
        let check = |line: &[u8], at: Option<&str>, number: Option<u64>, is_switch: bool| {
            let head = Head::read(line);
            let line = String::from_utf8_lossy(line);
            assert_eq!(head.at, at.and_then(Timestamp::parse), "{line}");
            assert_eq!(head.number, number, "{line}");
            assert_eq!(head.is_switch, is_switch, "{line}");
        };
        let at = Some("2026-11-15T07:12:13.123Z");
        let beginning = b"{\"at\":\"2026-11-15T07:12:13.123Z\",";
        let line = |rest: &[u8]| [beginning, rest].concat();
        check(&line(b"\"n\":12,\"by\":"), at, Some(12), false);
        check(&line(b"\"n\":12,\"by\":\"\xff"), at, Some(12), false);
        check(
            &line(b"\"n\":12,\"switch\":true,\"by\":"),
            at,
            Some(12),
            true,
        );
        check(&line(b"\"n\":1"), at, None, false);
        check(&line(b"\"by\":\"n\""), at, None, false);
        check(b"{\"by\":\"x\"", None, None, false);
        check(b"", None, None, false);
    }
}
