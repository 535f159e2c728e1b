//! Brings together what two branches made of one file. Tasks that only one of them touched are taken byte for byte, with
//! comments and fields that are not ours; only what both touched is written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use todori_domain::{
    Board, Change, MergeNote, Merged, Position, TaskChange, TaskId, Timestamp, merge,
};

use super::blocks::{Loaded, Parts};

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
    /// A task can't be written so that it reads back the same.
    #[error("the task {0} cannot be written")]
    NotWritten(TaskId),
}

/// Merges two texts that came from one. A base that is empty means that both began the file.
pub fn merge_files(base: &str, ours: &str, theirs: &str) -> Result<MergedFile, MergeError> {
    let base = read(base, Version::Base)?;
    let mut ours = read(ours, Version::Ours)?;
    let theirs = read(theirs, Version::Theirs)?;
    let Merged { board, notes } = merge(&base.board, &ours.board, &theirs.board);
    let board = Arc::new(board);
    let from = ours.clone();
    let change = difference(&ours.board, &board);
    let plan = ours
        .plan(&change, &board, &BTreeMap::new())
        .map_err(MergeError::NotWritten)?;
    ours.apply(plan, Arc::clone(&board));
    let whole = assemble(&base, &from, &theirs, &ours);
    // What was put together from pieces counts only if it says exactly the same.
    let says_the_same = |text: &String| {
        let read = Loaded::read(text.clone(), Timestamp::UNIX_EPOCH);
        read.is_ok_and(|read| read.board == board)
    };
    let text = match whole.filter(says_the_same) {
        Some(text) => ours.with_line_ends(&text),
        None => String::from_utf8_lossy(ours.bytes()).into_owned(),
    };
    Ok(MergedFile { text, board, notes })
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

/// The result, with every piece that ours left alone as theirs has it. Only for files that are sorted by id.
fn assemble(base: &Loaded, ours: &Loaded, theirs: &Loaded, result: &Loaded) -> Option<String> {
    let (base, ours) = (base.parts()?, ours.parts()?);
    let (theirs, result) = (theirs.parts()?, result.parts()?);
    if !result.blocks.is_sorted_by_key(|(id, _)| *id) {
        return None;
    }
    let by_id = |parts: &Parts<'_>| -> BTreeMap<TaskId, String> {
        let blocks = parts.blocks.iter();
        blocks.map(|(id, text)| (*id, (*text).to_owned())).collect()
    };
    let (base_blocks, our_blocks, their_blocks) = (by_id(&base), by_id(&ours), by_id(&theirs));
    let pick = |base: &str, ours: &str, theirs: &str| base == ours && base != theirs;
    let mut text = String::new();
    let header = pick(base.header, ours.header, theirs.header)
        && theirs.blocks.is_empty() == result.blocks.is_empty();
    text.push_str(if header { theirs.header } else { result.header });
    for (id, block) in &result.blocks {
        let there = (
            their_blocks.get(id),
            our_blocks.get(id),
            base_blocks.get(id),
        );
        let taken = match there {
            (Some(theirs), None, None) => theirs,
            (Some(theirs), Some(ours), Some(base)) if pick(base, ours, theirs) => theirs,
            (_, _, _) => *block,
        };
        text.push_str(taken);
    }
    let rest = pick(base.rest, ours.rest, theirs.rest);
    text.push_str(if rest { theirs.rest } else { result.rest });
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "  00000000-0000-4000-8000-00000000000a:\n";
    const B: &str = "  00000000-0000-4000-8000-00000000000b:\n";

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
