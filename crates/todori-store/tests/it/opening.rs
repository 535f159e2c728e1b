//! Opens stores as the program does: by their address.

use std::path::Path;
use std::sync::Arc;

use todori_domain::Store;
use todori_store::{Host, Lifetime, Origin, StoreAddress};

/// The store of a project, as a process of its own would open it.
pub(crate) fn open(project: impl AsRef<Path>) -> Arc<dyn Store> {
    let folder = project.as_ref();
    let origin = Origin::Given(folder.to_owned());
    open_at(origin, Lifetime::Process, &folder.join("elsewhere"))
}

/// The store of whatever project is found; lists of sessions that have none go elsewhere.
pub(crate) fn open_at(origin: Origin, lifetime: Lifetime, elsewhere: &Path) -> Arc<dyn Store> {
    let host = Host {
        session_lifetime: lifetime,
        runtime_folder: elsewhere.to_owned(),
    };
    todori_store::open(&StoreAddress::Folder(origin), host)
}
