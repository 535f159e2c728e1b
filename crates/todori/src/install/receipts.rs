//! Remembers what `install` changed, so that `uninstall` can undo it: a file that is still as it was left becomes what it
//! was before, to the last byte. From a file that changed since, or of which nothing is remembered, entries are removed
//! one by one instead.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::config::mark;

/// More is not kept.
const MAX_RECEIPTS: usize = 500;
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// One step of a change: at this place, that many bytes took the place of these words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Receipt {
    file: PathBuf,
    /// A mark of the whole text after the step.
    after: String,
    at: usize,
    was: String,
    length: usize,
    /// Whether the file was made.
    made: bool,
    /// The folders that were made for it, the innermost first.
    folders: Vec<PathBuf>,
}

/// All that is remembered.
#[derive(Debug)]
pub(super) struct Receipts {
    /// None where there is no place for it.
    path: Option<PathBuf>,
    all: Vec<Receipt>,
}

/// A file as it was before.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Undone {
    /// None if there was no file.
    pub(super) text: Option<String>,
    /// Whether all that is remembered of it was taken back.
    pub(super) whole: bool,
    /// The folders that were made for it, the innermost first.
    pub(super) folders: Vec<PathBuf>,
}

impl Receipts {
    /// Reads what is remembered; nothing if that can't be read.
    pub(super) fn load(state: Option<&Path>) -> Self {
        let path = state.map(|state| state.join("todori/installed.json"));
        let small = |path: &PathBuf| path.metadata().is_ok_and(|found| found.len() < MAX_BYTES);
        let text = path.as_ref().filter(|path| small(path)).and_then(|path| {
            let text = std::fs::read_to_string(path).ok()?;
            serde_json::from_str::<Value>(&text).ok()
        });
        let list = text
            .as_ref()
            .and_then(|known| known.get("receipts")?.as_array());
        let all = list.into_iter().flatten().filter_map(read).collect();
        Self { path, all }
    }

    /// Remembers a step. `before` is none if the file was made.
    pub(super) fn add(
        &mut self,
        file: &Path,
        before: Option<&str>,
        after: &str,
        folders: Vec<PathBuf>,
    ) {
        let old = before.unwrap_or_default();
        let start = old
            .char_indices()
            .zip(after.chars())
            .find(|((_, a), b)| a != b)
            .map_or(old.len().min(after.len()), |((place, _), _)| place);
        let rest = |text: &'_ str| text.get(start..).unwrap_or_default().to_owned();
        let (old_rest, new_rest) = (rest(old), rest(after));
        let same: usize = old_rest
            .chars()
            .rev()
            .zip(new_rest.chars().rev())
            .take_while(|(a, b)| a == b)
            .map(|(c, _)| c.len_utf8())
            .sum();
        let was = old_rest.get(..old_rest.len() - same).unwrap_or_default();
        self.all.push(Receipt {
            file: file.to_owned(),
            after: whole_mark(after),
            at: start,
            was: was.to_owned(),
            length: new_rest.len() - same,
            made: before.is_none(),
            folders,
        });
    }

    /// Takes back the last steps of a file, as many as fit what is in it now.
    pub(super) fn undo(&self, file: &Path, text: &str) -> Option<Undone> {
        let mut undone = None;
        let mut text = text.to_owned();
        let mut folders = Vec::new();
        let mut left = self.all.iter().filter(|known| known.file == file).count();
        for receipt in self.all.iter().rev().filter(|known| known.file == file) {
            if receipt.after != whole_mark(&text) {
                break;
            }
            let before = text.get(..receipt.at)?;
            let after = text.get(receipt.at + receipt.length..)?;
            text = format!("{before}{}{after}", receipt.was);
            folders.extend(receipt.folders.clone());
            left -= 1;
            undone = Some(Undone {
                whole: left == 0,
                text: (!receipt.made).then(|| text.clone()),
                folders: folders.clone(),
            });
            if receipt.made {
                break;
            }
        }
        undone
    }

    /// Whether the file was made here.
    pub(super) fn made(&self, file: &Path) -> bool {
        self.all
            .iter()
            .any(|known| known.file == file && known.made)
    }

    pub(super) fn forget(&mut self, file: &Path) {
        self.all.retain(|known| known.file != file);
    }

    /// Keeps it for later. Where that can't be done, taking back is less exact, and nothing else.
    pub(super) fn save(&self) {
        let Some(path) = &self.path else {
            return;
        };
        let skip = self.all.len().saturating_sub(MAX_RECEIPTS);
        let list: Vec<Value> = self.all.iter().skip(skip).map(write).collect();
        if list.is_empty() {
            drop(std::fs::remove_file(path));
            return;
        }
        let Some(folder) = path.parent() else {
            return;
        };
        let made = std::fs::DirBuilder::new()
            .mode(0o700)
            .recursive(true)
            .create(folder);
        if made.is_ok() {
            let text = format!("{}\n", json!({"version": 1, "receipts": list}));
            drop(todori_store::replace_file(path, text.as_bytes(), 0o600));
        }
    }
}

fn whole_mark(text: &str) -> String {
    format!("{}-{}", text.len(), mark(text))
}

fn write(receipt: &Receipt) -> Value {
    let Receipt {
        file,
        after,
        at,
        was,
        length,
        made,
        folders,
    } = receipt;
    let folders: Vec<String> = folders
        .iter()
        .map(|folder| folder.to_string_lossy().into_owned())
        .collect();
    json!({
        "file": file.to_string_lossy(), "after": after, "at": at, "was": was, "length": length, "made": made,
        "folders": folders,
    })
}

fn read(value: &Value) -> Option<Receipt> {
    let number = |key: &str| usize::try_from(value.get(key)?.as_u64()?).ok();
    let text = |key: &str| value.get(key)?.as_str();
    let folders = value.get("folders").and_then(Value::as_array);
    let folders = folders.into_iter().flatten().filter_map(Value::as_str);
    Some(Receipt {
        file: PathBuf::from(text("file")?),
        after: text("after")?.to_owned(),
        at: number("at")?,
        was: text("was")?.to_owned(),
        length: number("length")?,
        made: value.get("made")?.as_bool()?,
        folders: folders.map(PathBuf::from).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_done_is_undone_to_the_last_byte(
            texts in prop::collection::vec("[a-cé日\n]{0,12}", 2..5),
            made in any::<bool>(),
        ) {
            let folder = tempfile::TempDir::new().unwrap();
            let file = Path::new("/some/file");
            let mut receipts = Receipts::load(Some(folder.path()));
            for (place, pair) in texts.windows(2).enumerate() {
                let before = (place > 0 || !made).then_some(pair[0].as_str());
                let before = before.map(|before| if place == 0 { before } else { pair[0].as_str() });
                receipts.add(file, before, &pair[1], vec![PathBuf::from("/some")]);
            }
            receipts.save();
            // As another run finds it.
            let receipts = Receipts::load(Some(folder.path()));
            let last = texts.last().unwrap();
            let undone = receipts.undo(file, last).unwrap();
            prop_assert_eq!(undone.text.as_ref(), (!made).then_some(&texts[0]));
            prop_assert_eq!(receipts.made(file), made);
            prop_assert_eq!(receipts.undo(file, &format!("{last}!")), None);
            prop_assert_eq!(receipts.undo(Path::new("/other"), last), None);
        }
    }
}
