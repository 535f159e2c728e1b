//! Every store keeps the same contract.

use std::cell::RefCell;
use std::sync::Arc;

use tempfile::TempDir;
use todori_domain::Store;
use todori_domain::testing::conformance::check_store;
use todori_store::{Lifetime, MemoryStore, Origin, ProjectStore, SessionBoards, YamlStore};

#[test]
fn memory_keeps_the_contract() {
    check_store(|| Arc::new(MemoryStore::default()), |_| None);
}

#[test]
fn yaml_keeps_the_contract() {
    let projects: RefCell<Vec<TempDir>> = RefCell::default();
    let fresh = || {
        let project = TempDir::new().unwrap();
        let store: Arc<dyn Store> = Arc::new(YamlStore::open(project.path()).unwrap());
        projects.borrow_mut().push(project);
        store
    };
    let again = |_: &Arc<dyn Store>| {
        let projects = projects.borrow();
        let store: Arc<dyn Store> = Arc::new(YamlStore::open(projects.last()?.path()).unwrap());
        Some(store)
    };
    check_store(fresh, again);
}

#[test]
fn a_found_project_keeps_the_contract() {
    let projects: RefCell<Vec<TempDir>> = RefCell::default();
    let fresh = || {
        let project = TempDir::new().unwrap();
        let origin = Origin::Given(project.path().to_owned());
        let sessions = SessionBoards::new(Lifetime::Process, project.path().join("elsewhere"));
        projects.borrow_mut().push(project);
        Arc::new(ProjectStore::new(origin, sessions)) as Arc<dyn Store>
    };
    check_store(fresh, |_| None);
}
