//! The same requests come to the same boards on all stores.

use std::sync::Arc;

use proptest::prelude::*;
use tempfile::TempDir;
use todori_domain::Store;
use todori_domain::testing::conformance::{read, write};
use todori_domain::testing::generate::commands;
use todori_domain::testing::moment;
use todori_store::MemoryStore;

use crate::opening::open;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn memory_and_yaml_agree(commands in commands(1..16)) {
        let project = TempDir::new().unwrap();
        let memory: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let yaml = open(&project);
        for (at, command) in (0..).zip(commands) {
            let expected = write(&memory, &moment(at), vec![command.clone()]);
            let got = write(&yaml, &moment(at), vec![command]);
            prop_assert_eq!(&got.verdict, &expected.verdict);
            prop_assert_eq!(&got.board, &expected.board);
        }
        let (expected, got) = (read(&memory), read(&yaml));
        prop_assert_eq!(&got.board, &expected.board);
        prop_assert_eq!(&got.history, &expected.history);
        let reopened = open(&project);
        prop_assert_eq!(&read(&reopened).board, &expected.board);
    }
}
