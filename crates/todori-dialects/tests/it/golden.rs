//! What clients see of every dialect, kept in files that a person has read: definitions of tools, and how failures of the
//! store are worded. Set `TODORI_UPDATE_GOLDEN=1` to write the files anew, then read the difference.

use std::fmt::Write as _;

use todori_dialects::{ALL, Audience};
use todori_domain::{Position, StoreError};

use crate::kept;

/// Compares a page with the golden file of this name.
pub(crate) fn check(name: &str, now: &str) {
    let otherwise = format!("{name} differs from what is kept; now it is:\n{now}");
    kept::check(&format!("tests/golden/{name}"), now, &otherwise);
}

#[test]
fn the_definitions_of_all_tools() {
    for dialect in ALL {
        let mut page = String::new();
        for tool in dialect.tools {
            let input = serde_json::to_string_pretty(&(tool.input)().input_schema()).unwrap();
            let output = (tool.output)().schema();
            let (name, title, description) = (tool.name, tool.title, tool.description);
            let whose = match tool.audience {
                Audience::Everybody => "",
                Audience::Widget => ", for the widget only",
            };
            writeln!(
                page,
                "# {name} ({title})\n{description}\n{:?}{whose}\ninput {input}\noutput {output}\n",
                tool.effect
            )
            .unwrap();
        }
        check(&format!("{}.tools.txt", dialect.name), &page);
    }
}

#[test]
fn what_goes_wrong_with_stores() {
    let (what, reason) = (
        ".todori/tasks.yaml".to_owned(),
        "the disk is full".to_owned(),
    );
    let at = Position { line: 3, column: 5 };
    let errors = [
        StoreError::NoBoard {
            reason: "there is no folder /somewhere".to_owned(),
            advice: "some advice".to_owned(),
        },
        StoreError::Broken {
            what: what.clone(),
            at: Some(at),
            reason: "the key title stands here twice".to_owned(),
            advice: "some advice".to_owned(),
        },
        StoreError::Broken {
            what: what.clone(),
            at: None,
            reason: "a row is missing".to_owned(),
            advice: "some advice".to_owned(),
        },
        StoreError::Vanished {
            what,
            advice: "some advice".to_owned(),
        },
        StoreError::Busy { seconds: 10 },
        StoreError::Unreadable {
            reason: reason.clone(),
        },
        StoreError::NotApplied {
            reason: reason.clone(),
        },
        StoreError::OutcomeUnknown { reason },
        StoreError::Unreachable {
            reason: "no answer for 10 seconds".to_owned(),
        },
        StoreError::Denied {
            reason: "this token may only read".to_owned(),
        },
    ];
    for dialect in ALL {
        let mut page = String::new();
        for error in &errors {
            writeln!(page, "{}", dialect.store_fault(error).to_json()).unwrap();
        }
        check(&format!("{}.store-faults.txt", dialect.name), &page);
    }
}

#[test]
fn every_dialect_has_a_story() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    for dialect in ALL {
        let story = format!("{folder}/{}.story.txt", dialect.name);
        assert!(
            std::path::Path::new(&story).exists(),
            "{} has no story: tell one through `tell`",
            dialect.name
        );
    }
}
