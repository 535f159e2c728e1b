//! Keeps boards. [`open`] gives the store at an address, whatever kind it is: today a YAML file in a project's folder
//! that any number of processes share. Knows the domain and one format for each module; knows nothing of tools,
//! protocols or terminals.

mod address;
mod locator;
mod memory;
mod regular_file;
mod revisions;
pub mod task_json;
mod worker;
mod yaml;

pub use address::{AddressError, Host, KEPT_FOR, Lifetime, StoreAddress, open};
pub use locator::{LocateError, Origin, find_project};
pub use memory::MemoryStore;
pub use yaml::atomic_file::replace_file;
pub use yaml::value::{YamlError, YamlNode, YamlValue, read_yaml};
pub use yaml::{MergeError, MergedFile, Version, merge_files};
