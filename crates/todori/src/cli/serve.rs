//! `todori serve`: serves agents, over standard input and output or over HTTP.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use todori_domain::Tracker;
use todori_store::{KEPT_FOR, Lifetime};
use tracing_subscriber::EnvFilter;

use super::Ended;
use super::output::Output;
use super::project::Project;
use crate::config::Settings;
use crate::dispatch::Dispatcher;
use crate::serve;

/// The port that is used if nobody says otherwise.
const USUAL_PORT: u16 = 8636;

const EXAMPLES: &str = "\
Examples:
  todori serve                              what agents start; `todori install` tells them
  todori serve --toolsets tasks,todo
  todori serve --http                       at http://127.0.0.1:8636/mcp, with a dashboard at http://127.0.0.1:8636/
  todori serve --http 0.0.0.0:8636 --token-file token --allowed-host board.example";

#[derive(Args)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    /// Serve over HTTP at this address instead, at /mcp
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:8636", value_parser = parse_address)]
    http: Option<SocketAddr>,
    #[arg(long, value_name = "NAMES", help = toolsets_help())]
    toolsets: Option<String>,
    /// A file with the token that clients must present over HTTP
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Another name that this server may be called by; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allowed_host: Vec<String>,
    /// Another origin whose pages may call this server; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allowed_origin: Vec<String>,
}

/// The help of `--toolsets`.
pub(super) fn toolsets_help() -> String {
    format!(
        "The toolsets to serve: {}, or all",
        todori_dialects::names()
    )
}

/// Examples, and a line for each toolset.
fn after_help() -> String {
    let lines = todori_dialects::ALL.iter().map(|dialect| {
        let default = if dialect.is_default() {
            " (default)"
        } else {
            ""
        };
        format!("  {:<11}{}{default}", dialect.name, dialect.help)
    });
    let lines: Vec<String> = lines.collect();
    format!("{EXAMPLES}\n\nToolsets:\n{}", lines.join("\n"))
}

/// Reads an address as people write it: `127.0.0.1:8636`, `localhost:8636`, `127.0.0.1`, `:8636` or `8636`.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let local = |host: &str| {
        if matches!(host, "" | "localhost") {
            "127.0.0.1"
        } else {
            host
        }
        .to_owned()
    };
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !text.ends_with(']') => (local(host), port.to_owned()),
        _ if text.parse::<u16>().is_ok() => (local(""), text.to_owned()),
        _ => (local(text), USUAL_PORT.to_string()),
    };
    format!("{host}:{port}")
        .parse()
        .map_err(|_| "expected an address such as 127.0.0.1:8636, or a port".to_owned())
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let settings = &project.settings;
    let names = arguments
        .toolsets
        .as_deref()
        .or(settings.toolsets.as_deref());
    let toolsets = match todori_dialects::select(names.unwrap_or(todori_dialects::DEFAULT.name)) {
        Ok(toolsets) => toolsets,
        Err(unknown) => {
            let hint = format!("known: {}, all", todori_dialects::names());
            output.error(&format!("there is no toolset {unknown:?}"), Some(&hint));
            return Ended::Usage;
        }
    };
    // Standard output belongs to the protocol.
    let filter =
        EnvFilter::try_new(&settings.log).unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    let subscriber = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(false);
    subscriber.with_env_filter(filter).init();
    let served = match arguments.http {
        None => {
            let tracker = project.tracker_for(Lifetime::Process).clone();
            project.wait(async {
                warn_of(&tracker);
                serve::stdio::run(Dispatcher::new(tracker, toolsets), settings).await
            })
        }
        Some(address) => match http(arguments, address, settings, output) {
            Err(ended) => return ended,
            Ok(options) => {
                let tracker = project.tracker_for(Lifetime::Idle(KEPT_FOR)).clone();
                project.wait(async {
                    warn_of(&tracker);
                    serve::over_http::run(Dispatcher::new(tracker, toolsets), options).await
                })
            }
        },
    };
    match served {
        Ok(()) => Ended::Done,
        Err(error) => {
            output.error("the server ended", Some(&format!("{error:#}")));
            Ended::StoreFailed
        }
    }
}

/// Logs what is worth knowing about the store, while the server starts: nobody waits for it.
fn warn_of(tracker: &Tracker) {
    let store = Arc::clone(tracker.store());
    tokio::spawn(async move {
        let described = store.describe().await;
        let warnings = described.map(|described| described.warnings);
        for warning in warnings.unwrap_or_default() {
            tracing::warn!("{warning}");
        }
    });
}

/// What serving over HTTP needs; refused where it would let anybody in.
fn http(
    arguments: &Arguments,
    address: SocketAddr,
    settings: &Settings,
    output: &Output,
) -> Result<serve::over_http::Options, Ended> {
    let token = match &arguments.token_file {
        None => settings.token.clone(),
        Some(file) => match std::fs::read_to_string(file) {
            Ok(token) => Some(token.trim().to_owned()),
            Err(error) => {
                output.error(
                    &format!("cannot read {}", file.display()),
                    Some(&error.to_string()),
                );
                return Err(Ended::Usage);
            }
        },
    };
    if token.as_deref().is_some_and(|token| token.len() < 16) {
        output.error(
            "the token is too short",
            Some("use at least 16 characters, such as `openssl rand -hex 32` gives"),
        );
        return Err(Ended::Usage);
    }
    if !address.ip().is_loopback() && token.is_none() {
        let hint = "anybody who can reach it could read and change your tasks; set TODORI_TOKEN or use --token-file \
            FILE, or serve on 127.0.0.1";
        output.error(
            &format!("{address} is not only this machine's, and there is no token"),
            Some(hint),
        );
        return Err(Ended::Usage);
    }
    Ok(serve::over_http::Options {
        address,
        hosts: arguments.allowed_host.clone(),
        origins: arguments.allowed_origin.clone(),
        token,
        sessions: settings.runtime_folder.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        let check = |text: &str, expected: &str| {
            let read =
                parse_address(text).map_or_else(|error| error, |address| address.to_string());
            assert_eq!(read, expected, "{text}");
        };
        check("8636", "127.0.0.1:8636");
        check(":8636", "127.0.0.1:8636");
        check("localhost:80", "127.0.0.1:80");
        check("[::1]:80", "[::1]:80");
        check("[::1]", "[::1]:8636");
        check("127.0.0.1", "127.0.0.1:8636");
        check("localhost", "127.0.0.1:8636");
        check("0.0.0.0:80", "0.0.0.0:80");
        check(
            "example.org:80",
            "expected an address such as 127.0.0.1:8636, or a port",
        );
        check(
            "99999",
            "expected an address such as 127.0.0.1:8636, or a port",
        );
    }
}
