//! Who is alive, with which list; how sessions end; and that watchers are woken.

use std::thread;

use super::{Probe, Subject, add, by, delete, set, titles, work};
use crate::testing::moment;
use crate::{BoardKey, SessionEnd, SessionName, Sessions, Status};

const KEY: BoardKey = BoardKey::Project;

pub(super) fn check<S: Subject>(subject: &S) {
    whoever_takes_a_task_is_alive_until_the_end(&Probe::fresh(subject));
    a_live_session_keeps_its_task(&Probe::fresh(subject));
    of_two_that_ask_at_once_one_gets_the_task(&Probe::fresh(subject));
    a_session_is_listed_with_its_list(&Probe::fresh(subject));
    a_session_that_is_over_takes_its_list_along(&Probe::fresh(subject));
    a_silent_session_keeps_its_list(&Probe::fresh(subject));
    only_sessions_with_the_suffix_end(&Probe::fresh(subject));
    watchers_of_sessions_are_woken(&Probe::fresh(subject));
    people_are_always_there(&Probe::fresh(subject));
    the_revision_of_a_list_never_goes_back(&Probe::fresh(subject));
    let probe = Probe::fresh(subject);
    if let Some(other) = probe.again() {
        others_see_who_is_there(&probe, &other);
    }
    closing_the_store_frees_what_its_sessions_have(subject);
}

fn list_of(session: &str) -> BoardKey {
    BoardKey::Session(SessionName::new(session))
}

fn start(probe: &Probe<'_, impl Subject>, task: &str, session: &str) {
    let commands = vec![add(task), set(task, Status::InProgress)];
    let outcome = probe.write(&KEY, &by(session, 1), commands);
    outcome.verdict.expect("accepted");
}

fn end(probe: &Probe<'_, impl Subject>, suffix: &str, how: SessionEnd) {
    probe
        .wait(probe.store.end_sessions(suffix, how))
        .expect("ended");
}

fn sessions(probe: &Probe<'_, impl Subject>) -> Sessions {
    probe.wait(probe.store.sessions()).expect("the store works")
}

/// Each session with its list: `ann: a b`.
fn shown(probe: &Probe<'_, impl Subject>) -> Vec<String> {
    let sessions = sessions(probe).sessions;
    let told = sessions.iter().map(|session| {
        let list = session
            .list
            .as_ref()
            .map(|list| format!(": {}", titles(list)));
        format!("{}{}", session.name.as_str(), list.unwrap_or_default())
    });
    told.collect()
}

fn is_live(probe: &Probe<'_, impl Subject>, session: &str) -> bool {
    probe.read(&KEY).live.contains(&SessionName::new(session))
}

fn whoever_takes_a_task_is_alive_until_the_end(probe: &Probe<'_, impl Subject>) {
    assert_eq!(shown(probe), [""; 0]);
    start(probe, "a", "ann");
    assert!(is_live(probe, "ann"));
    assert_eq!(shown(probe), ["ann"]);
    end(probe, "ann", SessionEnd::Over);
    assert!(!is_live(probe, "ann"));
    assert_eq!(shown(probe), [""; 0]);
    let board = probe.read(&KEY).board;
    assert_eq!(
        board.holders().len(),
        1,
        "its task stays as it is, for others to take"
    );
}

fn a_live_session_keeps_its_task(probe: &Probe<'_, impl Subject>) {
    start(probe, "a", "ann");
    let take = || vec![set("a", Status::InProgress)];
    let holder = |probe: &Probe<'_, _>| {
        let board = probe.read(&KEY).board;
        let task = board.in_order().next().unwrap();
        task.assignee.clone().unwrap().as_str().to_owned()
    };
    probe
        .write(&KEY, &by("bob", 2), take())
        .verdict
        .expect("accepted");
    assert_eq!(holder(probe), "ann");
    end(probe, "ann", SessionEnd::Silent);
    probe
        .write(&KEY, &by("bob", 3), take())
        .verdict
        .expect("accepted");
    assert_eq!(holder(probe), "bob");
}

fn of_two_that_ask_at_once_one_gets_the_task(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a")]);
    let moments = [by("ann", 2), by("bob", 2), by("eve", 2)];
    // None of them was heard of before, and nobody waits for the answer to another.
    let asked: Vec<_> = moments
        .iter()
        .map(|now| {
            let take = work(now, vec![set("a", Status::InProgress)]);
            probe.store.transact(&KEY, now, take)
        })
        .collect();
    for answer in asked {
        let outcome = probe.wait(answer).expect("answered");
        let holder = outcome.board.in_order().next().unwrap().assignee.clone();
        assert_eq!(holder, Some(SessionName::new("ann")));
    }
}

fn a_session_is_listed_with_its_list(probe: &Probe<'_, impl Subject>) {
    probe.write(&list_of("bob"), &by("bob", 1), vec![add("b"), add("c")]);
    probe.write(&list_of("ann"), &by("ann", 1), vec![add("a")]);
    assert_eq!(shown(probe), ["ann: a", "bob: b c"]);
    probe.write(&list_of("ann"), &by("ann", 2), vec![delete("a"), add("d")]);
    assert_eq!(shown(probe), ["ann: d", "bob: b c"]);
}

fn a_session_that_is_over_takes_its_list_along(probe: &Probe<'_, impl Subject>) {
    probe.write(&list_of("ann"), &by("ann", 1), vec![add("a")]);
    end(probe, "ann", SessionEnd::Over);
    assert_eq!(shown(probe), [""; 0]);
    assert!(probe.read(&list_of("ann")).board.is_empty());
}

fn a_silent_session_keeps_its_list(probe: &Probe<'_, impl Subject>) {
    start(probe, "a", "ann");
    probe.write(&list_of("ann"), &by("ann", 1), vec![add("b")]);
    end(probe, "ann", SessionEnd::Silent);
    assert!(!is_live(probe, "ann"), "what it has in progress is free");
    assert_eq!(titles(&probe.read(&list_of("ann")).board), "b");
    assert_eq!(shown(probe), ["ann: b"]);
    let is_listed_as_live = || sessions(probe).sessions[0].is_live;
    assert!(!is_listed_as_live(), "it is listed as not there");
    probe.write(&list_of("ann"), &by("ann", 2), vec![add("c")]);
    assert!(is_listed_as_live(), "until it is heard of again");
}

fn only_sessions_with_the_suffix_end(probe: &Probe<'_, impl Subject>) {
    start(probe, "a", "ann-1");
    start(probe, "b", "bob-2");
    probe.write(&list_of("ann-1"), &by("ann-1", 1), vec![add("a")]);
    probe.write(&list_of("bob-2"), &by("bob-2", 1), vec![add("b")]);
    end(probe, "-1", SessionEnd::Over);
    assert_eq!(shown(probe), ["bob-2: b"]);
    assert_eq!(
        (is_live(probe, "ann-1"), is_live(probe, "bob-2")),
        (false, true)
    );
}

fn watchers_of_sessions_are_woken<S: Subject>(probe: &Probe<'_, S>) {
    let check = |what: &str, act: &(dyn Fn() + Sync)| {
        let before = sessions(probe).revision;
        thread::scope(|scope| {
            let woken = || {
                probe
                    .wait(probe.store.wait_past_sessions(before))
                    .expect("woken")
            };
            let waiting = scope.spawn(woken);
            act();
            assert!(waiting.join().unwrap() > before, "{what}");
        });
    };
    let list = list_of("ann");
    let write = |commands: Vec<crate::Command>| drop(probe.write(&list, &by("ann", 1), commands));
    check("a session begins a list", &|| write(vec![add("a")]));
    check("it changes it", &|| write(vec![add("b")]));
    check("it empties it", &|| write(vec![delete("a"), delete("b")]));
    check("another takes a task", &|| start(probe, "a", "bob"));
    check("that one ends", &|| end(probe, "bob", SessionEnd::Over));
}

fn the_revision_of_a_list_never_goes_back<S: Subject>(probe: &Probe<'_, S>) {
    let list = list_of("ann");
    for name in ["a", "b"] {
        probe.write(&list, &by("ann", 1), vec![add(name)]);
    }
    let before = probe.read(&list).revision;
    let woken = || {
        probe
            .wait(probe.store.wait_past(&list, before))
            .expect("woken")
    };
    thread::scope(|scope| {
        let waiting = scope.spawn(woken);
        end(probe, "ann", SessionEnd::Over);
        assert!(waiting.join().unwrap() > before, "its end is a change");
    });
    probe.write(&list, &by("ann", 2), vec![add("c")]);
    assert!(probe.read(&list).revision > before);
    assert!(
        woken() > before,
        "whoever waits is not left waiting for a list that began anew"
    );
}

fn closing_the_store_frees_what_its_sessions_have<S: Subject>(subject: &S) {
    let one = Probe::fresh(subject);
    let Some(other) = one.again() else {
        return;
    };
    start(&one, "a", "ann");
    start(&other, "b", "bob");
    drop(one);
    assert_eq!(
        (is_live(&other, "ann"), is_live(&other, "bob")),
        (false, true)
    );
    let take = vec![set("a", Status::InProgress)];
    other.write(&KEY, &by("bob", 2), take);
    let board = other.read(&KEY).board;
    let holders: Vec<&str> = board.holders().iter().map(SessionName::as_str).collect();
    assert_eq!(holders, ["bob"]);
}

fn people_are_always_there(probe: &Probe<'_, impl Subject>) {
    let person = SessionName::person("ada");
    start(probe, "a", person.as_str());
    end(probe, "ada", SessionEnd::Over);
    assert!(is_live(probe, person.as_str()) || probe.read(&KEY).live.is_empty());
    let take = vec![set("a", Status::InProgress)];
    probe.write(&KEY, &by("bob", 2), take);
    let board = probe.read(&KEY).board;
    let holder = board.in_order().next().unwrap().assignee.clone();
    assert_eq!(
        holder,
        Some(person),
        "a person's task is not taken by a session"
    );
}

fn others_see_who_is_there<S: Subject>(one: &Probe<'_, S>, other: &Probe<'_, S>) {
    start(one, "a", "ann");
    one.write(&list_of("ann"), &by("ann", 1), vec![add("x")]);
    assert!(is_live(other, "ann"));
    assert_eq!(shown(other), ["ann: x"]);
    assert_eq!(titles(&other.read(&list_of("ann")).board), "x");
    let before = sessions(other).revision;
    thread::scope(|scope| {
        let waiting = scope.spawn(|| other.wait(other.store.wait_past_sessions(before)).unwrap());
        one.write(&list_of("ann"), &moment(2), vec![add("y")]);
        assert!(waiting.join().unwrap() > before);
    });
    assert_eq!(shown(other), ["ann: x y"]);
    end(one, "ann", SessionEnd::Over);
    assert!(!is_live(other, "ann"));
    assert_eq!(shown(other), [""; 0]);
}
