//! What holds for any board and any list of commands.

use std::sync::Arc;

use proptest::prelude::*;
use todori_domain::testing::generate::{board, commands};
use todori_domain::testing::{events_of, moment};
use todori_domain::{
    Board, Command, Filter, Graph, NextFilter, NobodyElse, Priority, SessionName, Stats, Status,
    Task, TaskEdit, Timestamp, decide, decide_undo, query, recommend,
};

fn invariants(board: &Board) -> Result<(), TestCaseError> {
    let mut last = None;
    for task in board.in_order() {
        let place = (task.rank.clone(), task.created, task.id);
        prop_assert!(last.as_ref() < Some(&place), "the list is in order");
        last = Some(place);
        prop_assert_eq!(task.completed.is_some(), task.status == Status::Done);
        prop_assert_eq!(task.assignee.is_some(), task.status == Status::InProgress);
        let highest = task
            .subtasks
            .iter()
            .map(|subtask| subtask.number)
            .max()
            .unwrap_or(0);
        prop_assert!(task.next_subtask > highest);
        for target in &task.waits_for {
            prop_assert!(board.get(*target).is_some(), "what is waited for exists");
        }
        let mut targets = task.waits_for.clone();
        targets.sort_unstable();
        targets.dedup();
        prop_assert_eq!(targets.len(), task.waits_for.len());
    }
    let edges = || board.by_id().map(|task| (task.id, task.waits_for.clone()));
    prop_assert!(
        Graph::new(edges()).longest_chain() < board.len().max(1),
        "no cycles"
    );
    prop_assert_eq!(board.in_order().count(), board.len());
    Ok(())
}

/// The tasks in order, without what never goes back: the time of the last change, the numbers of subtasks.
fn bare(board: &Board) -> Vec<Task> {
    let bare = |task: &Arc<Task>| Task {
        updated: Timestamp::UNIX_EPOCH,
        next_subtask: 0,
        ..Task::clone(task)
    };
    board.in_order().map(bare).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_commands_keep_the_invariants(commands in commands(1..24)) {
        let mut board = Arc::new(Board::default());
        for (at, command) in (0..).zip(&commands) {
            let before = Board::clone(&board);
            let decided = decide(&board, std::slice::from_ref(command), &moment(at), &NobodyElse);
            prop_assert_eq!(&before, &*board, "deciding changes nothing");
            if let Ok(decision) = decided {
                // What changed is exactly the difference between the boards.
                let mut replayed = before;
                for change in &decision.change.tasks {
                    prop_assert_eq!(&change.before, &replayed.get(change.id().unwrap()).cloned());
                    match &change.after {
                        Some(task) => replayed.put(Arc::clone(task)),
                        None => drop(replayed.remove(change.id().unwrap())),
                    }
                }
                prop_assert_eq!(&replayed, &*decision.board);
                prop_assert_eq!(
                    replayed.in_order().map(|task| task.id).collect::<Vec<_>>(),
                    decision.board.in_order().map(|task| task.id).collect::<Vec<_>>()
                );
                board = decision.board;
            }
            invariants(&board)?;
        }
        // The same commands as one request come to the same, or to nothing.
        if let Ok(whole) = decide(&Arc::new(Board::default()), &commands, &moment(0), &NobodyElse) {
            invariants(&whole.board)?;
        }
    }

    #[test]
    fn what_was_done_can_be_taken_back(commands in commands(1..16)) {
        let mut board = Arc::new(Board::default());
        for (at, command) in (0..).zip(&commands) {
            let Ok(decision) = decide(&board, std::slice::from_ref(command), &moment(at), &NobodyElse) else {
                continue;
            };
            let past = events_of(&decision.change);
            let undone = decide_undo(&decision.board, &past, &moment(at + 1), &NobodyElse);
            prop_assert!(undone.is_ok(), "{:?} by {:?}", undone, command);
            prop_assert_eq!(bare(&undone.unwrap().board), bare(&board));
            board = decision.board;
        }
    }

    #[test]
    fn doing_the_same_edits_again_changes_nothing(board in board(0..10)) {
        let board = Arc::new(board);
        let edits: Vec<Command> = board.in_order().map(|task| Command::Edit {
            task: task.id.into(),
            edit: TaskEdit {
                title: Some(task.title.clone()),
                description: Some(task.description.clone()),
                priority: Some(task.priority),
                ..TaskEdit::default()
            },
        }).collect();
        let decision = decide(&board, &edits, &moment(5), &NobodyElse).unwrap();
        prop_assert!(decision.change.is_empty());
    }

    #[test]
    fn counts_add_up_on_any_board(board in board(0..12)) {
        let stats = Stats::of(&board);
        let by_status: usize = Status::ALL.iter().map(|&status| stats.progress.with_status(status)).sum();
        let by_priority: usize = Priority::ALL.iter().map(|&priority| stats.progress.with_priority(priority)).sum();
        prop_assert_eq!((by_status, by_priority), (board.len(), board.len()));
        prop_assert!(stats.progress.held_up <= board.len());
        for status in Status::ALL {
            let filter = Filter { statuses: vec![status], ..Filter::default() };
            let page = query(&board, &filter, None, 0, 3);
            prop_assert_eq!(page.total, stats.progress.with_status(status));
            prop_assert_eq!(page.tasks.len(), page.total.min(3));
        }
    }

    #[test]
    fn a_page_is_a_piece_of_the_whole_answer(
        board in board(0..12),
        statuses in prop::collection::vec(prop::sample::select(&Status::ALL[..]), 0..3),
        offset in 0usize..14,
        limit in 0usize..14,
    ) {
        let filter = Filter { statuses, ..Filter::default() };
        let all: Vec<_> = board.in_order().filter(|task| filter.takes(task)).collect();
        let page = query(&board, &filter, None, offset, limit);
        prop_assert_eq!(page.total, all.len());
        prop_assert_eq!(page.tasks, all.into_iter().skip(offset).take(limit).collect::<Vec<_>>());
    }

    #[test]
    fn a_recommended_task_is_free_to_start(board in board(0..12)) {
        let next = recommend(&board, &NextFilter::default(), &SessionName::new("me"), &NobodyElse);
        if let Some(task) = next.task {
            prop_assert!(matches!(task.status, Status::Pending | Status::InProgress));
            prop_assert!(board.open_dependencies(&task).next().is_none());
            prop_assert!(next.rationale.starts_with("Recommended: "));
        } else {
            prop_assert!(next.rationale.starts_with("No task is ready"));
        }
    }

    #[test]
    fn every_prefix_that_is_shown_names_its_task(board in board(1..12)) {
        for task in board.in_order() {
            let short = board.short_id(task.id, 6);
            prop_assert_eq!(board.resolve(&todori_domain::TaskRef::new(short)).unwrap().id, task.id);
        }
    }
}
