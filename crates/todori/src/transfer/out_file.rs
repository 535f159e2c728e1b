//! Writes a file for people: never over another one unless asked to, and then in one step.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// What may become of a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutFile {
    /// It stays.
    New,
    /// It goes.
    Replace,
}

/// Writes a file; an error leaves whatever was there.
pub(crate) fn write_file(path: &Path, text: &str, out: OutFile) -> io::Result<()> {
    let there = path.metadata().ok();
    match (out, there) {
        // A pipe or a terminal can't be replaced, only written to.
        (OutFile::Replace, Some(found)) if !found.is_file() => {
            fill(OpenOptions::new().write(true).open(path)?, text)
        }
        (OutFile::Replace, Some(_)) => {
            let path = path.canonicalize()?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
            create(&temporary, text)?;
            replace(&temporary, &path).inspect_err(|_| drop(std::fs::remove_file(&temporary)))
        }
        (OutFile::New | OutFile::Replace, _) => create(path, text),
    }
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    fill(file, text).inspect_err(|_| drop(std::fs::remove_file(path)))
}

fn fill(mut file: File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    match file.sync_data() {
        // What is no file on a disk need not be made durable.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "an export takes the place of the last one in one step, as boards do; the store's own way is for its own files"
)]
fn replace(temporary: &Path, path: &Path) -> io::Result<()> {
    std::fs::rename(temporary, path)
}
