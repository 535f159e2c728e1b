//! Replaces a file in one step, so that no reader ever sees half of it and a crash leaves the old or the new one.
//! The only place that renames files.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, IoSlice, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::failure::{is_ambiguous, is_unsupported};
use super::lock::is_at;
use super::ownership;
use crate::regular_file;
pub(crate) use crate::regular_file::NO_FOLLOW;

/// The most that is read of a file.
pub(crate) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Opens a regular file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    regular_file::open(path, MAX_BYTES)
}

/// Reads all of an open file.
pub(crate) fn read(file: &File) -> io::Result<Vec<u8>> {
    regular_file::read(file, MAX_BYTES)
}

/// Whether an open file holds exactly these bytes. Reads it piece by piece, which stays in the processor's cache.
pub(crate) fn holds(mut file: &File, expected: &[u8]) -> io::Result<bool> {
    if file.metadata()?.len() != expected.len() as u64 {
        return Ok(false);
    }
    let mut piece = vec![0; 128 * 1024];
    let mut rest = expected;
    loop {
        let count = file.read(&mut piece)?;
        let (Some(read), Some(same)) = (piece.get(..count), rest.get(..count)) else {
            return Ok(false);
        };
        if read != same {
            return Ok(false);
        }
        if count == 0 {
            return Ok(rest.is_empty());
        }
        rest = rest.get(count..).unwrap_or_default();
    }
}

/// A temporary file that is ready to take the place of the real one. Dropped before that, it is removed: whatever goes
/// wrong in between leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Prepared {
    file: File,
    path: PathBuf,
    in_place: bool,
    forced: Forced,
}

/// Whether the disk has confirmed that it holds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forced {
    Confirmed,
    /// This file system confirms nothing.
    NotSupported,
}

/// Why the temporary file did not take the place of the real one.
#[derive(Debug)]
pub(crate) enum NotReplaced {
    /// Somebody took the temporary file away. Nothing was changed.
    TakenAway,
    /// Nothing was changed, and nothing will be.
    Io(io::Error),
    /// The file system does not tell whether it did what it was asked.
    Unknown(io::Error),
}

impl Prepared {
    /// What the file looks like, if it can be told.
    pub(crate) fn metadata(&self) -> Option<Metadata> {
        self.file.metadata().ok()
    }

    pub(crate) fn forced(&self) -> Forced {
        self.forced
    }

    /// Puts the temporary file in the place of the real one. Says what that looks like now, if it can be told.
    ///
    /// What the system answers is not always what has happened: a network drive that repeats a request finds that the
    /// first one has moved the file already, and says that there is none. So an error is believed only after a look.
    pub(crate) fn replace(mut self, real: &Path) -> Result<Option<Metadata>, NotReplaced> {
        if let Err(error) = replace(&self.path, real)
            && !is_at(&self.file, real)
        {
            // Once the temporary file is gone, a request that is still on its way can't be carried out any more.
            match std::fs::remove_file(&self.path) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {
                    if !is_at(&self.file, real) {
                        return Err(NotReplaced::TakenAway);
                    }
                }
                Err(_) if is_ambiguous(&error) => return Err(NotReplaced::Unknown(error)),
                Ok(()) | Err(_) => return Err(NotReplaced::Io(error)),
            }
        }
        // Where somebody had taken the lock away, another writer's temporary file may have had our name by then.
        if !is_at(&self.file, real) {
            return Err(NotReplaced::TakenAway);
        }
        self.in_place = true;
        Ok(self.metadata())
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if !self.in_place {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Writes the temporary file and forces it to the disk.
pub(crate) fn prepare(path: &Path, pieces: &[&[u8]], mode: u32) -> io::Result<Prepared> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(NO_FOLLOW);
    let file = ownership::create_with(&mut options, path, mode)?;
    let mut prepared = Prepared {
        file,
        path: path.to_owned(),
        in_place: false,
        forced: Forced::Confirmed,
    };
    write_all(&mut prepared.file, pieces)?;
    prepared.forced = forced(prepared.file.sync_data())?;
    Ok(prepared)
}

/// What forcing something to the disk came to: an error only if the disk may have failed.
fn forced(answer: io::Result<()>) -> io::Result<Forced> {
    match answer {
        Ok(()) => Ok(Forced::Confirmed),
        Err(error) if is_unsupported(&error) => Ok(Forced::NotSupported),
        Err(error) => Err(error),
    }
}

fn write_all(file: &mut File, pieces: &[&[u8]]) -> io::Result<()> {
    let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
    let mut rest = slices.as_mut_slice();
    while !rest.is_empty() {
        match file.write_vectored(rest) {
            Ok(0) if rest.iter().all(|slice| slice.is_empty()) => return Ok(()),
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut rest, count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Replaces a file that need not survive a power cut: readers see the old or the new one, never half.
pub(crate) fn replace_lightly(path: &Path, temporary: &Path, text: &str) -> io::Result<()> {
    match std::fs::remove_file(temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let replaced = create_if_missing(temporary, text).and_then(|()| replace(temporary, path));
    replaced.inspect_err(|_| drop(std::fs::remove_file(temporary)))
}

/// Puts the temporary file in the place of the real one.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the module that replaces files"
)]
pub(crate) fn replace(temporary: &Path, real: &Path) -> io::Result<()> {
    std::fs::rename(temporary, real)
}

/// Replaces a file of somebody else's, whole and in one step, and gives it this mode. What was there stays if anything
/// goes wrong.
pub fn replace_file(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let temporary = format!(".{}.todori-{}", name.to_string_lossy(), std::process::id());
    let replaced = prepare(&folder.join(temporary), &[bytes], mode)?.replace(path);
    replaced.map_err(|error| match error {
        NotReplaced::TakenAway => io::ErrorKind::NotFound.into(),
        NotReplaced::Io(error) | NotReplaced::Unknown(error) => error,
    })?;
    sync_folder(folder).map(|_| ())
}

/// Forces the names in a folder to the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<Forced> {
    forced(File::open(path)?.sync_all())
}

/// Writes a small file that need not survive a power cut, if it is not there yet.
fn create_if_missing(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(NO_FOLLOW);
    match ownership::create_new(&mut options, path) {
        Ok(mut file) => file.write_all(text.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_take_its_place_leaves_nothing_behind() {
        let folder = tempfile::TempDir::new().unwrap();
        let (temporary, real) = (folder.path().join("temporary"), folder.path().join("real"));
        drop(prepare(&temporary, &[b"text"], 0o600).unwrap());
        assert!(!temporary.exists());
        // A folder that is not empty can't be replaced.
        std::fs::create_dir_all(real.join("full")).unwrap();
        let prepared = prepare(&temporary, &[b"text"], 0o600).unwrap();
        assert!(prepared.replace(&real).is_err());
        assert!(!temporary.exists());
        assert!(replace_lightly(&real, &temporary, "text").is_err());
        assert!(!temporary.exists());
        std::fs::remove_dir_all(&real).unwrap();
        let prepared = prepare(&temporary, &[b"te", b"xt"], 0o640).unwrap();
        assert_eq!(prepared.replace(&real).unwrap().unwrap().len(), 4);
        assert_eq!(std::fs::read(&real).unwrap(), b"text");
        assert!(!temporary.exists());
    }
}
