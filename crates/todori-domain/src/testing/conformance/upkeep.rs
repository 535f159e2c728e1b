//! Making a board, describing the store, and looking for what is wrong with it.

use super::{Probe, Subject, add, titles};
use crate::testing::moment;
use crate::{BoardKey, Level};

const KEY: BoardKey = BoardKey::Project;

pub(super) fn check<S: Subject>(subject: &S) {
    a_board_is_made_once_and_never_emptied(&Probe::fresh(subject));
    a_store_can_be_described_and_nothing_is_wrong_with_it(&Probe::fresh(subject));
}

fn a_board_is_made_once_and_never_emptied(probe: &Probe<'_, impl Subject>) {
    let create = || probe.wait(probe.store.create()).expect("made");
    assert!(create().is_new);
    assert!(!create().is_new);
    probe.write(&KEY, &moment(1), vec![add("a")]);
    let again = create();
    assert!(!again.is_new && !again.location.is_empty());
    assert_eq!(titles(&probe.read(&KEY).board), "a");
}

fn a_store_can_be_described_and_nothing_is_wrong_with_it(probe: &Probe<'_, impl Subject>) {
    probe.write(&KEY, &moment(1), vec![add("a")]);
    let described = probe.wait(probe.store.describe()).expect("described");
    assert!(!described.kind.is_empty() && !described.location.is_empty());
    let identity = probe.wait(probe.store.identify(&KEY)).expect("known");
    assert!(!identity.id.is_empty() && !identity.name.is_empty());
    let before = probe.read(&KEY);
    for finding in probe.wait(probe.store.diagnose()) {
        assert_ne!(finding.level, Level::Problem, "{finding:?}");
    }
    let after = probe.read(&KEY);
    assert_eq!(
        (after.board, after.revision),
        (before.board, before.revision)
    );
    assert_eq!(after.history, before.history, "looking changes nothing");
}
