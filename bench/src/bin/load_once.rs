//! Reads a board, or the same tasks as JSON, once, and says how many nanoseconds that took. A process of its own for
//! each time: in one that has read before, the memory that it got back decides more than the reader does.
//!
//! `load_once board FOLDER` or `load_once json FILE`; standard output gets the time and how many tasks were read.

#![expect(
    clippy::print_stdout,
    reason = "the time, for the program that started this one"
)]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use todori_domain::{BoardKey, Want};
use todori_store::{Host, Lifetime, Origin, StoreAddress};

type Loaded = Result<(Duration, usize), Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (took, count) = match arguments.as_slice() {
        [kind, path] if kind == "board" => load_board(Path::new(path))?,
        [kind, path] if kind == "json" => load_json(Path::new(path))?,
        _ => return Err("expected `board FOLDER` or `json FILE`".into()),
    };
    println!("{} {count}", took.as_nanos());
    Ok(())
}

fn load_board(root: &Path) -> Loaded {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let begun = Instant::now();
    let host = Host {
        session_lifetime: Lifetime::Process,
        runtime_folder: root.join("elsewhere"),
    };
    let address = StoreAddress::Folder(Origin::Given(root.to_owned()));
    let store = todori_store::open(&address, host);
    let read = runtime.block_on(store.read(&BoardKey::Project, Want::default()))?;
    Ok((begun.elapsed(), read.board.len()))
}

/// The file is read before the time begins: JSON is compared as text in memory, which is the least it can cost.
fn load_json(file: &Path) -> Loaded {
    let text = std::fs::read(file)?;
    let begun = Instant::now();
    let value: Value = serde_json::from_slice(&text)?;
    Ok((begun.elapsed(), value.as_array().map_or(0, Vec::len)))
}
