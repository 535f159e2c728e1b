//! Which task is meant: by its id, by the first characters of it, or by words of its title. Where several could be, a
//! person at a terminal is asked back; everybody else gets the list.

use std::sync::Arc;

use todori_domain::{Board, Refusal, SubtaskRef, Task, TaskRef, Want};

use super::Ended;
use super::output::{Output, harmless};
use super::project::Project;

/// How many tasks are offered.
const OFFERED: usize = 9;

/// Finds the task that somebody means, or says why there is none.
pub(super) fn task(given: &str, project: &Project, output: &mut Output) -> Result<TaskRef, Ended> {
    let answer = project.read(Want::default(), output)?;
    on(&answer.board, given, output)
}

/// The same for several, each of them, on one look at the board.
pub(super) fn tasks(
    given: &[String],
    project: &Project,
    output: &mut Output,
) -> Result<Vec<TaskRef>, Ended> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let answer = project.read(Want::default(), output)?;
    let given = given.iter();
    given
        .map(|given| on(&answer.board, given, output))
        .collect()
}

/// The same on a board that was read already.
pub(super) fn on(board: &Board, given: &str, output: &mut Output) -> Result<TaskRef, Ended> {
    let found = matching(board, given);
    match found.as_slice() {
        [] => {
            let hint = "`todori list --all` shows them; at least 4 characters of an id are needed";
            let message = format!("no task has the id or title {given}");
            output.error(&message, Some(hint));
            Err(Ended::Refused)
        }
        [only] => Ok(only.id.into()),
        several => choose(given, several, board, output),
    }
}

/// Finds the subtask that somebody means: a task, a dot and a number.
pub(super) fn subtask(
    given: &str,
    project: &Project,
    output: &mut Output,
) -> Result<SubtaskRef, Ended> {
    let split = given.rsplit_once('.');
    let subtask = split.and_then(|(task, number)| Some((task, number.parse().ok()?)));
    let Some((name, number)) = subtask else {
        output.error(
            &format!("{given} is not a subtask"),
            Some("write it as 3f2b.2"),
        );
        return Err(Ended::Usage);
    };
    let answer = project.read(Want::default(), output)?;
    let board = &answer.board;
    let task = on(board, name, output)?;
    // Whatever becomes of the task in between, the store refuses.
    if let Ok(found) = board.resolve(&task) {
        let numbers: Vec<u32> = found
            .subtasks
            .iter()
            .map(|subtask| subtask.number)
            .collect();
        if !numbers.contains(&number) {
            let id = board.short_id(found.id, 8);
            let message = format!("{id} {} has no subtask {number}", found.title.as_str());
            output.error(&message, Some(&numbered(&id, &numbers)));
            return Err(Ended::Refused);
        }
    }
    Ok(SubtaskRef { task, number })
}

/// Which subtasks there are.
fn numbered(id: &str, numbers: &[u32]) -> String {
    let listed: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match listed.as_slice() {
        [] => format!("it has none; add one: todori sub add {id} TITLE"),
        [only] => format!("its only subtask is {only}: {id}.{only}"),
        [first, ..] => format!(
            "its subtasks are {}; write one as {id}.{first}",
            listed.join(", ")
        ),
    }
}

/// Whether any task of a board could be meant.
pub(super) fn is_on(board: &Board, given: &str) -> bool {
    !matching(board, given).is_empty()
}

/// All tasks that could be meant: one, or several that are meant equally well.
fn matching<'a>(board: &'a Board, given: &str) -> Vec<&'a Arc<Task>> {
    match board.resolve(&TaskRef::new(given)) {
        Ok(task) => return vec![task],
        Err(Refusal::AmbiguousId { candidates, .. }) => {
            return candidates.iter().filter_map(|&id| board.get(id)).collect();
        }
        Err(_) => {}
    }
    let wanted = given.trim().to_lowercase();
    let tasks = |is_open: bool, wanted_likeness: Likeness| -> Vec<&'a Arc<Task>> {
        board
            .in_order()
            .filter(|task| task.status.is_open() == is_open)
            .filter(|task| {
                likeness(&task.title.as_str().to_lowercase(), &wanted) == Some(wanted_likeness)
            })
            .collect()
    };
    let same = tasks(true, Likeness::Same);
    if !same.is_empty() {
        return same;
    }
    // What is done is meant only where nothing that is open could be, unless it is named in full.
    let mut found = tasks(true, Likeness::Contains);
    found.extend(tasks(false, Likeness::Same));
    for (is_open, likeness) in [
        (true, Likeness::Slips),
        (false, Likeness::Contains),
        (false, Likeness::Slips),
    ] {
        if found.is_empty() {
            found = tasks(is_open, likeness);
        }
    }
    found
}

/// How well a title fits words that somebody typed. Nothing but the whole title goes before others that contain the
/// words: whoever types a part of it does not think of all the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    Same,
    /// All words are in it, in any order.
    Contains,
    /// All words are in it but for a slip of the finger.
    Slips,
}

fn likeness(title: &str, wanted: &str) -> Option<Likeness> {
    let slips = |word: &str| {
        let mut words = title.split(|c: char| !c.is_alphanumeric());
        words.any(|other| is_slip(word, other))
    };
    let mut words = wanted.split_whitespace().peekable();
    words.peek()?;
    if title.trim() == wanted {
        Some(Likeness::Same)
    } else if words.clone().all(|word| title.contains(word)) {
        Some(Likeness::Contains)
    } else if words.all(|word| title.contains(word) || slips(word)) {
        Some(Likeness::Slips)
    } else {
        None
    }
}

/// Whether two words differ by one letter: left out, put in, changed, or two of them swapped.
fn is_slip(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().min(other.len()) < 4 || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same_from_front = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let back = |letters: &[char]| letters.iter().rev().copied().collect::<Vec<_>>();
    let (one_back, other_back) = (back(&one), back(&other));
    let same_from_back = one_back
        .iter()
        .zip(&other_back)
        .take_while(|(a, b)| a == b)
        .count();
    let length = one.len().max(other.len());
    let swapped = one.len() == other.len()
        && same_from_front + same_from_back + 2 == length
        && one.get(same_from_front) == other.get(same_from_front + 1)
        && one.get(same_from_front + 1) == other.get(same_from_front);
    same_from_front + same_from_back + 1 >= length || swapped
}

/// Asks which of several is meant; refuses with the list where nobody can be asked.
fn choose(
    given: &str,
    several: &[&Arc<Task>],
    board: &Board,
    output: &mut Output,
) -> Result<TaskRef, Ended> {
    let offered = several.iter().take(OFFERED).enumerate();
    let mut lines: Vec<String> = offered
        .map(|(place, task)| {
            let id = board.short_id(task.id, 8);
            let place = place + 1;
            format!(
                "{place}. {id} {} ({})",
                harmless(task.title.as_str()),
                task.status.as_str()
            )
        })
        .collect();
    if several.len() > OFFERED {
        lines.push(format!("and {} more", several.len() - OFFERED));
    }
    let message = format!("{} tasks could be meant by {given}", several.len());
    let question = format!("{}:\n{}\nWhich one? ", harmless(&message), lines.join("\n"));
    let Some(answer) = output.ask(&question) else {
        let hint = format!("give more of the id or of the title:\n{}", lines.join("\n"));
        output.error(&message, Some(&hint));
        return Err(Ended::Refused);
    };
    let place = answer.trim().parse::<usize>().ok();
    let chosen = place.and_then(|place| several.get(place.checked_sub(1)?));
    chosen.map(|task| task.id.into()).ok_or_else(|| {
        output.error("nothing was chosen, and nothing changed", None);
        Ended::Refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, wanted: &str, expected: Option<Likeness>) {
        assert_eq!(likeness(title, wanted), expected, "{wanted} in {title}");
    }

    #[test]
    fn a_title_is_known_by_its_words_and_a_slip_of_the_finger_is_forgiven() {
        check("fix the login", "fix the login", Some(Likeness::Same));
        check("fix the login", "fix", Some(Likeness::Contains));
        check("fix the login", "the log", Some(Likeness::Contains));
        check("fix the login", "login fix", Some(Likeness::Contains));
        check("fix the login", "lgoin", Some(Likeness::Slips));
        check("fix the login", "loggin", Some(Likeness::Slips));
        check("fix the login", "logim", Some(Likeness::Slips));
        check("fix the login", "logout", None);
        check("fix the login", "fox", None);
        check("fix the login", "", None);
    }
}
