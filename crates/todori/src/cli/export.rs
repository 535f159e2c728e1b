//! `todori export`: writes tasks down for other programs, and for people who have none.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;
use todori_domain::{Filter, Priority, Status, Task, Want, query};

use super::output::{Output, is_unsafe, safe_json};
use super::project::Project;
use super::{Ended, add, list};
use crate::transfer::{self, OutFile};

#[derive(Args)]
#[command(
    after_help = "JSON can be imported again without a loss (docs/reference/json.md), Markdown with the words, the states \
    and what waits for what; CSV is for spreadsheets.\n\n\
    Examples:\n  todori export --all -o backup.json\n  todori export --to markdown > TASKS.md\n  todori export --all \
    --status done -o done.csv"
)]
pub(super) struct Arguments {
    /// The format (default: by the ending of the file, or json)
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: Option<To>,
    /// The file to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    force: bool,
    /// Only tasks with this status; may be repeated
    #[arg(short, long, value_parser = list::parse_status)]
    status: Vec<Status>,
    /// Only tasks with this priority; may be repeated
    #[arg(short, long, value_parser = add::parse_priority)]
    priority: Vec<Priority>,
    /// Also what is done or cancelled
    #[arg(short, long)]
    all: bool,
}

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    Json,
    Csv,
    Markdown,
}

impl To {
    fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
        }
    }

    /// By the ending of a file's name.
    fn by_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "md" | "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let by_ending = arguments.output.as_deref().map(To::by_ending);
    let to = match (arguments.to, by_ending) {
        (Some(to), _) | (None, Some(Some(to))) => to,
        (None, None) => To::Json,
        (None, Some(None)) => {
            output.error(
                "the ending of the file does not say the format",
                Some("end it in .json, .csv or .md, or use --to"),
            );
            return Ended::Usage;
        }
    };
    if output.json && to != To::Json && arguments.output.is_none() {
        let hint = "leave --json out, or write to a file with --output";
        output.error(
            &format!("--json and --to {} do not go together", to.name()),
            Some(hint),
        );
        return Ended::Usage;
    }
    let answer = match project.read(Want::default(), output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let open_only = arguments.status.is_empty() && !arguments.all;
    let open = Status::ALL.into_iter().filter(|status| status.is_open());
    let filter = Filter {
        statuses: if open_only {
            open.collect()
        } else {
            arguments.status.clone()
        },
        priorities: arguments.priority.clone(),
        ..Filter::default()
    };
    let page = query(&answer.board, &filter, None, 0, usize::MAX);
    let tasks: Vec<&Task> = page.tasks.iter().map(AsRef::as_ref).collect();
    let text = match to {
        To::Json => {
            let value = transfer::json_file(&tasks);
            if arguments.output.is_none() {
                output.value(&value);
                note_left_out(open_only, answer.board.len() - tasks.len(), output);
                return Ended::Done;
            }
            safe_json(&serde_json::to_string_pretty(&value).unwrap_or_default()) + "\n"
        }
        To::Csv => transfer::csv(&tasks, is_unsafe),
        To::Markdown => transfer::check_list(&tasks, is_unsafe),
    };
    let left_out = answer.board.len() - tasks.len();
    let Some(path) = &arguments.output else {
        output.print(&text);
        note_left_out(open_only, left_out, output);
        return Ended::Done;
    };
    let out = if arguments.force {
        OutFile::Replace
    } else {
        OutFile::New
    };
    if let Err(error) = transfer::write_file(path, &text, out) {
        return not_written(path, &error, output);
    }
    if output.json {
        let file = path.display().to_string();
        output.value(&json!({"file": file, "format": to.name(), "tasks": tasks.len()}));
    } else {
        let file = super::output::harmless(&path.display().to_string());
        let plural = if tasks.len() == 1 { "" } else { "s" };
        output.line(&format!("Wrote {} task{plural} to {file}", tasks.len()));
    }
    note_left_out(open_only, left_out, output);
    Ended::Done
}

fn note_left_out(open_only: bool, left_out: usize, output: &Output) {
    if open_only && left_out > 0 {
        output.note(&format!(
            "{left_out} left out; --all takes what is done or cancelled too"
        ));
    }
}

fn not_written(path: &Path, error: &io::Error, output: &Output) -> Ended {
    let file = path.display();
    if error.kind() == io::ErrorKind::AlreadyExists {
        output.error(
            &format!("{file} is there already"),
            Some("--force replaces it"),
        );
        return Ended::Refused;
    }
    output.error(
        &format!("cannot write {file}: {error}"),
        Some("nothing was written; the board is as it was"),
    );
    Ended::StoreFailed
}
