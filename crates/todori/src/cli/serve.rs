//! `todori serve`: serves agents.

use std::io;
use std::sync::Arc;

use clap::Args;
use todori_domain::Tracker;
use todori_store::ProjectStore;
use tracing_subscriber::EnvFilter;

use super::Ended;
use super::output::Output;
use crate::config::Settings;
use crate::desk::Desk;
use crate::serve::stdio;

#[derive(Args)]
pub(super) struct Arguments {}

pub(super) fn run(arguments: &Arguments, settings: &Settings, output: &mut Output) -> Ended {
    let Arguments {} = arguments;
    // Standard output belongs to the protocol.
    let filter =
        EnvFilter::try_new(&settings.log).unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    let subscriber = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(false);
    subscriber.with_env_filter(filter).init();
    let tracker = Tracker::new(Arc::new(ProjectStore::new(settings.origin.clone())));
    let desk = Desk::new(tracker, todori_dialects::ALL.to_vec());
    match stdio::run(desk, settings) {
        Ok(()) => Ended::Done,
        Err(error) => {
            output.error("the server ended", Some(&error.to_string()));
            Ended::StoreFailed
        }
    }
}
