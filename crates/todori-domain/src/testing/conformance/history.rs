//! What happened is told newest first, in pages, and to each query what fits it.

use std::thread;

use super::{Probe, Subject, add, by, delete, set};
use crate::testing::{letter, moment, second};
use crate::{
    Actor, AuthorMatch, BoardKey, Event, Happening, HistoryQuery, Moment, SessionName, Status,
    TaskMatch, Want,
};

const KEY: BoardKey = BoardKey::Project;

pub(super) fn check<S: Subject>(subject: &S) {
    newest_first_with_all_that_is_known(&Probe::fresh(subject));
    one_request_has_one_number(&Probe::fresh(subject));
    queries_get_what_fits(&Probe::fresh(subject));
    pages_go_on_while_others_write(&Probe::fresh(subject));
    the_order_is_that_of_requests_whatever_clocks_said(&Probe::fresh(subject));
    clocks_are_not_believed_where_they_cannot_be_right(&Probe::fresh(subject));
    let probe = Probe::fresh(subject);
    if let Some(other) = probe.again() {
        everybody_reads_the_same_numbers(&probe, &other);
    }
    writers_in_two_openings_lose_nothing_and_share_the_numbers(subject);
    what_was_written_is_there_when_it_is_opened_again(subject);
}

fn ask(probe: &Probe<'_, impl Subject>, query: &HistoryQuery) -> crate::HistoryPage {
    let want = Want {
        history: query.clone(),
        presence: false,
    };
    probe.want(&KEY, want).history
}

fn newest_first_with_all_that_is_known(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a")]);
    let actor = Actor {
        client: Some("codex 1".to_owned()),
        ..Actor::session("other")
    };
    let done = vec![set("a", Status::Done)];
    probe.write(&KEY, &Moment { actor, ..moment(2) }, done);
    probe.write(&KEY, &moment(3), vec![delete("a")]);
    let history = probe.read(&KEY).history.events;
    let told: Vec<_> = history
        .iter()
        .map(|event| (event.by.as_str(), event.happening(), event.at))
        .collect();
    let expected = [
        ("tester", Happening::Deleted, second(3)),
        ("other", Happening::StatusChanged(Status::Done), second(2)),
        ("tester", Happening::Created, second(1)),
    ];
    assert_eq!(told, expected);
    assert_eq!(history[1].client.as_deref(), Some("codex 1"));
    let before = history[1].change.before.as_ref().unwrap();
    assert_eq!(before.status, Status::Pending);
    assert!(history.iter().all(|event| event.undoes.is_empty()));
}

fn one_request_has_one_number(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a"), add("b")]);
    probe.write(&KEY, &moment(1), vec![add("c"), delete("a")]);
    let events = probe.read(&KEY).history.events;
    let groups: Vec<usize> = events
        .chunk_by(|one, two| one.number.request == two.number.request)
        .map(<[Event]>::len)
        .collect();
    assert_eq!(groups, [2, 2]);
    assert!(events.is_sorted_by(|newer, older| newer.number > older.number));
}

fn queries_get_what_fits(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &by("ann", 1), vec![add("a"), add("b")]);
    probe.write(&KEY, &by("bob", 2), vec![set("a", Status::Done)]);
    probe.write(&KEY, &by("ann", 3), vec![set("b", Status::Done)]);
    probe.write(&KEY, &by("eve", 4), vec![delete("a")]);
    let check = |query: &HistoryQuery, expected: &[(i64, &str)], more: bool| {
        let page = ask(probe, query);
        let told = page.events.iter().map(|event| {
            let seconds = (event.at.as_millis() - second(0).as_millis()) / 1_000;
            let title = event.title().map_or("", |title| title.as_str());
            (seconds, title)
        });
        assert_eq!(
            (told.collect::<Vec<_>>().as_slice(), page.more),
            (expected, more),
            "{query:?}"
        );
    };
    let all = HistoryQuery::newest(9);
    check(&HistoryQuery::default(), &[], false);
    check(
        &all,
        &[(4, "a"), (3, "b"), (2, "a"), (1, "b"), (1, "a")],
        false,
    );
    check(&HistoryQuery::newest(2), &[(4, "a"), (3, "b")], true);
    let task = Some(TaskMatch::Is(letter("a")));
    let of_a = HistoryQuery {
        task,
        ..all.clone()
    };
    check(&of_a, &[(4, "a"), (2, "a"), (1, "a")], false);
    check(
        &HistoryQuery {
            limit: 1,
            ..of_a.clone()
        },
        &[(4, "a")],
        true,
    );
    let by_ann = Some(AuthorMatch::Is(SessionName::new("ann")));
    let by_ann = HistoryQuery {
        by: by_ann,
        ..all.clone()
    };
    check(&by_ann, &[(3, "b"), (1, "b"), (1, "a")], false);
    check(
        &HistoryQuery {
            task: of_a.task.clone(),
            ..by_ann
        },
        &[(1, "a")],
        false,
    );
    let by = Some(AuthorMatch::Like("o".to_owned()));
    check(&HistoryQuery { by, ..all.clone() }, &[(2, "a")], false);
    let since = Some(second(3));
    check(
        &HistoryQuery {
            since,
            ..all.clone()
        },
        &[(4, "a"), (3, "b")],
        false,
    );
    let words = Some(TaskMatch::Like("B".to_owned()));
    check(
        &HistoryQuery {
            task: words,
            ..all.clone()
        },
        &[(3, "b"), (1, "b")],
        false,
    );
    let before = Some(ask(probe, &of_a).events[1].number);
    check(
        &HistoryQuery {
            before,
            ..all.clone()
        },
        &[(1, "b"), (1, "a")],
        false,
    );
    check(&HistoryQuery { before, ..of_a }, &[(1, "a")], false);
}

fn pages_go_on_while_others_write(probe: &Probe<'_, impl Subject>) {
    for (second, name) in (1..).zip(["a", "b", "c", "d", "e"]) {
        probe.write(&KEY, &moment(second), vec![add(name)]);
    }
    let mut query = Some(HistoryQuery::newest(2));
    let mut seen = String::new();
    while let Some(asked) = query {
        let page = ask(probe, &asked);
        query = page.next(&asked);
        for event in &page.events {
            seen.push_str(event.title().map_or("", |title| title.as_str()));
        }
        probe.write(&KEY, &moment(9), vec![set("e", Status::Done)]);
        probe.write(&KEY, &moment(9), vec![set("e", Status::Pending)]);
    }
    assert_eq!(seen, "edcba");
}

fn the_order_is_that_of_requests_whatever_clocks_said(probe: &Probe<'_, impl Subject>) {
    for (second, name) in [(5, "a"), (1, "b"), (9, "c"), (3, "d")] {
        probe.write(&KEY, &moment(second), vec![add(name)]);
    }
    let titles = |query: &HistoryQuery| -> String {
        let events = ask(probe, query).events;
        events
            .iter()
            .filter_map(|event| Some(event.title()?.as_str().to_owned()))
            .collect()
    };
    assert_eq!(titles(&HistoryQuery::newest(9)), "dcba");
    let since = Some(second(4));
    assert_eq!(
        titles(&HistoryQuery {
            since,
            ..HistoryQuery::newest(9)
        }),
        "ca"
    );
}

fn clocks_are_not_believed_where_they_cannot_be_right(probe: &Probe<'_, impl Subject>) {
    for (second, name) in [(800, "a"), (500, "b"), (900, "c"), (5_000, "d")] {
        probe.write(&KEY, &moment(second), vec![add(name)]);
    }
    let check = |query: HistoryQuery, expected: &[&str]| {
        let events = ask(probe, &query).events;
        let titles = events.iter().filter_map(Event::title);
        let titles: Vec<&str> = titles.map(crate::Title::as_str).collect();
        assert_eq!(titles, expected, "{query:?}");
    };
    let since = HistoryQuery {
        since: Some(second(700)),
        ..HistoryQuery::newest(9)
    };
    check(since.clone(), &["d", "c", "a"]);
    let now = Some(second(1_000));
    check(
        HistoryQuery {
            now,
            ..since.clone()
        },
        &["c"],
    );
    // What later events tell of earlier ones counts on every page, and whoever is asked for.
    let task = Some(TaskMatch::Is(letter("a")));
    check(HistoryQuery { task, now, ..since }, &[]);
}

fn writers_in_two_openings_lose_nothing_and_share_the_numbers<S: Subject>(subject: &S) {
    let one = Probe::fresh(subject);
    let Some(other) = one.again() else {
        return;
    };
    let names = |first: u8| (first..first + 10).map(|byte| char::from(byte).to_string());
    thread::scope(|scope| {
        for (probe, first) in [(&one, b'a'), (&other, b'k')] {
            scope.spawn(move || {
                for name in names(first) {
                    let outcome = probe.write(&KEY, &moment(1), vec![add(&name)]);
                    outcome.verdict.expect("accepted");
                }
            });
        }
    });
    for probe in [&one, &other] {
        assert_eq!(probe.read(&KEY).board.len(), 20);
        let events = ask(probe, &HistoryQuery::newest(100)).events;
        assert_eq!(events.len(), 20);
        let grows = |newer: &Event, older: &Event| newer.number.request > older.number.request;
        assert!(
            events.is_sorted_by(grows),
            "each request has a number of its own"
        );
    }
}

fn what_was_written_is_there_when_it_is_opened_again<S: Subject>(subject: &S) {
    let first = Probe::fresh(subject);
    first.write(&KEY, &moment(1), vec![add("a"), add("b")]);
    first.write(&KEY, &moment(2), vec![set("a", Status::Done)]);
    let before = first.read(&KEY);
    drop(first);
    let Some(store) = subject.again() else {
        return;
    };
    let again = Probe { subject, store };
    let after = again.read(&KEY);
    assert_eq!(
        (&after.board, &after.history),
        (&before.board, &before.history)
    );
    again.write(&KEY, &moment(3), vec![add("c")]);
    let newest = again.read(&KEY).history.events[0].number;
    assert!(newest > before.history.events[0].number, "numbers go on");
}

fn everybody_reads_the_same_numbers<S: Subject>(one: &Probe<'_, S>, other: &Probe<'_, S>) {
    one.write(&KEY, &moment(1), vec![add("a")]);
    other.write(&KEY, &moment(2), vec![add("b")]);
    one.write(&KEY, &moment(3), vec![add("c")]);
    let numbers = |probe: &Probe<'_, S>| -> Vec<_> {
        let events = probe.read(&KEY).history.events;
        events.iter().map(|event| event.number).collect()
    };
    assert_eq!(numbers(one).len(), 3);
    assert_eq!(numbers(one), numbers(other));
}
