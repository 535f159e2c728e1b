//! Which events an undo is about. A store finds them inside the transaction: it asks a [`Selector`] for the next page
//! that is needed and hands it over, until nothing more is needed. So every store selects alike, whether it reads a
//! file or waits for a database.

use std::collections::BTreeSet;

use crate::{Event, EventNumber, HistoryPage, HistoryQuery, TaskMatch};

/// How many events are asked for at first, and at most at a time: pages grow, so that a store that must begin at the
/// newest event each time is not asked too often.
const FIRST_PAGE: usize = 100;
const LARGEST_PAGE: usize = 100_000;

/// Which events an undo is about. The queries say what must fit; pages are the selector's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Everything done by the newest request that has a matching event.
    Newest(HistoryQuery),
    /// The same, without requests that were taken back and those that took others back. Asked again and again, it walks
    /// back through what somebody did.
    NewestStanding(HistoryQuery),
    /// Every event that fits.
    Every(HistoryQuery),
}

/// Finds the events of a selection, page by page.
#[derive(Debug)]
pub struct Selector {
    step: Step,
    selected: Vec<Event>,
}

#[derive(Debug)]
enum Step {
    /// Looking for the newest event that fits.
    FindNewest(HistoryQuery),
    /// Looking for the newest one of a request that still stands, of this task if one is named.
    FindStanding {
        query: HistoryQuery,
        task: Option<TaskMatch>,
        taken_back: BTreeSet<u64>,
    },
    /// Collecting all that one request did.
    CollectRequest {
        query: HistoryQuery,
        request: u64,
    },
    /// Collecting all that fits.
    CollectAll(HistoryQuery),
    Done,
}

impl Selector {
    /// Has found nothing yet.
    pub fn new(selection: &Selection) -> Self {
        let page_of = |query: &HistoryQuery, limit: usize| HistoryQuery {
            before: None,
            limit,
            ..query.clone()
        };
        let step = match selection {
            Selection::Newest(query) => Step::FindNewest(page_of(query, 1)),
            Selection::NewestStanding(query) => Step::FindStanding {
                // What took something back is told by events of other tasks, too.
                query: HistoryQuery {
                    task: None,
                    ..page_of(query, FIRST_PAGE)
                },
                task: query.task.clone(),
                taken_back: BTreeSet::new(),
            },
            Selection::Every(query) => Step::CollectAll(page_of(query, FIRST_PAGE)),
        };
        Self {
            step,
            selected: Vec::new(),
        }
    }

    /// The page that is needed next; none once everything is found.
    pub fn needs(&self) -> Option<&HistoryQuery> {
        match &self.step {
            Step::FindNewest(query)
            | Step::FindStanding { query, .. }
            | Step::CollectRequest { query, .. }
            | Step::CollectAll(query) => Some(query),
            Step::Done => None,
        }
    }

    /// Takes the page that was needed.
    pub fn take(&mut self, page: HistoryPage) {
        self.step = match std::mem::replace(&mut self.step, Step::Done) {
            Step::FindNewest(_) => page.events.first().map_or(Step::Done, collect),
            Step::FindStanding {
                query,
                task,
                mut taken_back,
            } => {
                let next = next(&page, &query);
                let standing = page.events.iter().find(|event| {
                    let request = event.number.request;
                    if taken_back.contains(&request) {
                        return false;
                    }
                    taken_back.extend(event.undoes.iter());
                    let fits = task.as_ref().is_none_or(|task| task.accepts(event));
                    event.undoes.is_empty() && fits
                });
                match (standing, next) {
                    (Some(event), _) => collect(event),
                    (None, Some(query)) => Step::FindStanding {
                        query,
                        task,
                        taken_back,
                    },
                    (None, None) => Step::Done,
                }
            }
            Step::CollectRequest { query, request } => {
                let next = next(&page, &query);
                let older = |event: &Event| event.number.request != request;
                let is_whole = page.events.iter().any(older);
                let own = page.events.into_iter().filter(|event| !older(event));
                self.selected.extend(own);
                match next {
                    Some(query) if !is_whole => Step::CollectRequest { query, request },
                    Some(_) | None => Step::Done,
                }
            }
            Step::CollectAll(query) => {
                let next = next(&page, &query);
                self.selected.extend(page.events);
                next.map_or(Step::Done, Step::CollectAll)
            }
            Step::Done => Step::Done,
        };
    }

    /// What was found, newest first.
    pub fn finish(self) -> Vec<Event> {
        self.selected
    }
}

/// The next page, twice as large as this one.
fn next(page: &HistoryPage, query: &HistoryQuery) -> Option<HistoryQuery> {
    let next = page.next(query)?;
    let limit = (query.limit * 2).min(LARGEST_PAGE);
    Some(HistoryQuery { limit, ..next })
}

/// Collects all that the request of this event did.
fn collect(event: &Event) -> Step {
    let request = event.number.request;
    let before = EventNumber {
        request: request.saturating_add(1),
        place: 0,
    };
    Step::CollectRequest {
        query: HistoryQuery {
            before: Some(before),
            ..HistoryQuery::newest(FIRST_PAGE)
        },
        request,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{event, letter};
    use crate::{AuthorMatch, SessionName};

    /// Reads `1:ann:a,b 2:bob:a 3:ann:a<1`: number, who, tasks, and the requests that it takes back; newest last.
    fn history(text: &str) -> Vec<Event> {
        let mut events = Vec::new();
        for word in text.split_whitespace() {
            let parts: Vec<&str> = word.split(':').collect();
            let (tasks, undoes) = parts[2].split_once('<').unwrap_or((parts[2], ""));
            let undoes: Vec<u64> = undoes.split(',').filter_map(|n| n.parse().ok()).collect();
            for (place, task) in tasks.split(',').enumerate() {
                let mut made = event(parts[0].parse().unwrap(), parts[1], task, task, 1);
                made.number.place = place;
                made.undoes = undoes.clone().into();
                events.push(made);
            }
        }
        events.reverse();
        events
    }

    fn check_selection(text: &str, selection: &Selection, expected: &[(u64, usize)]) {
        let events = history(text);
        let mut selector = Selector::new(selection);
        while let Some(query) = selector.needs() {
            let page = query.page(events.clone());
            selector.take(page);
        }
        let found = selector.finish();
        let numbers: Vec<(u64, usize)> = found
            .iter()
            .map(|event| (event.number.request, event.number.place))
            .collect();
        assert_eq!(numbers, expected, "{text} {selection:?}");
    }

    fn of(by: Option<&str>, task: Option<&str>) -> HistoryQuery {
        HistoryQuery {
            by: by.map(|name| AuthorMatch::Is(SessionName::new(name))),
            task: task.map(|name| TaskMatch::Is(letter(name))),
            ..HistoryQuery::default()
        }
    }

    #[test]
    fn the_newest_request_that_fits_is_taken_whole() {
        let check = |by, task, expected: &[(u64, usize)]| {
            let text = "1:ann:a,b,c 2:bob:c 3:ann:b";
            check_selection(text, &Selection::Newest(of(by, task)), expected);
        };
        check(None, None, &[(3, 0)]);
        check(Some("bob"), None, &[(2, 0)]);
        check(None, Some("a"), &[(1, 2), (1, 1), (1, 0)]);
        check(Some("ann"), Some("c"), &[(1, 2), (1, 1), (1, 0)]);
        check(Some("eve"), None, &[]);
    }

    #[test]
    fn a_request_larger_than_a_page_is_taken_whole() {
        let names = vec!["a"; 250].join(",");
        let text = format!("1:ann:b 2:ann:{names} 3:ann:c");
        let expected: Vec<(u64, usize)> = (0..250).rev().map(|place| (2, place)).collect();
        check_selection(&text, &Selection::Newest(of(None, Some("a"))), &expected);
        let every = Selection::Every(of(None, Some("a")));
        check_selection(&text, &every, &expected);
    }

    #[test]
    fn what_was_taken_back_does_not_stand_any_more() {
        let check = |text: &str, expected: &[(u64, usize)]| {
            let mine = Selection::NewestStanding(of(Some("ann"), None));
            check_selection(text, &mine, expected);
        };
        check("1:ann:a 2:ann:b", &[(2, 0)]);
        check("1:ann:a 2:ann:b 3:ann:b<2", &[(1, 0)]);
        check("1:ann:a 2:ann:b 3:ann:b<2 4:ann:a<1", &[]);
        check("1:ann:a 2:ann:a<1 3:ann:a<2", &[(1, 0)]);
        check("1:ann:a 2:bob:b", &[(1, 0)]);
    }

    #[test]
    fn the_newest_that_stands_of_one_task_is_found_behind_others() {
        let of_task = |name: &str| Selection::NewestStanding(of(Some("ann"), Some(name)));
        let text = "1:ann:a 2:ann:a,b 3:ann:b 4:ann:b<3";
        check_selection(text, &of_task("b"), &[(2, 1), (2, 0)]);
        check_selection(text, &of_task("c"), &[]);
    }
}
