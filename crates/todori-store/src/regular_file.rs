//! The one way to open a file that somebody else may have put there: whoever made the repository, for one. No links, so
//! that it shows nothing from elsewhere; regular files only, because a pipe never ends and a device may not either; and no
//! more than a limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Flags for opening without following a link in the last component, and without waiting for the other end of a pipe.
pub(crate) const NO_FOLLOW: i32 = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .bits()
    .cast_signed();

/// Opens a file for reading that is no larger than this.
pub(crate) fn open(path: &Path, most: u64) -> io::Result<File> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(NO_FOLLOW)
        .open(path);
    let file = opened.map_err(|error| {
        if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
            return io::Error::other("it is a link");
        }
        error
    })?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > most {
        let most = most / 1024 / 1024;
        return Err(io::Error::other(format!("it is larger than {most} MB")));
    }
    Ok(file)
}

/// Reads an open file, and no more of it than this: one that grows meanwhile is not read for ever.
pub(crate) fn read(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let size = usize::try_from(file.metadata()?.len().min(most)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(size + 1);
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a small text: the first line is what counts in it.
pub(crate) fn read_line(path: &Path) -> io::Result<String> {
    /// No path is longer.
    const MOST: u64 = 16 * 1024;
    let bytes = read(&open(path, MOST)?, MOST)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any file will do")]
    fn what_is_no_regular_file_of_its_own_is_refused_at_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "a\nb\n").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("endless")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        for name in ["link", "endless", "folder", "pipe", "missing"] {
            assert!(open(&at(name), 100).is_err(), "{name}");
        }
        assert_eq!(
            open(&at("link"), 1).unwrap_err().to_string(),
            "it is a link"
        );
        assert!(open(&at("file"), 3).is_err(), "larger than the limit");
        assert_eq!(read(&open(&at("file"), 4).unwrap(), 4).unwrap(), b"a\nb\n");
        assert_eq!(read_line(&at("file")).unwrap(), "a");
    }
}
