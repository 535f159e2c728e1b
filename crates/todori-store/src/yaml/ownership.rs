//! Whose new files are, and who else may use them. What root makes belongs to whoever has the folder, or `sudo todori`
//! would lock them out of their own board. In a folder that a group shares (setgid, and writable by the group) files and
//! folders are for that group, too; anywhere else for their owner alone, whatever the umask says.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown,
};
use std::path::Path;

use rustix::fs::OFlags;

use super::atomic_file::NO_FOLLOW;

const SETGID: u32 = 0o2000;
const GROUP_WRITES: u32 = 0o020;
/// For the owner alone.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;
/// For the owner and the group of a shared folder.
const SHARED_FILE: u32 = 0o660;
const SHARED_FOLDER: u32 = 0o2770;

/// Whether a folder is meant to be shared by a group.
pub(crate) fn is_shared(folder: &Metadata) -> bool {
    folder.mode() & SETGID != 0 && folder.mode() & GROUP_WRITES != 0
}

/// Who may read and write the file at this path: as it is, or as the folder has it for new ones.
pub(crate) fn mode_of(path: &Path) -> u32 {
    let own = path.metadata().map(|found| found.mode() & 0o777);
    own.unwrap_or_else(|_| new_mode(path))
}

fn new_mode(path: &Path) -> u32 {
    let folder = path.parent().and_then(|folder| folder.metadata().ok());
    match folder {
        Some(folder) if is_shared(&folder) => SHARED_FILE,
        Some(_) | None => PRIVATE_FILE,
    }
}

/// Opens a file; makes it if it is not there.
pub(crate) fn open_or_create(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    loop {
        match options.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        match create_new(&mut options.clone(), path) {
            // Somebody else was first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created,
        }
    }
}

/// Makes a file that must not be there yet.
pub(crate) fn create_new(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    create_with(options, path, new_mode(path))
}

/// The same with a mode of its own.
pub(crate) fn create_with(options: &mut OpenOptions, path: &Path, mode: u32) -> io::Result<File> {
    let options = options.create_new(true).mode(PRIVATE_FILE);
    let file = options.open(path)?;
    hand_over(&file, path, mode);
    Ok(file)
}

/// Gives a file that was just made this mode, and as root the owner of its folder. Where the system does not allow it
/// (some network drives know neither), the file stays as it was made: for this user alone.
fn hand_over(file: &File, path: &Path, mode: u32) {
    if rustix::process::geteuid().is_root()
        && let Some(Ok(folder)) = path.parent().map(Path::metadata)
    {
        drop(fchown(file, Some(folder.uid()), Some(folder.gid())));
    }
    if mode != PRIVATE_FILE {
        drop(file.set_permissions(Permissions::from_mode(mode)));
    }
}

/// Makes a folder that must not be there yet.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(PRIVATE_FOLDER).create(path)?;
    let above = path.parent().and_then(|above| above.metadata().ok());
    let is_shared = above.is_some_and(|above| is_shared(&above));
    let is_root = rustix::process::geteuid().is_root();
    if (is_shared || is_root)
        // No link that somebody put in its place: root would give away what that leads to.
        && let Ok(folder) = open_folder(path)
    {
        let mode = if is_shared {
            SHARED_FOLDER
        } else {
            PRIVATE_FOLDER
        };
        hand_over(&folder, path, mode);
    }
    Ok(())
}

/// Opens a folder that is really there, not through a link.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::DIRECTORY.bits().cast_signed() | NO_FOLLOW;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags).open(path)
}
