//! Brings together what two branches made of one file. Tasks that only one of them touched are taken byte for byte, with
//! comments and fields that are not ours; only what both touched is written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use todori_domain::{
    Board, Change, Disagreement, MergeNote, Merged, Position, Task, TaskChange, TaskId, Timestamp,
    merge,
};

use super::blocks::{Loaded, Parts};
use super::retain;
use super::split::read_block;

/// A file that was made from two.
#[derive(Debug)]
pub struct MergedFile {
    /// What it holds.
    pub text: String,
    /// The board that it says.
    pub board: Arc<Board>,
    /// Where the two did not agree, and what became of it.
    pub notes: Vec<MergeNote>,
}

/// Which of the three files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// What both came from.
    Base,
    /// What is here.
    Ours,
    /// What comes in.
    Theirs,
}

/// Why two files could not be brought together. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// One of the files can't be understood.
    #[error("broken at {at}: {reason}")]
    Broken {
        /// Which one.
        version: Version,
        /// Where.
        at: Position,
        /// What is wrong there.
        reason: String,
    },
    /// One of the two is empty, which no board is.
    #[error("the file is empty")]
    Empty {
        /// Which one.
        version: Version,
    },
    /// A task can't be written so that it reads back the same.
    #[error("the task {0} cannot be written")]
    NotWritten(TaskId),
}

/// Merges two texts that came from one. A base that is empty means that both began the file.
pub fn merge_files(base: &str, ours: &str, theirs: &str) -> Result<MergedFile, MergeError> {
    for (text, version) in [(ours, Version::Ours), (theirs, Version::Theirs)] {
        // Emptied by accident, most likely; taking it for a board without tasks would delete all of them.
        if text.trim().is_empty() {
            return Err(MergeError::Empty { version });
        }
    }
    let base = read(base, Version::Base)?;
    let mut ours = read(ours, Version::Ours)?;
    let theirs = read(theirs, Version::Theirs)?;
    let Merged { board, mut notes } = merge(&base.board, &ours.board, &theirs.board);
    let board = Arc::new(board);
    let from = ours.clone();
    let change = difference(&ours.board, &board);
    let plan = ours.plan(&change, &board, &BTreeMap::new());
    ours.apply(plan.map_err(MergeError::NotWritten)?, Arc::clone(&board));
    let whole = assemble(
        &Three {
            base: &base,
            ours: &from,
            theirs: &theirs,
        },
        &ours,
    );
    // What was put together from pieces counts only if it says exactly the same.
    let whole = whole.filter(|(text, _)| {
        let read = Loaded::read(text.clone(), Timestamp::UNIX_EPOCH);
        read.is_ok_and(|read| read.board == board)
    });
    let text = if let Some((text, lost)) = whole {
        notes.extend(lost.into_iter().map(others_fields));
        ours.with_line_ends(&text)
    } else {
        let own = theirs.board.by_id().map(|task| task.id);
        let own = own.filter(|&id| {
            theirs.own_text(id).is_some() && theirs.own_text(id) != base.own_text(id)
        });
        notes.extend(own.map(others_fields));
        String::from_utf8_lossy(ours.bytes()).into_owned()
    };
    Ok(MergedFile { text, board, notes })
}

/// What two texts may have come from where that is not known: the version of a task counts that was changed later, what else
/// differs is taken from theirs. A task that only they have is new, unless it was `known` before: then it was deleted.
pub(super) fn likely_base(
    ours: &str,
    theirs: &str,
    known: impl FnOnce(&BTreeSet<TaskId>) -> BTreeSet<TaskId>,
) -> Option<String> {
    let ours = read(ours, Version::Ours).ok()?;
    let theirs = read(theirs, Version::Theirs).ok()?;
    let (our_parts, their_parts) = (ours.parts()?, theirs.parts()?);
    let (our_blocks, their_blocks) = (by_id(&our_parts), by_id(&their_parts));
    let only_theirs = their_blocks.keys().copied();
    let only_theirs = only_theirs
        .filter(|id| !our_blocks.contains_key(id))
        .collect();
    let deleted = known(&only_theirs);
    let mut base = our_parts.header.to_owned();
    for (id, their_block) in &their_parts.blocks {
        let updated = |side: &Loaded| side.board.get(*id).map(|task| task.updated);
        let is_ours_newer = updated(&ours) > updated(&theirs);
        match our_blocks.get(id) {
            Some(our_block) if !is_ours_newer => base.push_str(our_block),
            Some(_) => base.push_str(their_block),
            None if deleted.contains(id) => base.push_str(their_block),
            None => {}
        }
    }
    base.push_str(our_parts.rest);
    Some(base)
}

fn others_fields(task: TaskId) -> MergeNote {
    MergeNote {
        task,
        kind: Disagreement::OthersFields,
    }
}

fn read(text: &str, version: Version) -> Result<Loaded, MergeError> {
    if text.trim().is_empty() {
        return Ok(Loaded::empty());
    }
    Loaded::read(text.to_owned(), Timestamp::UNIX_EPOCH).map_err(|fault| MergeError::Broken {
        version,
        at: fault.at,
        reason: fault.reason,
    })
}

fn difference(before: &Board, after: &Board) -> Change {
    let ids: BTreeSet<TaskId> = before
        .by_id()
        .chain(after.by_id())
        .map(|task| task.id)
        .collect();
    let changed = ids.into_iter().map(|id| TaskChange {
        before: before.get(id).cloned(),
        after: after.get(id).cloned(),
    });
    Change {
        tasks: changed
            .filter(|change| change.before != change.after)
            .collect(),
    }
}

/// The three files that a merge is made from.
struct Three<'a> {
    base: &'a Loaded,
    ours: &'a Loaded,
    theirs: &'a Loaded,
}

/// The result, with every piece that ours left alone as theirs has it, and the tasks of which something had to be left
/// out. Only for files that are sorted by id.
fn assemble(three: &Three<'_>, result: &Loaded) -> Option<(String, Vec<TaskId>)> {
    let (base, ours) = (three.base.parts()?, three.ours.parts()?);
    let (theirs, parts) = (three.theirs.parts()?, result.parts()?);
    if !parts.blocks.is_sorted_by_key(|(id, _)| *id) {
        return None;
    }
    let (base_blocks, our_blocks, their_blocks) = (by_id(&base), by_id(&ours), by_id(&theirs));
    let mut lost = Vec::new();
    let mut text = String::new();
    let header = is_theirs(base.header, ours.header, theirs.header)
        && theirs.blocks.is_empty() == parts.blocks.is_empty();
    text.push_str(if header { theirs.header } else { parts.header });
    for (id, block) in &parts.blocks {
        let there = (
            their_blocks.get(id),
            our_blocks.get(id),
            base_blocks.get(id),
        );
        match there {
            (Some(theirs), None, None) => text.push_str(theirs),
            (Some(theirs), Some(ours), Some(base)) if is_theirs(base, ours, theirs) => {
                text.push_str(theirs);
            }
            (Some(theirs), Some(ours), Some(base)) if theirs != base && theirs != ours => {
                let task = result.board.get(*id)?;
                if let Some(both) = of_both([base, ours, theirs], task) {
                    text.push_str(&both);
                } else {
                    lost.push(*id);
                    text.push_str(block);
                }
            }
            (_, _, _) => text.push_str(block),
        }
    }
    let rest = is_theirs(base.rest, ours.rest, theirs.rest);
    text.push_str(if rest { theirs.rest } else { parts.rest });
    Some((text, lost))
}

fn by_id<'a>(parts: &Parts<'a>) -> BTreeMap<TaskId, &'a str> {
    parts.blocks.iter().copied().collect()
}

/// Whether only theirs changed it.
fn is_theirs(base: &str, ours: &str, theirs: &str) -> bool {
    base == ours && base != theirs
}

/// A block that both changed: with all that is ours as it was decided, and with the fields and comments of others that
/// either of them changed. `None` where both changed those in the same place.
fn of_both(texts: [&str; 3], task: &Task) -> Option<String> {
    // With the same task in all three, only what others put there still differs.
    let written = |text: &str| {
        let (lead, body) = text.split_at(lead_of(text)?);
        let old = read_block(body, task.updated)?;
        Some(format!("{lead}{}", retain::block(body, &old, task)?))
    };
    let [base, ours, theirs] = texts.map(written);
    let (base, ours, theirs) = (base?, ours?, theirs?);
    if ours == theirs || theirs == base {
        return Some(ours);
    }
    if ours == base {
        return Some(theirs);
    }
    merge_lines(&base, &ours, &theirs)
}

/// Where the lines of the task itself begin: behind comments and blank lines.
fn lead_of(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let plain = line.trim_start();
        if !plain.is_empty() && !plain.starts_with('#') {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Two texts that each changed one run of lines of a third; `None` where the runs touch.
fn merge_lines(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let lines = |text: &'_ str| {
        text.split_inclusive('\n')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (base, ours, theirs) = (lines(base), lines(ours), lines(theirs));
    // What changed: from which line of the base up to how many before its end.
    let run = |other: &[String]| {
        let same = |pair: &(&String, &String)| pair.0 == pair.1;
        let front = base.iter().zip(other).take_while(same).count();
        let most = base.len().min(other.len()) - front;
        let back = base.iter().rev().zip(other.iter().rev());
        (front, back.take_while(same).count().min(most))
    };
    let ((our_front, our_back), (their_front, their_back)) = (run(&ours), run(&theirs));
    let (first, second, first_back, second_front, second_back) = if our_front <= their_front {
        (&ours, &theirs, our_back, their_front, their_back)
    } else {
        (&theirs, &ours, their_back, our_front, our_back)
    };
    // The first run must end before the second begins.
    let between = (base.len() - first_back)..second_front;
    if between.start > between.end || (between.is_empty() && our_front == their_front) {
        return None;
    }
    let mut merged = String::new();
    let head = first.len() - first_back;
    first
        .iter()
        .take(head)
        .for_each(|line| merged.push_str(line));
    base.get(between)?
        .iter()
        .for_each(|line| merged.push_str(line));
    let tail = second.len().checked_sub(second_back)?;
    let second = second.get(second_front..tail)?.iter();
    second.for_each(|line| merged.push_str(line));
    let end = base.get(base.len() - second_back..)?.iter();
    end.for_each(|line| merged.push_str(line));
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "  00000000-0000-4000-8000-00000000000a:\n";
    const B: &str = "  00000000-0000-4000-8000-00000000000b:\n";
    const C: &str = "  00000000-0000-4000-8000-00000000000c:\n";

    fn file(tasks: &[&str]) -> String {
        format!("version: 1\ntasks:\n{}", tasks.concat())
    }

    fn task(id: &str, title: &str, more: &str) -> String {
        format!(
            "{id}    created: 2026-11-15T07:12:13.123Z\n    title: {title}\n    status: pending\n    \
            priority: medium\n    rank: \"a0\"\n{more}    updated: 2026-11-15T08:12:13.123Z\n"
        )
    }

    #[test]
    fn what_only_one_side_touched_is_taken_byte_for_byte() {
        let base = file(&[&task(A, "one", "")]);
        let ours = file(&[&task(A, "one", ""), &task(B, "ours", "")]);
        let theirs = file(&[&task(A, "one", "    estimate: 3 # days\n")]);
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        let expected = file(&[
            &task(A, "one", "    estimate: 3 # days\n"),
            &task(B, "ours", ""),
        ]);
        assert_eq!(merged.text, expected);
        assert_eq!(merged.notes, []);
        let other_way = merge_files(&base, &theirs, &ours).unwrap();
        assert_eq!(other_way.text, expected);
    }

    #[test]
    fn a_task_that_both_touched_is_written_anew_and_keeps_what_is_not_ours() {
        let base = file(&[&task(A, "one", "    estimate: 3\n")]);
        let ours = file(&[&task(A, "two", "    estimate: 3\n")]);
        let theirs = base.replace("status: pending", "status: blocked");
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        let expected = ours.replace("status: pending", "status: blocked");
        assert_eq!(merged.text, expected);
    }

    #[test]
    fn what_others_put_into_a_task_that_both_touched_comes_along() {
        let base = file(&[&task(A, "one", "    estimate: 3\n    team: x\n")]);
        let ours = base.replace("title: one", "title: two");
        let theirs = base
            .replace("estimate: 3", "estimate: 5")
            .replace("    team: x\n", "    team: x\n    owner: ann # new\n");
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        assert_eq!(merged.text, theirs.replace("title: one", "title: two"));
        assert_eq!(merged.notes, []);
        // Both, in different places.
        let ours = ours.replace("    team: x\n", "    team: y\n");
        let theirs = base
            .replace("estimate: 3", "estimate: 5")
            .replace("pending", "blocked");
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        assert!(
            merged.text.contains("    estimate: 5\n    team: y\n"),
            "{}",
            merged.text
        );
        assert_eq!(merged.notes, []);
        // Both, in the same place: told, not hidden.
        let theirs = base
            .replace("team: x", "team: z")
            .replace("pending", "blocked");
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        assert!(merged.text.contains("    team: y\n"), "{}", merged.text);
        assert_eq!(merged.notes.len(), 1);
        assert_eq!(merged.notes[0].kind, Disagreement::OthersFields);
    }

    #[test]
    fn where_it_is_not_known_what_both_came_from_nothing_is_lost() {
        let ours = file(&[&task(A, "one", ""), &task(B, "ours", "")]);
        let theirs = format!(
            "# mine\n{}# end\n",
            file(&[&task(A, "one", "    team: x\n")])
        );
        let base = likely_base(&ours, &theirs, |_| BTreeSet::new()).unwrap();
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        let blocks = [&*task(A, "one", "    team: x\n"), &task(B, "ours", "")];
        assert_eq!(merged.text, format!("# mine\n{}# end\n", file(&blocks)));
        // What was changed later counts.
        let ours = ours.replace("title: one", "title: two");
        let ours = ours.replacen("T08:12:13", "T09:12:13", 1);
        let base = likely_base(&ours, &theirs, |_| BTreeSet::new()).unwrap();
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        assert!(merged.text.contains("title: two\n"), "{}", merged.text);
        // What was deleted stays so; what nobody has heard of is new.
        let ours = file(&[&task(A, "one", "")]);
        let theirs = file(&[
            &task(A, "one", ""),
            &task(B, "gone", ""),
            &task(C, "new", ""),
        ]);
        let known = |ids: &BTreeSet<TaskId>| {
            let gone = TaskId::parse(B.trim().trim_end_matches(':')).unwrap();
            ids.iter().copied().filter(|id| *id == gone).collect()
        };
        let base = likely_base(&ours, &theirs, known).unwrap();
        let merged = merge_files(&base, &ours, &theirs).unwrap();
        assert_eq!(
            merged.text,
            file(&[&task(A, "one", ""), &task(C, "new", "")])
        );
    }

    #[test]
    fn an_empty_file_is_no_board() {
        let full = file(&[&task(A, "one", "")]);
        for (ours, theirs, version) in
            [("", &*full, Version::Ours), (&*full, "\n", Version::Theirs)]
        {
            let error = merge_files(&full, ours, theirs).unwrap_err();
            assert_eq!(error, MergeError::Empty { version });
        }
    }

    #[test]
    fn both_may_begin_the_file_and_windows_lines_stay() {
        let ours = file(&[&task(A, "one", "")]).replace('\n', "\r\n");
        let theirs = file(&[&task(B, "two", "")]);
        let merged = merge_files("", &ours, &theirs).unwrap();
        let expected = file(&[&task(A, "one", ""), &task(B, "two", "")]);
        assert_eq!(merged.text, expected.replace('\n', "\r\n"));
    }

    #[test]
    fn a_broken_file_is_named() {
        let error = merge_files("", "tasks: [", "version: 1\n").unwrap_err();
        let MergeError::Broken { version, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(version, Version::Ours);
    }
}
