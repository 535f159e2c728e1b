//! Keeps boards: in memory, and in a YAML file that any number of processes share. Knows the domain and one format
//! for each module; knows nothing of tools, protocols or terminals.

mod memory;
mod yaml;

