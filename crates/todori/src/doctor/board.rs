//! What a board that people merge and edit by hand may hold: cycles, tasks that are gone, sessions that are gone.

use std::collections::BTreeSet;

use todori_domain::{Answer, Board, Finding, Status, Task, TaskId, blocked_by_cycles, find_cycle};

use super::count;

/// How many of a kind are named.
const NAMED: usize = 5;

pub(super) fn examine(answer: &Answer) -> Vec<Finding> {
    let board = &answer.board;
    let open = board.in_order().filter(|task| task.status.is_open());
    let (all, open) = (board.len(), open.count());
    let mut findings = vec![Finding::ok(
        "board",
        format!("{}, {open} open", count(all, "task")),
    )];
    findings.extend(cycles(board));
    findings.extend(gone(board));
    findings.extend(left_behind(answer));
    findings
}

fn named(board: &Board, task: &Task) -> String {
    let title: String = task.title.as_str().chars().take(40).collect();
    format!("{} {title}", board.short_id(task.id, 8))
}

/// Tasks that wait for each other for ever.
fn cycles(board: &Board) -> Vec<Finding> {
    let waits_for = |id: TaskId| {
        board
            .get(id)
            .map_or(&[][..], |task| task.waits_for.as_slice())
    };
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    let edges = board
        .by_id()
        .map(|task| (task.id, task.waits_for.as_slice()));
    let suspects = blocked_by_cycles(edges);
    for task in board.in_order().filter(|task| suspects.contains(&task.id)) {
        if findings.len() == NAMED {
            break;
        }
        let Some(path) = find_cycle(task.id, &task.waits_for, waits_for) else {
            continue;
        };
        let members: BTreeSet<TaskId> = path.iter().copied().collect();
        if !seen.insert(members) {
            continue;
        }
        let names = path.iter().filter_map(|&id| board.get(id));
        let names: Vec<String> = names.map(|task| named(board, task)).collect();
        let ids: Vec<String> = path.iter().map(|&id| board.short_id(id, 8)).collect();
        // One that waits for itself is a cycle, too.
        let (waits, first) = match ids.as_slice() {
            [waits, first, ..] => (waits.as_str(), first.as_str()),
            [only] => (only.as_str(), only.as_str()),
            [] => continue,
        };
        let says = format!("these wait for each other for ever: {}", names.join(" -> "));
        let advice = format!("take one dependency away: `todori dep rm {waits} {first}`");
        findings.push(Finding::problem("board", says).advise(advice));
    }
    findings
}

/// Dependencies on tasks that are no longer there.
fn gone(board: &Board) -> Option<Finding> {
    let waiting: Vec<String> = board
        .in_order()
        .filter(|task| task.waits_for.iter().any(|&id| board.get(id).is_none()))
        .map(|task| named(board, task))
        .collect();
    let shown = waiting.iter().take(NAMED).cloned().collect::<Vec<_>>();
    (!waiting.is_empty()).then(|| {
        let says = format!(
            "{} waiting for tasks that are gone: {}",
            count(waiting.len(), "task"),
            shown.join(", ")
        );
        Finding::note("board", says)
            .advise("nothing is held up by it; take the dependencies away when you pass by")
    })
}

/// What sessions that ended left in progress.
fn left_behind(answer: &Answer) -> Option<Finding> {
    let board = &answer.board;
    let left: Vec<String> = board
        .in_order()
        .filter(|task| task.status == Status::InProgress)
        .filter(|task| {
            task.assignee
                .as_ref()
                .is_none_or(|holder| !holder.is_person() && !answer.live.contains(holder))
        })
        .map(|task| named(board, task))
        .collect();
    let shown = left.iter().take(NAMED).cloned().collect::<Vec<_>>();
    (!left.is_empty()).then(|| {
        let says = format!(
            "{} in progress without anybody there who works on it: {}",
            count(left.len(), "task"),
            shown.join(", ")
        );
        Finding::note("board", says)
            .advise("the next agent that asks gets it first; `todori reopen ID` makes it pending")
    })
}
