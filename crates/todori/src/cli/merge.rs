//! `todori merge`: brings two versions of a board's file together, for git.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Board, Disagreement, MergeNote};
use todori_store::{MergeError, Version, merge_files};

use super::Ended;
use super::output::{Output, harmless};
use super::project::Project;

#[derive(Args)]
#[command(
    after_help = "git calls this when both branches changed the board, once it is told to:\n  todori install git\n\nTasks are merged one by one, and field by field. Where both branches changed the same field, the later change\ncounts, and words that it replaces are kept below the description. Nothing is left as a conflict.\n\nExamples:\n  todori merge %O %A %B                        in git's configuration\n  todori merge --print base.yaml ours.yaml theirs.yaml"
)]
pub(super) struct Arguments {
    /// The version that both came from; may be empty
    base: PathBuf,
    /// The version that is here; the result is written to it
    ours: PathBuf,
    /// The version that comes in
    theirs: PathBuf,
    /// Print the result instead of writing it
    #[arg(long)]
    print: bool,
}

/// The most that is read of a file; more than any board has.
const MOST: u64 = 64 * 1024 * 1024;

pub(super) fn run(arguments: &Arguments, _: &Project, output: &mut Output) -> Ended {
    merge(arguments, output).map_or_else(|ended| ended, |()| Ended::Done)
}

fn merge(arguments: &Arguments, output: &mut Output) -> Result<(), Ended> {
    let Arguments {
        base,
        ours,
        theirs,
        print,
    } = arguments;
    let merged = merge_files(
        &read(base, output)?,
        &read(ours, output)?,
        &read(theirs, output)?,
    );
    let merged = merged.map_err(|error| {
        let file = match &error {
            MergeError::Broken { version, .. } | MergeError::Empty { version } => match version {
                Version::Base => base,
                Version::Ours => ours,
                Version::Theirs => theirs,
            },
            MergeError::NotWritten(_) => ours,
        };
        let hint = "nothing was changed; mend the file by hand, or merge it as text";
        output.error(&format!("{}: {error}", file.display()), Some(hint));
        Ended::Refused
    })?;
    if *print {
        output.document(merged.text.as_bytes(), "text");
        return Ok(());
    }
    let written = OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(ours)
        .and_then(|mut file| file.write_all(merged.text.as_bytes()).and(file.sync_all()));
    written.map_err(|error| {
        output.error(
            &format!("cannot write {}", ours.display()),
            Some(&error.to_string()),
        );
        Ended::StoreFailed
    })?;
    tell(&merged.notes, &merged.board, output);
    Ok(())
}

fn read(path: &Path, output: &Output) -> Result<String, Ended> {
    let mut text = String::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(MOST + 1).read_to_string(&mut text));
    read.map_err(|error| {
        output.error(
            &format!("cannot read {}", path.display()),
            Some(&error.to_string()),
        );
        Ended::StoreFailed
    })?;
    // A part of a file must not pass for the whole: what is missing would be deleted.
    if text.len() as u64 > MOST {
        let hint = "no board is that large; nothing was changed";
        output.error(
            &format!("{} holds more than 64 MB", path.display()),
            Some(hint),
        );
        return Err(Ended::Refused);
    }
    Ok(text)
}

fn tell(notes: &[MergeNote], board: &Board, output: &mut Output) {
    let words = |note: &MergeNote| match note.kind {
        Disagreement::Field(name) => format!("both changed the {name}; the later change counts"),
        Disagreement::KeptThoughDeleted => {
            "deleted in one branch, changed in the other: kept".to_owned()
        }
        Disagreement::SubtaskRenumbered => {
            "both added a subtask; the second got a new number".to_owned()
        }
        Disagreement::OthersFields => {
            "both changed fields or comments of their own; those of this branch count".to_owned()
        }
        Disagreement::CycleBroken => {
            "a wait was left out that would have closed a cycle".to_owned()
        }
    };
    if output.json {
        let told = notes
            .iter()
            .map(|note| json!({"task": note.task.to_string(), "what": words(note)}));
        output.value(&json!({"notes": told.collect::<Vec<Value>>()}));
        return;
    }
    for note in notes {
        let title = board.get(note.task).map_or("", |task| task.title.as_str());
        let id = board.short_id(note.task, 8);
        output.line(&format!(
            "todori: {id} {}: {}",
            harmless(title),
            words(note)
        ));
    }
}
