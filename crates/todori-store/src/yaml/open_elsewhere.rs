//! Whether some process has a file open for writing: then what can be read of it may be half of what is meant.
//!
//! Linux tells it in `/proc`, of this user's processes (of all of them to root in the outermost container): where some
//! process can't be looked at, nobody knows. A read lease (`F_SETLEASE`) would ask the
//! same question in one call, but whoever opens the file while it is held sends a signal that ends this process.

use std::fs::Metadata;

/// What is known of others who write to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// Somebody has it open for writing.
    Open,
    /// Nobody has.
    NotSeen,
    /// This system does not tell, or not of everybody.
    Unknown,
}

/// Looks for a process that has this file open for writing. Takes some milliseconds: not for every read.
#[cfg(target_os = "linux")]
pub(crate) fn find_writer(file: (u64, u64)) -> Writer {
    use std::os::unix::fs::MetadataExt as _;
    let is_this = |found: &Metadata| (found.dev(), found.ino()) == file;
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Writer::Unknown;
    };
    let is_number = |name: &std::ffi::OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let processes = processes.filter_map(Result::ok);
    let mut is_hidden = false;
    for process in processes.filter(|entry| is_number(&entry.file_name())) {
        let process = process.path();
        let open = match std::fs::read_dir(process.join("fd")) {
            Ok(open) => open,
            Err(error) => {
                // What belongs to others can't be seen; what has ended meanwhile writes nothing.
                is_hidden |= error.kind() == std::io::ErrorKind::PermissionDenied;
                continue;
            }
        };
        for open in open.filter_map(Result::ok) {
            if !open.path().metadata().is_ok_and(|found| is_this(&found)) {
                continue;
            }
            let about = process.join("fdinfo").join(open.file_name());
            let about = std::fs::read_to_string(about).unwrap_or_default();
            if is_for_writing(&about) {
                return Writer::Open;
            }
        }
    }
    if is_hidden {
        Writer::Unknown
    } else {
        Writer::NotSeen
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn find_writer(_file: (u64, u64)) -> Writer {
    Writer::Unknown
}

/// Whether a description in `/proc/<pid>/fdinfo` is of a file that was opened for writing.
#[cfg(target_os = "linux")]
fn is_for_writing(about: &str) -> bool {
    const ACCESS: u32 = 0o3;
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & ACCESS != 0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{File, OpenOptions};

    use super::super::file_key::FileKey;
    use super::*;

    #[test]
    fn only_who_may_write_is_a_writer() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("file");
        let writer = File::create(&path).unwrap();
        let file = FileKey::of(&writer.metadata().unwrap()).identity();
        assert_eq!(find_writer(file), Writer::Open);
        drop(writer);
        let reader = File::open(&path).unwrap();
        assert_ne!(find_writer(file), Writer::Open);
        let both = OpenOptions::new().read(true).write(true).open(&path);
        assert_eq!(find_writer(file), Writer::Open);
        drop((reader, both));
        // It is found by what it is, not by its name.
        let appending = OpenOptions::new().append(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(find_writer(file), Writer::Open);
        drop(appending);
    }
}
