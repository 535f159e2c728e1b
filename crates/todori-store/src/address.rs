//! Where a store is, and the one place that opens it. A new kind of store is a module and an arm here.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use todori_domain::Store;

use crate::locator::Origin;
use crate::yaml::YamlStore;

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// In the folder of a project.
    Folder(Origin),
}

/// Why a text is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is the URL of a kind of store that there is none of.
    #[error("there is no store for {scheme}:// addresses")]
    UnknownScheme {
        /// What stands before the colon.
        scheme: String,
    },
    /// There is nothing in it.
    #[error("the address is empty")]
    Empty,
    /// The folder's path can't be made absolute.
    #[error("{folder} is no folder that can be used")]
    NoFolder {
        /// The folder.
        folder: String,
    },
}

impl StoreAddress {
    /// Reads an address as people write it: the path of a folder.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.trim().is_empty() {
            return Err(AddressError::Empty);
        }
        if let Some((scheme, _)) = text.split_once("://") {
            let scheme = scheme.to_owned();
            return Err(AddressError::UnknownScheme { scheme });
        }
        let folder = std::path::absolute(text).map_err(|_| AddressError::NoFolder {
            folder: text.to_owned(),
        })?;
        Ok(Self::Folder(Origin::Given(folder)))
    }
}

impl fmt::Display for StoreAddress {
    /// Writes what `parse` reads.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(Origin::Given(folder) | Origin::From(folder)) => {
                write!(formatter, "{}", folder.display())
            }
        }
    }
}

/// How long the list of a session is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as the process lives that opened the store.
    Process,
    /// Until nobody has changed it for so long, whatever becomes of the process.
    Idle(Duration),
}

/// How long a list that outlives its process is usually kept without a change.
pub const KEPT_FOR: Duration = Duration::from_hours(7 * 24);

/// What a store needs to know of the process that opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// How long the lists of its sessions are kept.
    pub session_lifetime: Lifetime,
    /// A folder of this user's own, for what has no better place.
    pub runtime_folder: PathBuf,
}

/// Opens a store. Touches nothing and waits for nothing: what is wrong is told by the first request.
pub fn open(address: &StoreAddress, host: Host) -> Arc<dyn Store> {
    match address {
        StoreAddress::Folder(origin) => Arc::new(YamlStore::new(origin.clone(), host)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_folder_and_a_url_is_refused_by_its_scheme() {
        let folder = StoreAddress::parse("/tmp/x").unwrap();
        let given = Origin::Given(PathBuf::from("/tmp/x"));
        assert_eq!(folder, StoreAddress::Folder(given));
        assert_eq!(StoreAddress::parse(&folder.to_string()), Ok(folder));
        assert_eq!(StoreAddress::parse(" "), Err(AddressError::Empty));
        let refused = StoreAddress::parse("postgres://db/todori").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "there is no store for postgres:// addresses"
        );
    }
}
