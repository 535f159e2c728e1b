//! Reads the files that tasks come from. Whatever is no text, or too much of it, is refused here; what the text means
//! is for others to say.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::{Format, Unreadable};

/// The most bytes that are read, in all.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// The most files that are read of a folder.
const MAX_FILES: usize = 10_000;

/// Where tasks come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// What to call it.
    pub(crate) name: String,
    /// What it holds: one file, or those of a folder that belong to one format.
    pub(super) files: Vec<SourceFile>,
    /// The format that the layout of a folder shows.
    pub(super) layout: Option<Format>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceFile {
    /// Its name, below the folder if there is one.
    pub(super) name: String,
    /// Where it really is, behind links; none if it is nowhere.
    pub(super) path: Option<PathBuf>,
    pub(super) text: String,
}

impl Source {
    /// Reads a file or a folder; of a folder that holds several formats the one that was said.
    pub(crate) fn open(path: &Path, said: Option<Format>) -> Result<Self, Unreadable> {
        let name = path.display().to_string();
        if path.is_dir() {
            return folder(path, name, said);
        }
        let file = File::open(path).map_err(|error| cannot_read(&name, &error))?;
        let mut left = MAX_BYTES;
        let text = read(file, &name, &mut left)?;
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self {
            files: vec![SourceFile {
                name: own.into_owned(),
                path: path.canonicalize().ok(),
                text,
            }],
            name,
            layout: None,
        })
    }

    /// Reads standard input.
    pub(crate) fn standard_input() -> Result<Self, Unreadable> {
        let name = "standard input".to_owned();
        let text = read(io::stdin().lock(), &name, &mut { MAX_BYTES })?;
        let files = vec![SourceFile {
            name: name.clone(),
            path: None,
            text,
        }];
        Ok(Self {
            name,
            files,
            layout: None,
        })
    }

    /// One file with this text.
    #[cfg(test)]
    pub(super) fn of(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            files: vec![SourceFile {
                name: name.to_owned(),
                path: None,
                text: text.to_owned(),
            }],
            layout: None,
        }
    }
}

fn cannot_read(name: &str, error: &io::Error) -> Unreadable {
    if error.kind() == io::ErrorKind::NotFound {
        return Unreadable::new(format!("there is no {name}"))
            .with_hint("give a file, a folder, or - for standard input");
    }
    Unreadable::new(format!("cannot read {name}: {error}"))
}

fn read(from: impl io::Read, name: &str, left: &mut u64) -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    from.take(*left + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot_read(name, &error))?;
    let size = bytes.len() as u64;
    if size > *left {
        return Err(Unreadable::new(format!(
            "{name} holds more than {} MB",
            MAX_BYTES / 1024 / 1024
        ))
        .with_hint("split it, and import the parts one by one"));
    }
    *left -= size;
    let not_text = |at: usize| {
        Unreadable::new(format!("{name} is no text: byte {} can't be read", at + 1))
            .with_hint("import takes text in UTF-8; nothing was imported")
    };
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(not_text(at));
    }
    let text =
        String::from_utf8(bytes).map_err(|error| not_text(error.utf8_error().valid_up_to()))?;
    let text = text
        .strip_prefix('\u{feff}')
        .map_or(text.as_str(), |rest| rest)
        .replace("\r\n", "\n");
    Ok(text)
}

/// What a folder can hold, and the files that show it.
fn layouts(path: &Path) -> Vec<(Format, Vec<PathBuf>)> {
    let mut found = Vec::new();
    let first_of = |names: &[&str]| -> Vec<PathBuf> {
        let there = names.iter().map(|name| path.join(name));
        there.filter(|path| path.is_file()).take(1).collect()
    };
    let mut add = |format, files: Vec<PathBuf>| {
        if !files.is_empty() {
            found.push((format, files));
        }
    };
    add(
        Format::TaskMaster,
        first_of(&[
            ".taskmaster/tasks/tasks.json",
            "tasks/tasks.json",
            "tasks.json",
        ]),
    );
    add(
        Format::Beads,
        first_of(&[
            ".beads/issues.jsonl",
            ".beads/beads.jsonl",
            "issues.jsonl",
            "beads.jsonl",
        ]),
    );
    add(Format::BacklogMd, backlog_files(path));
    let todo_txt = ["todo.txt", "done.txt"].map(|name| path.join(name));
    add(
        Format::TodoTxt,
        todo_txt.into_iter().filter(|path| path.is_file()).collect(),
    );
    add(Format::ClaudeCode, numbered_files(path));
    found
}

/// The files of a Backlog.md folder: of `backlog/`, or of the folder itself.
fn backlog_files(path: &Path) -> Vec<PathBuf> {
    let folders = [path.join("backlog"), path.join(".backlog"), path.to_owned()];
    let root = folders.into_iter().find(|folder| {
        ["tasks", "drafts", "completed"]
            .iter()
            .any(|part| !markdown_files(&folder.join(part)).is_empty())
    });
    if let Some(root) = root {
        let parts = [
            "tasks",
            "completed",
            "drafts",
            "archive/tasks",
            "archive/drafts",
        ];
        return parts
            .iter()
            .flat_map(|part| markdown_files(&root.join(part)))
            .collect();
    }
    // The folder `tasks` itself.
    let files = markdown_files(path);
    let is_task = |path: &PathBuf| {
        let mut start = [0; 4];
        File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
            && matches!(&start, b"---\n" | b"---\r")
    };
    files.into_iter().filter(is_task).collect()
}

fn markdown_files(folder: &Path) -> Vec<PathBuf> {
    entries(folder, |name| {
        Path::new(name).extension().is_some_and(|end| end == "md")
    })
}

fn numbered_files(folder: &Path) -> Vec<PathBuf> {
    entries(folder, |name| {
        name.strip_suffix(".json")
            .is_some_and(|stem| !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// The files of a folder whose names are like that, in the order in which people count.
fn entries(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(&wanted)
        })
        .filter(|path| path.is_file())
        .collect();
    paths.sort_by_cached_key(|path| counted(&path.to_string_lossy()));
    paths
}

/// What sorts `task-10` behind `task-9`.
pub(super) fn counted(text: &str) -> Vec<(String, u64)> {
    let mut parts: Vec<(String, u64)> = vec![(String::new(), 0)];
    let mut in_number = false;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            if let Some((_, number)) = parts.last_mut() {
                *number = number.saturating_mul(10).saturating_add(u64::from(digit));
            }
            in_number = true;
        } else {
            if in_number {
                parts.push((String::new(), 0));
                in_number = false;
            }
            if let Some((words, _)) = parts.last_mut() {
                words.push(c);
            }
        }
    }
    parts
}

fn folder(path: &Path, name: String, said: Option<Format>) -> Result<Source, Unreadable> {
    let mut found = layouts(path);
    if let Some(said) = said {
        found.retain(|(format, _)| *format == said);
    }
    let formats: Vec<&str> = found.iter().map(|(format, _)| format.name()).collect();
    let hint = format!("say which with --from: {}", formats.join(", "));
    let (format, paths) = match (found.len(), found.pop()) {
        (1, Some(found)) => found,
        (0, _) | (_, None) => return Err(nothing_in(path, &name, said)),
        (_, Some(_)) => {
            let message = format!("{name} holds tasks in several formats");
            return Err(Unreadable::new(message).with_hint(hint));
        }
    };
    if paths.len() > MAX_FILES {
        return Err(Unreadable::new(format!(
            "{name} holds more than {MAX_FILES} files"
        )));
    }
    let mut left = MAX_BYTES;
    let mut files = Vec::with_capacity(paths.len());
    for file in paths {
        let own = file.strip_prefix(path).unwrap_or(&file);
        let own = own.display().to_string();
        let opened = File::open(&file).map_err(|error| cannot_read(&own, &error))?;
        let text = read(opened, &own, &mut left)?;
        let path = file.canonicalize().ok();
        files.push(SourceFile {
            name: own,
            path,
            text,
        });
    }
    Ok(Source {
        name,
        files,
        layout: Some(format),
    })
}

fn nothing_in(path: &Path, name: &str, said: Option<Format>) -> Unreadable {
    // `~/.claude/tasks` holds lists, one folder each.
    let folders = std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let lists: Vec<String> = folders
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !numbered_files(path).is_empty())
        .map(|path| path.display().to_string())
        .collect();
    if !lists.is_empty() {
        let message = format!("{name} holds {} lists of Claude Code, not one", lists.len());
        let shown: Vec<String> = lists.into_iter().take(20).collect();
        return Unreadable::new(message)
            .with_hint(format!("import one of them:\n{}", shown.join("\n")));
    }
    let what = said.map_or("that import knows", Format::name);
    Unreadable::new(format!("there are no tasks in {name}, in no format {what}"))
        .with_hint("a folder is that of task-master, beads, Backlog.md, todo.txt or a Claude Code list; of anything else give the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_counted() {
        let mut names = ["T-10", "T-9.2", "T-9", "A"];
        names.sort_by_key(|name| counted(name));
        assert_eq!(names, ["A", "T-9", "T-9.2", "T-10"]);
    }
}
