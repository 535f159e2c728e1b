//! Reading, writing and waiting for one board; and that boards are apart.

use std::future::poll_fn;
use std::task::Poll;
use std::thread;

use super::{Probe, Subject, add, delete, set, titles, work};
use crate::testing::{letter, moment, second};
use crate::{
    BoardKey, Command, Description, NewTask, Priority, Refusal, Revision, SessionName, Status,
    StoreError, SubtaskRef, Title, Want,
};

pub(super) fn check<S: Subject>(subject: &S, key: &BoardKey) {
    let fresh = || Probe::fresh(subject);
    a_new_board_is_empty_and_reading_it_creates_nothing(&fresh(), key);
    what_was_written_is_read(&fresh(), key);
    a_refusal_changes_nothing(&fresh(), key);
    a_request_is_applied_whole_or_not_at_all(&fresh(), key);
    an_empty_change_moves_no_revision(&fresh(), key);
    every_change_moves_the_revision(&fresh(), key);
    a_read_sees_the_writes_before_it(&fresh(), key);
    a_read_does_not_see_the_writes_after_it(&fresh(), key);
    one_refusal_in_a_crowd_fails_alone(&fresh(), key);
    what_cancels_out_has_happened_all_the_same(&fresh(), key);
    writers_at_once_lose_nothing(&fresh(), key);
    waiting_ends_with_the_next_change(&fresh(), key);
    waiting_goes_on_while_nothing_changes(&fresh(), key);
    a_snapshot_does_not_change_under_its_reader(&fresh(), key);
    let probe = fresh();
    if let Some(other) = probe.again() {
        two_openings_share_one_board(&probe, &other, key);
        every_field_is_kept(&probe, &other, key);
        waiting_ends_when_somebody_else_writes(&probe, &other, key);
    }
}

fn a_new_board_is_empty_and_reading_it_creates_nothing(
    probe: &Probe<'_, impl Subject>,
    key: &BoardKey,
) {
    let first = probe.read(key);
    assert!(first.board.is_empty() && first.history.events.is_empty());
    assert_eq!(probe.read(key).revision, first.revision);
    let sessions = probe.wait(probe.store.sessions()).unwrap();
    assert_eq!(sessions.sessions, [], "reading makes no session");
    let before = sessions.revision;
    assert_eq!(probe.wait(probe.store.sessions()).unwrap().revision, before);
}

fn what_was_written_is_read(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    let commands = vec![add("b"), add("a"), set("a", Status::InProgress)];
    let outcome = probe.write(key, &moment(1), commands);
    let change = outcome.verdict.expect("accepted");
    assert_eq!(change.tasks.len(), 2);
    let mut tasks = change.tasks.iter();
    assert!(tasks.all(|task| task.before.is_none() && task.after.is_some()));
    let snapshot = probe.read(key);
    assert_eq!(snapshot.board, outcome.board);
    assert_eq!(snapshot.revision, outcome.revision);
    assert_eq!(titles(&snapshot.board), "b a");
    let task = snapshot.board.get(letter("a")).unwrap();
    assert_eq!(task.assignee, Some(SessionName::new("tester")));
    let expected = (moment(1).at, Priority::Medium);
    assert_eq!((task.created, task.priority), expected);
}

fn a_refusal_changes_nothing(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    probe.write(key, &moment(1), vec![add("a")]);
    let before = probe.read(key);
    let outcome = probe.write(key, &moment(2), vec![set("x", Status::Done)]);
    assert!(matches!(outcome.verdict, Err(Refusal::TaskNotFound { .. })));
    assert_eq!(
        outcome.board, before.board,
        "it carries the board it was decided on"
    );
    let after = probe.read(key);
    assert_eq!(
        (after.board, after.revision),
        (before.board, before.revision)
    );
    assert_eq!(after.history, before.history);
}

fn a_request_is_applied_whole_or_not_at_all(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    probe.write(key, &moment(1), vec![add("a")]);
    let outcome = probe.write(key, &moment(2), vec![add("b"), set("x", Status::Done)]);
    assert!(outcome.verdict.is_err());
    assert_eq!(titles(&probe.read(key).board), "a");
}

fn an_empty_change_moves_no_revision(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    probe.write(key, &moment(1), vec![add("a"), set("a", Status::Done)]);
    let before = probe.read(key);
    let outcome = probe.write(key, &moment(2), vec![set("a", Status::Done)]);
    assert!(outcome.verdict.expect("accepted").is_empty());
    let after = probe.read(key);
    assert_eq!(
        (after.board, after.revision),
        (before.board, before.revision)
    );
    assert_eq!(after.history, before.history);
}

fn every_change_moves_the_revision(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    let mut last = probe.read(key).revision;
    for name in ["a", "b", "c"] {
        let outcome = probe.write(key, &moment(1), vec![add(name)]);
        assert!(outcome.revision > last);
        last = outcome.revision;
        assert_eq!(probe.read(key).revision, last);
    }
}

fn a_read_sees_the_writes_before_it(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    let now = moment(1);
    let write = probe.store.transact(key, &now, work(&now, vec![add("a")]));
    let read = probe.store.read(key, Want::default());
    // Both are asked for before either is waited for, and the later one is waited for first.
    let read = probe.wait(read).expect("read");
    let write = probe.wait(write).expect("written");
    assert_eq!(titles(&read.board), "a");
    assert_eq!(titles(&write.board), "a");
}

fn a_read_does_not_see_the_writes_after_it(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    let now = moment(2);
    probe.write(key, &moment(1), vec![add("a")]);
    for name in ["b", "c", "d"] {
        let before = titles(&probe.read(key).board);
        let read = probe.store.read(key, Want::default());
        let write = probe.store.transact(key, &now, work(&now, vec![add(name)]));
        // The later one is waited for first.
        probe.wait(write).expect("written");
        let read = probe.wait(read).expect("read");
        assert_eq!(titles(&read.board), before);
    }
}

fn one_refusal_in_a_crowd_fails_alone(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    let now = moment(1);
    let asked: Vec<_> = [add("a"), set("x", Status::Done), add("b"), add("c")]
        .into_iter()
        .map(|command| probe.store.transact(key, &now, work(&now, vec![command])))
        .collect();
    let taken: Vec<bool> = asked
        .into_iter()
        .map(|promise| probe.wait(promise).expect("answered").verdict.is_ok())
        .collect();
    assert_eq!(taken, [true, false, true, true]);
    assert_eq!(titles(&probe.read(key).board), "a b c");
}

fn what_cancels_out_has_happened_all_the_same(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    let now = moment(1);
    probe.write(key, &now, vec![add("a")]);
    // Asked at once, so that a store may make both durable together.
    let asked: Vec<_> = [add("b"), delete("b")]
        .into_iter()
        .map(|command| probe.store.transact(key, &now, work(&now, vec![command])))
        .collect();
    let answers = asked.into_iter();
    let revisions = answers.map(|answer| probe.wait(answer).expect("answered").revision);
    let newest = revisions.max().unwrap();
    let read = probe.read(key);
    assert_eq!(titles(&read.board), "a");
    assert!(
        read.revision >= newest,
        "no revision is promised that never comes"
    );
    assert_eq!(read.history.events.len(), 3, "all of it is remembered");
}

fn writers_at_once_lose_nothing<S: Subject>(probe: &Probe<'_, S>, key: &BoardKey) {
    thread::scope(|scope| {
        for names in [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]] {
            scope.spawn(move || {
                for name in names {
                    let outcome = probe.write(key, &moment(1), vec![add(name)]);
                    outcome.verdict.expect("accepted");
                }
            });
        }
    });
    assert_eq!(probe.read(key).board.len(), 9);
}

fn waiting_ends_with_the_next_change<S: Subject>(probe: &Probe<'_, S>, key: &BoardKey) {
    let before = probe.read(key).revision;
    let woken = || {
        probe
            .wait(probe.store.wait_past(key, before))
            .expect("woken")
    };
    thread::scope(|scope| {
        let waiting = scope.spawn(woken);
        let written = probe.write(key, &moment(1), vec![add("a")]).revision;
        assert!(waiting.join().unwrap() >= written);
    });
    assert!(
        woken() > before,
        "a change that was there before the wait began ends it at once"
    );
}

fn waiting_goes_on_while_nothing_changes(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    probe.write(key, &moment(1), vec![add("a")]);
    let now = probe.read(key).revision;
    let sessions = probe.wait(probe.store.sessions()).unwrap().revision;
    let is_pending = |mut waiting: crate::Promise<'_, Result<Revision, StoreError>>| {
        probe.wait(Box::pin(async move {
            for _ in 0..3 {
                let once =
                    poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_ready()));
                if once.await {
                    return false;
                }
                // Reading, and being refused, are no changes.
                drop(probe.store.read(key, Want::default()).await);
                let refused = work(&moment(2), vec![set("x", Status::Done)]);
                drop(probe.store.transact(key, &moment(2), refused).await);
            }
            true
        }))
    };
    assert!(is_pending(probe.store.wait_past(key, now)));
    assert!(is_pending(probe.store.wait_past_sessions(sessions)));
}

/// A task with something in every field comes back as it was, in every opening.
fn every_field_is_kept<S: Subject>(one: &Probe<'_, S>, other: &Probe<'_, S>, key: &BoardKey) {
    let title = |text: &str| Title::parse(text).unwrap();
    let description = Description::parse("First line\n\n- second: \"line\"\n").unwrap();
    let new = NewTask {
        active_form: Some(title("Doing it")),
        description: description.clone(),
        priority: Priority::High,
        waits_for: vec![letter("a").into()],
        ..NewTask::titled(letter("m"), title("Do it"))
    };
    let step = |text: &str| Command::AddSubtask {
        task: letter("m").into(),
        title: title(text),
        description: description.clone(),
    };
    let gone = SubtaskRef {
        task: letter("m").into(),
        number: 2,
    };
    let commands = vec![
        Command::Add(new),
        step("one"),
        step("two"),
        Command::DeleteSubtask { subtask: gone },
    ];
    one.write(key, &moment(5), commands)
        .verdict
        .expect("accepted");
    assert_eq!(other.read(key).board, one.read(key).board);
    one.write(key, &moment(6), vec![set("m", Status::Done)]);
    let kept = other.read(key).board;
    assert_eq!(kept, one.read(key).board);
    let task = kept.get(letter("m")).unwrap();
    let expected = (Some(second(6)), 3, second(5), second(6));
    assert_eq!(
        (
            task.completed,
            task.next_subtask,
            task.created,
            task.updated
        ),
        expected
    );
    assert_eq!((&task.description, task.subtasks.len()), (&description, 1));
}

fn a_snapshot_does_not_change_under_its_reader(probe: &Probe<'_, impl Subject>, key: &BoardKey) {
    probe.write(key, &moment(1), vec![add("a")]);
    let snapshot = probe.read(key);
    probe.write(key, &moment(2), vec![add("b")]);
    assert_eq!(titles(&snapshot.board), "a");
}

fn two_openings_share_one_board<S: Subject>(
    one: &Probe<'_, S>,
    other: &Probe<'_, S>,
    key: &BoardKey,
) {
    one.write(key, &moment(1), vec![add("a")]);
    assert_eq!(titles(&other.read(key).board), "a");
    other.write(key, &moment(2), vec![add("b")]);
    one.write(key, &moment(3), vec![add("c")]);
    assert_eq!(titles(&one.read(key).board), "a b c");
    assert_eq!(other.read(key).board, one.read(key).board);
    let identity = |probe: &Probe<'_, S>| probe.wait(probe.store.identify(key)).unwrap();
    assert_eq!(identity(one), identity(other), "it is the same board");
}

fn waiting_ends_when_somebody_else_writes<S: Subject>(
    one: &Probe<'_, S>,
    other: &Probe<'_, S>,
    key: &BoardKey,
) {
    let before = one.read(key).revision;
    thread::scope(|scope| {
        let waiting = scope.spawn(|| one.wait(one.store.wait_past(key, before)).expect("woken"));
        other.write(key, &moment(4), vec![add("d")]);
        assert!(waiting.join().unwrap() > before);
    });
    assert!(one.read(key).board.get(letter("d")).is_some());
}

/// What happens to one board is seen in no other, nor in its history.
pub(super) fn check_apart(subject: &impl Subject) {
    let keys = [
        BoardKey::Project,
        BoardKey::Session(SessionName::new("one")),
        BoardKey::Session(SessionName::new("two")),
    ];
    let probe = Probe::fresh(subject);
    let names = ["a", "b", "c"];
    for (key, name) in keys.iter().zip(names) {
        probe.write(key, &moment(1), vec![add(name)]);
    }
    let refused = probe.write(&keys[1], &moment(2), vec![delete("a")]).verdict;
    assert!(refused.is_err(), "a task of another board is not found");
    for (key, name) in keys.iter().zip(names) {
        let read = probe.read(key);
        assert_eq!(titles(&read.board), name, "{key:?}");
        let events = read.history.events.iter();
        let seen: Vec<_> = events.map(|event| event.change.id()).collect();
        assert_eq!(seen, [Some(letter(name))], "{key:?}");
    }
    let before = probe.read(&keys[0]).revision;
    probe.write(
        &keys[2],
        &moment(3),
        vec![Command::DeleteCompleted, add("d")],
    );
    assert_eq!(probe.read(&keys[0]).revision, before);
    let identities = keys
        .iter()
        .map(|key| probe.wait(probe.store.identify(key)).unwrap());
    let mut ids: Vec<String> = identities.map(|identity| identity.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), keys.len(), "each has an identity of its own");
    // A second store of the same kind is another place altogether.
    let another = Probe::fresh(subject);
    assert!(another.read(&keys[0]).board.is_empty());
    let id = |probe: &Probe<'_, _>| probe.wait(probe.store.identify(&keys[0])).unwrap().id;
    assert_ne!(id(&probe), id(&another));
}
