//! Where longer texts come from: the command line, standard input, or the editor of whoever types.

use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

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

/// Lets somebody write a title (the first line) and a description (the rest) in their editor.
pub(super) fn edit(begun: &str, settings: &Settings) -> Result<Words, String> {
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
    let path = std::env::temp_dir().join(name);
    let edited = in_editor(editor, &path, begun);
    drop(std::fs::remove_file(&path));
    parse(&edited?)
}

fn in_editor(editor: &str, path: &Path, begun: &str) -> Result<String, String> {
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
    let mut text = String::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(MOST).read_to_string(&mut text));
    read.map_err(|error| format!("cannot read what the editor wrote: {error}"))?;
    Ok(text)
}

/// Takes a text apart: the first line is the title.
fn parse(text: &str) -> Result<Words, String> {
    let text = text.trim_end();
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    if title.trim().is_empty() {
        return Err("the first line is the title, and it is empty; nothing was changed".to_owned());
    }
    let title = Title::parse(title.trim_end()).map_err(|error| format!("the title {error}"))?;
    let description = Description::parse(rest.trim_start_matches(['\n', '\r']));
    let description = description.map_err(|error| format!("the description {error}"))?;
    Ok(Words { title, description })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_title_and_the_rest_the_description() {
        let check = |text: &str, title: &str, description: Option<&str>| {
            let words = parse(text).unwrap();
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
        assert!(parse("\nno title").is_err());
    }
}
