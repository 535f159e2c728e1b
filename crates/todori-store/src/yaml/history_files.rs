//! The files of the history, as lines: read backwards or forwards, every byte once, however long the lines are; written
//! so that no file gets much larger than it should. What a line says is for [`super::history`] to know.
//!
//! Somebody else may have written anything into these files. A line that is longer than any of ours is passed over, and
//! of a file that is larger than any of ours only the end is read.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::atomic_file::{self, NO_FOLLOW};
use super::ownership;
use super::paths::Paths;
use crate::regular_file;

/// A file of this size is put aside, and the oldest of so many is dropped.
const ROTATE_AT: u64 = 10 * 1024 * 1024;
pub(crate) const KEPT: usize = 10;

/// Longer lines are not ours: those of older versions, which did not divide them, were not read beyond this either.
pub(crate) const LARGEST_LINE: usize = 64 * 1024 * 1024;

/// How much is read.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Of the end of a file.
    file: u64,
    line: usize,
}

const LIMITS: Limits = Limits {
    file: 256 * 1024 * 1024,
    line: LARGEST_LINE,
};

/// How much of a file is read at first, and at most at a time.
const FIRST_STEP: u64 = 8 * 1024;
const LARGEST_STEP: u64 = 256 * 1024;

/// Where to go on after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// With the line before it.
    Line,
    /// With the last line of the next older file.
    File,
    /// Nowhere.
    End,
}

/// Of a file of any size only the end is read.
fn open(path: &Path) -> io::Result<File> {
    regular_file::open(path, u64::MAX)
}

/// Whether there is anything in the file of this age.
pub(crate) fn has_file(paths: &Paths, age: usize) -> bool {
    let found = paths.history(age).symlink_metadata();
    found.is_ok_and(|found| found.is_file() && found.len() > 0)
}

/// Gives the lines of all files, newest first. A file that can't be read is passed over.
pub(crate) fn walk(paths: &Paths, mut take: impl FnMut(&[u8]) -> Next) {
    for file in open_all(paths) {
        if let Ok(Next::End) = walk_file(file, LIMITS, &mut take) {
            return;
        }
    }
}

/// Opens all files before the first is read. Another process may put them aside meanwhile, so that one is met again
/// under another name: then it is not read twice.
fn open_all(paths: &Paths) -> Vec<File> {
    let mut files: Vec<(u64, File)> = Vec::new();
    for age in 0..KEPT {
        if let Ok(file) = open(&paths.history(age))
            && let Ok(found) = file.metadata()
            && files.iter().all(|(inode, _)| *inode != found.ino())
        {
            files.push((found.ino(), file));
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

/// Gives the lines of a file, last first, and says where to go on. Every byte is read once and copied at most twice.
fn walk_file(
    mut file: File,
    limits: Limits,
    take: &mut impl FnMut(&[u8]) -> Next,
) -> io::Result<Next> {
    let mut start = file.metadata()?.len();
    let end = start.saturating_sub(limits.file);
    let mut step = FIRST_STEP;
    let mut line = LineEnd {
        pieces: Vec::new(),
        length: 0,
        most: limits.line,
    };
    while start > end {
        let length = step.min(start - end);
        start -= length;
        step = (step * 2).min(LARGEST_STEP);
        file.seek(SeekFrom::Start(start))?;
        let mut chunk = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact(&mut chunk)?;
        while let Some(newline) = chunk.iter().rposition(|&byte| byte == b'\n') {
            line.push(chunk.split_off(newline + 1));
            chunk.truncate(newline);
            let next = line.give(take);
            if next != Next::Line {
                return Ok(next);
            }
        }
        line.push(chunk);
    }
    // Where the beginning of the file was not read, that of the line was not either.
    Ok(if end == 0 {
        line.give(take)
    } else {
        Next::Line
    })
}

/// The end of a line whose beginning was not read yet.
struct LineEnd {
    /// Last piece first.
    pieces: Vec<Vec<u8>>,
    length: usize,
    /// Nothing is kept of a longer one.
    most: usize,
}

impl LineEnd {
    fn push(&mut self, piece: Vec<u8>) {
        self.length += piece.len();
        if self.length <= self.most {
            self.pieces.push(piece);
        } else {
            self.pieces.clear();
        }
    }

    /// Gives the line that the pieces are, if there is anything in it and it can be one of ours.
    fn give(&mut self, take: &mut impl FnMut(&[u8]) -> Next) -> Next {
        let mut line = self.pieces.pop().unwrap_or_default();
        for piece in self.pieces.drain(..).rev() {
            line.extend(piece);
        }
        let length = std::mem::take(&mut self.length);
        if line.is_empty() || length > self.most {
            return Next::Line;
        }
        take(&line)
    }
}

/// What was met where a line should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Met<'a> {
    Line(&'a [u8]),
    /// One that is longer than any of ours.
    TooLong,
    /// The beginning of a file that is larger than any of ours: so many bytes.
    Unread(u64),
}

/// Gives all lines of the file of this age, oldest first, until `take` has enough.
pub(crate) fn read_forward(
    paths: &Paths,
    age: usize,
    take: impl FnMut(Met<'_>) -> bool,
) -> io::Result<()> {
    read_file(open(&paths.history(age))?, LIMITS, take)
}

/// Gives the lines of a file, first one first.
fn read_file(
    mut file: File,
    limits: Limits,
    mut take: impl FnMut(Met<'_>) -> bool,
) -> io::Result<()> {
    let unread = file.metadata()?.len().saturating_sub(limits.file);
    let mut is_whole = unread == 0;
    if !is_whole {
        file.seek(SeekFrom::Start(unread))?;
        if !take(Met::Unread(unread)) {
            return Ok(());
        }
    }
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(limits.file));
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = read_line(&mut reader, limits.line, &mut line)?;
        if length == 0 {
            return Ok(());
        }
        let met = if length > limits.line {
            Met::TooLong
        } else {
            Met::Line(&line)
        };
        // The first line of what is read of a file that is too large has lost its beginning.
        if std::mem::replace(&mut is_whole, true) && !line_is_blank(met) && !take(met) {
            return Ok(());
        }
    }
}

fn line_is_blank(met: Met<'_>) -> bool {
    matches!(met, Met::Line(line) if line.is_empty())
}

/// Reads one line, without its end, and says how long it was, with its end. Nothing is kept of one that is too long.
fn read_line(reader: &mut impl BufRead, most: usize, line: &mut Vec<u8>) -> io::Result<usize> {
    let mut length = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let newline = buffer.iter().position(|&byte| byte == b'\n');
        let used = newline.map_or(buffer.len(), |at| at + 1);
        let piece = buffer.get(..newline.unwrap_or(used)).unwrap_or_default();
        length += used;
        if length > most {
            line.clear();
        } else {
            line.extend_from_slice(piece);
        }
        reader.consume(used);
        if newline.is_some() || used == 0 {
            return Ok(length);
        }
    }
}

/// Appends lines, which end with a newline each, and puts files aside that are full. Gives the file that was written to
/// last, for whoever wants to force it to the disk.
pub(crate) fn append(paths: &Paths, lines: impl Iterator<Item = String>) -> io::Result<File> {
    append_to(paths, lines, ROTATE_AT)
}

fn append_to(
    paths: &Paths,
    lines: impl Iterator<Item = String>,
    rotate_at: u64,
) -> io::Result<File> {
    let mut file = Appended::open(paths)?;
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        file.pending.push_str(&line);
        if file.size + file.pending.len() as u64 > rotate_at && lines.peek().is_some() {
            file.flush()?;
            file.file.sync_data()?;
            rotate(paths)?;
            file = Appended::open(paths)?;
        }
    }
    file.flush()?;
    // Put aside now, so that whoever writes next begins the new file with the board.
    if file.size > rotate_at {
        rotate(paths)?;
    }
    Ok(file.file)
}

struct Appended {
    file: File,
    size: u64,
    /// What is not written yet: lines are written together, so that there is at most one half line.
    pending: String,
}

impl Appended {
    fn open(paths: &Paths) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).read(true).custom_flags(NO_FOLLOW);
        let mut file = ownership::open_or_create(&mut options, &paths.history(0))?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let size = metadata.len();
        let mut pending = String::new();
        // A writer that was killed may have left half a line.
        if size > 0 && last_byte(&mut file)? != b'\n' {
            pending.push('\n');
        }
        Ok(Self {
            file,
            size,
            pending,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(self.pending.as_bytes())?;
        self.size += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
}

fn last_byte(file: &mut File) -> io::Result<u8> {
    file.seek(SeekFrom::End(-1))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn rotate(paths: &Paths) -> io::Result<()> {
    for age in (0..KEPT - 1).rev() {
        match atomic_file::replace(&paths.history(age), &paths.history(age + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// What the files of the history are like, for whoever looks after them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Health {
    pub(crate) bytes: u64,
    pub(crate) lines: usize,
    /// Lines that say nothing: no JSON, no UTF-8, or too long.
    pub(crate) unreadable: usize,
    /// How much is not read because a file is too large.
    pub(crate) unread: u64,
    /// The files that can't be opened, and why.
    pub(crate) closed: Vec<(String, String)>,
}

/// Looks at all files.
pub(crate) fn examine(paths: &Paths) -> Health {
    let mut health = Health::default();
    for age in 0..KEPT {
        let path = paths.history(age);
        health.bytes += path.symlink_metadata().map_or(0, |found| found.len());
        let read = read_forward(paths, age, |met| {
            match met {
                Met::Unread(bytes) => health.unread += bytes,
                Met::TooLong => {
                    health.lines += 1;
                    health.unreadable += 1;
                }
                Met::Line(line) => {
                    health.lines += 1;
                    health.unreadable += usize::from(!is_json(line));
                }
            }
            true
        });
        match read {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let reason = super::failure::words(&error);
                health.closed.push((name.into_owned(), reason));
            }
            Ok(()) | Err(_) => {}
        }
    }
    health
}

fn is_json(line: &[u8]) -> bool {
    let text = std::str::from_utf8(line);
    text.is_ok_and(|text| serde_json::from_str::<serde_json::Value>(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(text: &[u8]) -> (tempfile::TempDir, Paths) {
        let project = tempfile::TempDir::new().unwrap();
        std::fs::create_dir(project.path().join(".todori")).unwrap();
        let paths = Paths::of(project.path()).unwrap();
        let mut file = File::create(paths.history(0)).unwrap();
        file.write_all(text).unwrap();
        (project, paths)
    }

    fn text(line: &[u8]) -> String {
        String::from_utf8_lossy(line).into_owned()
    }

    /// The lines of a file in the order in which they are met, oldest first and newest first.
    fn met(paths: &Paths, age: usize, limits: Limits) -> [Vec<String>; 2] {
        let file = || open(&paths.history(age)).unwrap();
        let mut forwards = Vec::new();
        read_file(file(), limits, |met| {
            forwards.push(match met {
                Met::Line(line) => text(line),
                Met::TooLong => "(too long)".to_owned(),
                Met::Unread(bytes) => format!("({bytes} bytes)"),
            });
            true
        })
        .unwrap();
        let mut backwards = Vec::new();
        walk_file(file(), limits, &mut |line| {
            backwards.push(text(line));
            Next::Line
        })
        .unwrap();
        [forwards, backwards]
    }

    fn check(text: &[u8], limits: Limits, expected: &[&str]) {
        let (_project, paths) = project(text);
        let [forwards, mut backwards] = met(&paths, 0, limits);
        assert_eq!(forwards, expected);
        backwards.reverse();
        let lines: Vec<&&str> = expected
            .iter()
            .filter(|line| !line.starts_with('('))
            .collect();
        assert!(backwards.iter().eq(lines), "{expected:?}");
    }

    #[test]
    fn lines_come_whole_in_both_directions_however_long_they_are() {
        check(b"", LIMITS, &[]);
        check(b"a", LIMITS, &["a"]);
        check(b"a\nb\n\nc", LIMITS, &["a", "b", "c"]);
        let long = "x".repeat(3 * 1024 * 1024);
        let text = format!("first\n{long}\nlast\n");
        check(text.as_bytes(), LIMITS, &["first", &long, "last"]);
        // Lines that end exactly where a piece of the file does.
        let step = usize::try_from(FIRST_STEP).unwrap();
        for length in [step - 1, step, step + 1] {
            let line = "b".repeat(length);
            let text = format!("a\n{line}\n");
            check(text.as_bytes(), LIMITS, &["a", &line]);
        }
    }

    #[test]
    fn what_is_no_text_does_not_end_the_reading() {
        let expected = ["a", "\u{fffd}\u{fffd}", "b"];
        check(b"a\n\xff\xfe\nb\n", LIMITS, &expected);
    }

    #[test]
    fn a_line_longer_than_any_of_ours_is_passed_over() {
        let line = 50_000;
        let limits = Limits { line, ..LIMITS };
        let long = "x".repeat(line + 1);
        let text = format!("a\n{long}\nb\n{long}");
        let expected = ["a", "(too long)", "b", "(too long)"];
        check(text.as_bytes(), limits, &expected);
    }

    #[test]
    fn of_a_file_larger_than_any_of_ours_the_end_is_read() {
        let limits = Limits { file: 7, ..LIMITS };
        check(b"long\na\nb\n", limits, &["(2 bytes)", "a", "b"]);
    }

    #[test]
    fn files_are_put_aside_within_a_long_list_of_lines_and_none_is_lost() {
        let (_project, paths) = project(b"half a line");
        let line = |number: usize| format!("{number:0100}\n");
        append_to(&paths, (0..35).map(line), 1_000).unwrap();
        append_to(&paths, (35..36).map(line), 1_000).unwrap();
        let files: Vec<Vec<String>> = (0..4)
            .map(|age| met(&paths, age, LIMITS)[0].clone())
            .collect();
        let counts: Vec<usize> = files.iter().map(Vec::len).collect();
        assert_eq!(
            counts,
            [6, 10, 10, 11],
            "and none is much larger than it should be"
        );
        assert!(!paths.history(4).exists());
        let lines: Vec<String> = files.into_iter().rev().flatten().collect();
        let expected = (0..36).map(|number| line(number).trim_end().to_owned());
        let expected: Vec<String> = [vec!["half a line".to_owned()], expected.collect()].concat();
        assert_eq!(lines, expected);
        let mut newest_first = Vec::new();
        walk(&paths, |line| {
            newest_first.push(text(line));
            Next::Line
        });
        newest_first.reverse();
        assert_eq!(newest_first, expected);
    }

    #[test]
    fn what_says_nothing_is_counted() {
        let (_project, paths) = project(b"{}\n{\n\xff\n\n{}\n");
        let health = examine(&paths);
        assert_eq!((health.lines, health.unreadable, health.bytes), (4, 2, 11));
        assert_eq!(health.closed, []);
        std::fs::create_dir(paths.history(3)).unwrap();
        let reason = "it is not a regular file".to_owned();
        let closed = vec![("history.3.jsonl".to_owned(), reason)];
        assert_eq!(examine(&paths).closed, closed);
    }
}
