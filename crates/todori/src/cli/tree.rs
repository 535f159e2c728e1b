//! Tasks as a tree: below each task what it waits for.

use std::collections::HashSet;
use std::sync::Arc;

use todori_domain::{Board, Status, Task, TaskId};

use super::output::{Output, Style};

/// Shows tasks, each with what it waits for below it.
pub(super) fn whole(roots: &[&Arc<Task>], board: &Board, output: &mut Output) {
    let mut shown = HashSet::new();
    for task in roots {
        line(task, &Twig::default(), board, output);
        shown.insert(task.id);
        branch(task, "", &mut shown, board, output);
    }
}

/// Shows what a task waits for, but not the task itself.
pub(super) fn below(task: &Arc<Task>, board: &Board, output: &mut Output) {
    let mut shown = HashSet::from([task.id]);
    branch(task, "", &mut shown, board, output);
}

/// The tasks that no other of these waits for: where a tree begins. A cycle that a merge left behind has no such task;
/// then the first of it will do.
pub(super) fn roots<'a>(tasks: &[&'a Arc<Task>], board: &Board) -> Vec<&'a Arc<Task>> {
    let listed: HashSet<TaskId> = tasks.iter().map(|task| task.id).collect();
    let waited_for: HashSet<TaskId> = tasks
        .iter()
        .flat_map(|task| task.waits_for.iter().copied())
        .filter(|id| listed.contains(id))
        .collect();
    let mut roots = Vec::new();
    let mut reached = HashSet::new();
    let free = tasks.iter().filter(|task| !waited_for.contains(&task.id));
    let all = free.chain(tasks.iter().filter(|task| waited_for.contains(&task.id)));
    for task in all {
        if reached.contains(&task.id) {
            continue;
        }
        roots.push(*task);
        let mut path = vec![task.id];
        while let Some(id) = path.pop() {
            if reached.insert(id) {
                let below = board
                    .get(id)
                    .map_or(&[][..], |task| task.waits_for.as_slice());
                path.extend(below.iter().copied());
            }
        }
    }
    roots
}

/// What is drawn before a task.
#[derive(Default)]
struct Twig {
    drawn: String,
    /// Whether what is below this task was shown before.
    again: bool,
}

fn branch(
    task: &Arc<Task>,
    indent: &str,
    shown: &mut HashSet<TaskId>,
    board: &Board,
    output: &mut Output,
) {
    // Chains can be as long as the board; what is deeper than any screen is not drawn.
    const DEEPEST: usize = 60;
    let (fork, last, through) = output.twigs();
    let below: Vec<TaskId> = task.waits_for.clone();
    for (place, id) in below.iter().enumerate() {
        let is_last = place + 1 == below.len();
        let drawn = format!("{indent}{}", if is_last { last } else { fork });
        let Some(other) = board.get(*id) else {
            output.line(&format!("{drawn}{id} (no longer on the board)"));
            continue;
        };
        let again = !shown.insert(*id) && !other.waits_for.is_empty();
        line(other, &Twig { drawn, again }, board, output);
        let deeper = format!("{indent}{}", if is_last { "   " } else { through });
        if !again && deeper.chars().count() < DEEPEST {
            branch(other, &deeper, shown, board, output);
        }
    }
}

fn line(task: &Task, twig: &Twig, board: &Board, output: &mut Output) {
    let id = board.short_id(task.id, 8);
    let note = if twig.again { " (see above)" } else { "" };
    let used = twig.drawn.chars().count() + 4 + id.len() + note.len();
    let title = output.fit(task.label().as_str(), used);
    let title = match task.status {
        Status::InProgress => output.style(Style::Busy, &title),
        Status::Done | Status::Cancelled => output.style(Style::Faint, &title),
        Status::Pending | Status::Blocked | Status::Deferred => title,
    };
    let line = format!(
        "{}{} {} {title}{}",
        output.style(Style::Faint, &twig.drawn),
        output.sign(task.status),
        output.style(Style::Faint, &id),
        output.style(Style::Faint, note),
    );
    output.line(&line);
}
