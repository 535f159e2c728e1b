//! Keeps boards: in memory, and in a YAML file that any number of processes share. Knows the domain and one format
//! for each module; knows nothing of tools, protocols or terminals.

mod locator;
mod memory;
mod session_boards;
mod yaml;

pub use locator::{LocateError, Origin, ProjectStore, find_project};
pub use memory::MemoryStore;
pub use session_boards::{KEPT_FOR, SessionBoards};
pub use yaml::atomic_file::replace_file;
pub use yaml::published::Lifetime;
pub use yaml::value::{YamlError, YamlNode, YamlValue, read_yaml};
pub use yaml::{Created, MergeError, MergedFile, Version, YamlStore, merge_files};
