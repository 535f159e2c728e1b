//! Finds and reads a client's settings file: behind links, whole, and only if it is safe to replace.

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::error::InstallError;

/// No settings file is larger.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A settings file as it is now.
#[derive(Debug, Clone)]
pub(super) struct SettingsFile {
    /// Where it really is, behind links.
    pub(super) real: PathBuf,
    /// What is in it; none if there is no such file.
    pub(super) text: Option<String>,
    pub(super) mode: u32,
}

/// Reads a file that is to be changed, which must be the user's own.
pub(super) fn read_own(path: &Path, within: Option<&Path>) -> Result<SettingsFile, InstallError> {
    let found = read(path, within)?;
    let owner = found.real.metadata().map(|found| found.uid());
    if found.text.is_some() && owner.ok() != Some(rustix::process::geteuid().as_raw()) {
        return Err(InstallError::refused(
            format!("{} belongs to somebody else", path.display()),
            "nothing was changed; do this as its owner",
        ));
    }
    Ok(found)
}

/// Reads a file. In a project, no link may lead out of it: whoever made the repository could have put it there.
pub(super) fn read(path: &Path, within: Option<&Path>) -> Result<SettingsFile, InstallError> {
    let real = resolve(path)?;
    if let Some(root) = within {
        let root = root
            .canonicalize()
            .map_err(|error| InstallError::io("read", root, &error))?;
        if !real.starts_with(&root) {
            return Err(InstallError::refused(
                format!(
                    "{} is a link that leads out of the project, to {}",
                    path.display(),
                    real.display()
                ),
                "nothing was changed; remove the link, or use --scope user",
            ));
        }
    }
    let usual = if within.is_some() { 0o644 } else { 0o600 };
    let metadata = match real.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(SettingsFile {
                real,
                text: None,
                mode: usual,
            });
        }
        Err(error) => return Err(InstallError::io("read", path, &error)),
    };
    let refused = |why: &str, hint: &str| {
        Err(InstallError::refused(
            format!("{} {why}", path.display()),
            format!("nothing was changed; {hint}"),
        ))
    };
    if metadata.is_dir() {
        return refused("is a folder", "move it out of the way first");
    }
    if !metadata.is_file() {
        return refused("is no regular file", "move it out of the way first");
    }
    if metadata.len() > MAX_BYTES {
        return refused("is larger than 64 MB", "is it really a settings file?");
    }
    let bytes = std::fs::read(&real).map_err(|error| InstallError::io("read", path, &error))?;
    let Ok(text) = String::from_utf8(bytes) else {
        return refused("is not UTF-8 text", "mend it by hand");
    };
    Ok(SettingsFile {
        real,
        text: Some(text),
        mode: metadata.permissions().mode() & 0o7777,
    })
}

/// Follows links, as far as there is something.
fn resolve(path: &Path) -> Result<PathBuf, InstallError> {
    match path.canonicalize() {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(InstallError::io("read", path, &error));
        }
        Err(_) => {}
    }
    if path.symlink_metadata().is_ok() {
        return Err(InstallError::refused(
            format!("{} is a link that leads nowhere", path.display()),
            "nothing was changed; mend or remove the link",
        ));
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(resolve(parent)?.join(name)),
        _ => Ok(path.to_owned()),
    }
}

/// Makes the folders above a file; gives those that were made, the innermost first.
pub(super) fn make_folders(file: &Path) -> Result<Vec<PathBuf>, InstallError> {
    let missing: Vec<PathBuf> = file
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.exists())
        .map(Path::to_owned)
        .collect();
    if let Some(folder) = missing.first() {
        std::fs::create_dir_all(folder)
            .map_err(|error| InstallError::io("make", folder, &error))?;
    }
    Ok(missing)
}
