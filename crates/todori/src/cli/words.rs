//! Where longer texts come from: the command line, standard input, or the editor of whoever types.

use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use todori_domain::{Description, IdSource as _, RandomIds, Title};

use crate::config::Settings;

/// More than any description may have; what is longer is refused, not cut.
const MOST: u64 = 1024 * 1024;

/// A title and a description.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) title: Title,
    pub(super) description: Option<Description>,
}

/// Reads a description: as given, or from standard input for `-`.
pub(super) fn description(given: &str) -> Result<Option<Description>, String> {
    let text = if given == "-" {
        let mut text = String::new();
        let read = std::io::stdin().take(MOST).read_to_string(&mut text);
        read.map_err(|error| format!("cannot read the description: {error}"))?;
        text.trim_end_matches(['\n', '\r']).to_owned()
    } else {
        given.to_owned()
    };
    Description::parse(&text).map_err(|error| format!("the description {error}"))
}

/// What somebody wrote in their editor. Its file goes away with it, unless it is told to stay.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    begun: String,
    text: String,
    kept: bool,
}

impl Draft {
    /// Whether it is as it was when the editor was opened.
    pub(super) fn is_untouched(&self) -> bool {
        self.text.trim_end() == self.begun.trim_end()
    }

    /// Leaves the file where it is until this is called off, and gives the words for whoever must find it again. There
    /// are none where nothing was written that could be lost.
    pub(super) fn keep(&mut self) -> Option<String> {
        self.kept = !self.is_untouched() && !self.text.trim().is_empty();
        self.kept.then(|| kept_in(&self.path))
    }

    /// Says that what was written is where it belongs.
    pub(super) fn settle(&mut self) {
        self.kept = false;
    }

    /// The title (the first line) and the description (the rest).
    pub(super) fn words(&self) -> Result<Words, String> {
        let (title, description) = split(&self.text);
        Ok(Words {
            title: parse_title(title)?,
            description: parse_description(description)?,
        })
    }

    /// The title, if it is another than the editor was opened with.
    pub(super) fn new_title(&self) -> Result<Option<Title>, String> {
        let ((before, _), (now, _)) = (split(&self.begun), split(&self.text));
        (now != before).then(|| parse_title(now)).transpose()
    }

    /// The description, if it is another than the editor was opened with.
    pub(super) fn new_description(&self) -> Result<Option<Option<Description>>, String> {
        let ((_, before), (_, now)) = (split(&self.begun), split(&self.text));
        (now != before).then(|| parse_description(now)).transpose()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.kept {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

fn kept_in(path: &Path) -> String {
    format!("what you wrote is kept in {}", path.display())
}

/// Lets somebody write a title (the first line) and a description (the rest) in their editor.
pub(super) fn edit(title: &str, description: &str, settings: &Settings) -> Result<Draft, String> {
    let Some(editor) = &settings.editor else {
        return Err("no editor is set: set EDITOR, or use the options".to_owned());
    };
    if !std::io::stdin().is_terminal() {
        return Err(
            "an editor needs a terminal; use the options, or `-d -` to read from standard input"
                .to_owned(),
        );
    }
    let name = format!("todori-{}.md", RandomIds.next_id().prefix(12));
    let begun = begin(title, description);
    let mut draft = Draft {
        path: std::env::temp_dir().join(name),
        text: begun.clone(),
        begun,
        kept: false,
    };
    let edited = in_editor(editor, &draft.path, &draft.begun);
    let read = read(&draft.path);
    match (edited, read) {
        (Ok(()), Ok(text)) => {
            draft.text = text;
            Ok(draft)
        }
        (Err(reason), Ok(text)) => {
            draft.text = text;
            Err(match draft.keep() {
                Some(kept) => format!("{reason}; {kept}"),
                None => reason,
            })
        }
        // Whatever it is, it is somebody's work.
        (Ok(()), Err(reason)) => {
            draft.kept = true;
            Err(format!("{reason}; {}", kept_in(&draft.path)))
        }
        (Err(reason), Err(_)) => Err(reason),
    }
}

/// What the editor is opened with: the title on one line, and the description below it.
fn begin(title: &str, description: &str) -> String {
    let title = title.replace(['\n', '\r'], " ");
    if description.is_empty() {
        format!("{title}\n")
    } else {
        format!("{title}\n\n{description}\n")
    }
}

fn in_editor(editor: &str, path: &Path, begun: &str) -> Result<(), String> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(begun.as_bytes()));
    written.map_err(|error| format!("cannot write a file for the editor: {error}"))?;
    // As git does it: the setting may have arguments of its own.
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(path);
    let ended = command
        .status()
        .map_err(|error| format!("cannot start the editor {editor}: {error}"))?;
    if !ended.success() {
        return Err(format!("the editor {editor} failed; nothing was changed"));
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(MOST).read_to_string(&mut text));
    read.map_err(|error| format!("cannot read what the editor wrote: {error}"))?;
    Ok(text)
}

/// Takes a text apart: the first line is the title, the rest is the description.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    (title.trim_end(), rest.trim_start_matches(['\n', '\r']))
}

fn parse_title(title: &str) -> Result<Title, String> {
    if title.trim().is_empty() {
        return Err("the first line is the title, and it is empty; nothing was changed".to_owned());
    }
    Title::parse(title).map_err(|error| format!("the title {error}"))
}

fn parse_description(text: &str) -> Result<Option<Description>, String> {
    Description::parse(text).map_err(|error| format!("the description {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(begun: String, text: &str) -> Draft {
        Draft {
            path: PathBuf::new(),
            begun,
            text: text.to_owned(),
            kept: false,
        }
    }

    #[test]
    fn the_first_line_is_the_title_and_the_rest_the_description() {
        let check = |text: &str, title: &str, description: Option<&str>| {
            let words = draft(String::new(), text).words().unwrap();
            assert_eq!(words.title.as_str(), title);
            assert_eq!(
                words.description.as_ref().map(Description::as_str),
                description
            );
        };
        check("Fix it\n", "Fix it", None);
        check(
            "Fix it\n\nIt is broken.\n# For good\n",
            "Fix it",
            Some("It is broken.\n# For good"),
        );
        assert!(draft(String::new(), "\nno title").words().is_err());
    }

    #[test]
    fn only_what_was_edited_is_new() {
        let check = |text: &str, title: Option<&str>, description: Option<Option<&str>>| {
            let draft = draft(begin("two\nlines ", "more  \n\n"), text);
            let new = draft.new_title().unwrap();
            assert_eq!(new.as_ref().map(Title::as_str), title, "{text:?}");
            let new = draft.new_description().unwrap();
            let new = new
                .as_ref()
                .map(|text| text.as_ref().map(Description::as_str));
            assert_eq!(new, description, "{text:?}");
            let untouched = title.is_none() && description.is_none();
            assert_eq!(draft.is_untouched(), untouched, "{text:?}");
        };
        check(&begin("two\nlines ", "more  \n\n"), None, None);
        check("two lines \n\nmore", None, None);
        check("two lines\n\nless\n", None, Some(Some("less")));
        check("two lines\n", None, Some(None));
        check("two words\n\nmore  \n", Some("two words"), None);
    }
}
