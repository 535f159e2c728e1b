//! Files that keep what a person has read. `TODORI_UPDATE_GOLDEN=1` writes them anew.

use std::path::PathBuf;

/// Compares a file, named from this crate's folder, with what it should be now; says `otherwise` where it differs.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests' own switch, and the files that they keep"
)]
pub(crate) fn check(path: &str, now: &str, otherwise: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("TODORI_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, now).unwrap();
    }
    let then = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(then == now, "{otherwise}");
}
