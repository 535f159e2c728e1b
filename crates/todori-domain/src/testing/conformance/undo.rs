//! Undo decides inside the transaction, on the events that it selects.

use super::{Probe, Subject, add, by, delete, set, titles};
use crate::testing::{letter, moment};
use crate::{
    Answer, AuthorMatch, BoardKey, HistoryQuery, Refusal, Request, Selection, SessionName, Status,
    TaskMatch, Verdict,
};

const KEY: BoardKey = BoardKey::Project;

pub(super) fn check<S: Subject>(subject: &S) {
    the_newest_request_is_taken_back_whole(&Probe::fresh(subject));
    an_undo_says_what_it_took_back_and_can_be_taken_back(&Probe::fresh(subject));
    what_came_later_is_not_lost(&Probe::fresh(subject));
    only_what_is_selected_is_taken_back(&Probe::fresh(subject));
    rehearsing_changes_nothing(&Probe::fresh(subject));
    nothing_to_undo_is_no_change(&Probe::fresh(subject));
    a_list_is_undone_like_a_board(&Probe::fresh(subject));
}

fn ask(probe: &Probe<'_, impl Subject>, request: Request) -> Answer {
    let tracker = probe.tracker();
    let answer = tracker.handle(&KEY, moment(50), request);
    probe.wait(Box::pin(answer)).expect("the store works")
}

fn undo(probe: &Probe<'_, impl Subject>, query: HistoryQuery) -> Answer {
    ask(probe, Request::Undo(Selection::Newest(query)))
}

fn of_task(name: &str) -> HistoryQuery {
    HistoryQuery {
        task: Some(TaskMatch::Is(letter(name))),
        ..HistoryQuery::default()
    }
}

fn the_newest_request_is_taken_back_whole(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a")]);
    probe.write(&KEY, &moment(2), vec![add("b"), add("c")]);
    let answer = undo(probe, HistoryQuery::default());
    assert_eq!(answer.events().len(), 2, "it says what it took back");
    assert_eq!(titles(&probe.read(&KEY).board), "a");
}

fn an_undo_says_what_it_took_back_and_can_be_taken_back(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a")]);
    probe.write(&KEY, &moment(2), vec![delete("a")]);
    undo(probe, HistoryQuery::default());
    let read = probe.read(&KEY);
    assert_eq!(titles(&read.board), "a");
    let events = &read.history.events;
    assert_eq!(&*events[0].undoes, [events[1].number.request]);
    undo(probe, HistoryQuery::default());
    assert_eq!(titles(&probe.read(&KEY).board), "");
    // Walking back passes over both, to what was done before.
    let mine = HistoryQuery {
        by: Some(AuthorMatch::Is(SessionName::new("tester"))),
        ..HistoryQuery::default()
    };
    let answer = ask(
        probe,
        Request::Undo(Selection::NewestStanding(mine.clone())),
    );
    assert_eq!(titles(&answer.board), "a", "the deletion stood again");
    ask(probe, Request::Undo(Selection::NewestStanding(mine)));
    assert_eq!(titles(&probe.read(&KEY).board), "", "then it was added");
}

fn what_came_later_is_not_lost(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a"), add("b")]);
    probe.write(&KEY, &by("ann", 2), vec![set("a", Status::Done)]);
    probe.write(&KEY, &by("bob", 3), vec![set("a", Status::Blocked)]);
    let before = probe.read(&KEY);
    let by_ann = HistoryQuery {
        by: Some(AuthorMatch::Is(SessionName::new("ann"))),
        ..HistoryQuery::default()
    };
    let answer = undo(probe, by_ann);
    let tasks = vec![letter("a")];
    let refusal = Refusal::ChangedSince { tasks };
    assert_eq!(answer.verdict, Verdict::Refused(refusal));
    let after = probe.read(&KEY);
    assert_eq!((after.board, after.history), (before.board, before.history));
}

fn only_what_is_selected_is_taken_back(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &by("ann", 1), vec![add("a")]);
    probe.write(&KEY, &by("bob", 2), vec![add("b")]);
    probe.write(&KEY, &by("ann", 3), vec![add("c")]);
    undo(probe, of_task("a"));
    assert_eq!(titles(&probe.read(&KEY).board), "b c");
    let since = Some(moment(2).at);
    let by = Some(AuthorMatch::Like("ann".to_owned()));
    let query = HistoryQuery {
        by,
        since,
        ..HistoryQuery::default()
    };
    let answer = ask(probe, Request::Undo(Selection::Every(query)));
    assert_eq!(answer.events().len(), 1);
    assert_eq!(titles(&probe.read(&KEY).board), "b");
}

fn rehearsing_changes_nothing(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a")]);
    let before = probe.read(&KEY);
    let newest = Selection::Newest(HistoryQuery::default());
    let answer = ask(probe, Request::RehearseUndo(newest));
    assert_eq!(titles(&answer.board), "", "it shows what would be");
    let changed = matches!(&answer.verdict, Verdict::Changed(change) if change.tasks.len() == 1);
    assert!(changed, "{:?}", answer.verdict);
    let after = probe.read(&KEY);
    assert_eq!(
        (after.board, after.revision),
        (before.board, before.revision)
    );
    assert_eq!(after.history, before.history);
}

fn a_list_is_undone_like_a_board(probe: &Probe<'_, impl Subject>) {
    let list = BoardKey::Session(SessionName::new("ann"));
    probe.write(&list, &moment(1), vec![add("a")]);
    probe.write(&list, &moment(2), vec![add("b")]);
    probe.write(&KEY, &moment(3), vec![add("c")]);
    let newest = Request::Undo(Selection::Newest(HistoryQuery::default()));
    let tracker = probe.tracker();
    let answer = tracker.handle(&list, moment(4), newest);
    probe.wait(Box::pin(answer)).expect("the store works");
    assert_eq!(titles(&probe.read(&list).board), "a");
    assert_eq!(titles(&probe.read(&KEY).board), "c");
}

fn nothing_to_undo_is_no_change(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a")]);
    let answer = undo(probe, of_task("x"));
    assert_eq!(answer.events(), []);
    assert_eq!(answer.verdict, Verdict::Changed(crate::Change::default()));
    assert_eq!(titles(&probe.read(&KEY).board), "a");
}
