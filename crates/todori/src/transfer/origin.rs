//! What tells sources apart whose tasks have no names of their own in the world: two files may both hold a task 1, or
//! one of the same words.

use std::path::{Path, PathBuf};

use super::{Format, Source};

/// The parts of a folder of Backlog.md: a task wanders between them.
const BACKLOG_PARTS: [&str; 3] = ["tasks", "completed", "drafts"];

/// Where a source is, the same from wherever and however it is named: below the project if it is in there, so that
/// everybody's clone says the same. Empty where names are enough, and where there is no place.
pub(crate) fn place(source: &Source, format: Format, root: Option<&Path>) -> String {
    let Some(file) = source.files.first().and_then(|file| file.path.as_deref()) else {
        return String::new();
    };
    let place = match format {
        Format::Beads | Format::Todori => return String::new(),
        Format::TodoTxt if named(file, |name| matches!(name, "todo.txt" | "done.txt")) => {
            above(file)
        }
        Format::ClaudeCode if named(file, is_numbered) => above(file),
        Format::BacklogMd => {
            let folder = above(file);
            if named(&folder, |name| BACKLOG_PARTS.contains(&name)) {
                above(&folder)
            } else {
                folder
            }
        }
        Format::TaskMaster | Format::Markdown | Format::TodoTxt | Format::ClaudeCode => {
            file.to_owned()
        }
    };
    let root = root.and_then(|root| root.canonicalize().ok());
    let below = root.as_ref().and_then(|root| place.strip_prefix(root).ok());
    match below {
        // Not empty, which would mean nowhere.
        Some(below) => format!("./{}", below.display()),
        None => place.display().to_string(),
    }
}

fn above(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

fn named(path: &Path, wanted: impl Fn(&str) -> bool) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(wanted)
}

fn is_numbered(name: &str) -> bool {
    name.strip_suffix(".json")
        .is_some_and(|stem| stem.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_however_it_is_named() {
        let check = |file: &str, format: Format, expected: &str| {
            let mut source = Source::of("x", "");
            if let Some(own) = source.files.first_mut() {
                own.path = Some(PathBuf::from(file));
            }
            assert_eq!(place(&source, format, None), expected, "{file}");
        };
        check("/a/plan.md", Format::Markdown, "/a/plan.md");
        check("/a/todo.txt", Format::TodoTxt, "/a");
        check("/a/done.txt", Format::TodoTxt, "/a");
        check("/a/home.txt", Format::TodoTxt, "/a/home.txt");
        check("/a/list/1.json", Format::ClaudeCode, "/a/list");
        check("/a/todos/x.json", Format::ClaudeCode, "/a/todos/x.json");
        check("/a/backlog/tasks/t.md", Format::BacklogMd, "/a/backlog");
        check("/a/backlog/completed/t.md", Format::BacklogMd, "/a/backlog");
        check("/a/elsewhere/t.md", Format::BacklogMd, "/a/elsewhere");
        check("/a/issues.jsonl", Format::Beads, "");
        check("/a/board.json", Format::Todori, "");
        let nowhere = Source::of("standard input", "");
        assert_eq!(place(&nowhere, Format::Markdown, None), "");
    }
}
