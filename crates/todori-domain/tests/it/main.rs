//! All integration tests of the domain, in one binary.

mod properties;
mod rules;
