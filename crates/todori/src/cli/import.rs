//! `todori import`: brings tasks in from another program, all of them in one step or none.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};
use todori_domain::{Board, RandomIds, Status, TaskId, Want};
use todori_store::{find_project, task_json};

use super::Ended;
use super::output::{Output, Style, harmless};
use super::project::Project;
use crate::transfer::{self, Again, Format, Plan, Source, SourceId, Unreadable};

#[derive(Args)]
#[command(
    after_help = "Reads task-master's tasks.json, beads' issues.jsonl, folders of Backlog.md, todo.txt, check lists in \
    Markdown, lists of Claude Code (~/.claude/tasks/LIST), and what `todori export` writes.\n\n\
    A task that was imported before is known by its id, which follows from the file it comes from (below the project, \
    if it is in there), its name there and its title; it is left as it is, even if it is done or renamed by now.\n\n\
    Examples:\n  todori import .taskmaster/tasks/tasks.json --dry-run\n  todori import .beads\n  todori import backlog\n  \
    gh issue view 7 --json body -q .body | todori import - --from markdown"
)]
pub(super) struct Arguments {
    /// A file, a folder, or `-` for standard input
    #[arg(value_name = "FILE|DIR|-")]
    from: PathBuf,
    /// The format: todori, task-master, beads, backlog-md, todo-txt, markdown or claude-code (default: what it looks like)
    #[arg(long = "from", value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Format>,
    /// Show what would come, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Bring in once more what was imported before
    #[arg(long)]
    again: bool,
}

fn parse_format(name: &str) -> Result<Format, String> {
    let known = Format::ALL.map(Format::name).join(", ");
    Format::parse(name).ok_or_else(|| format!("expected one of {known}"))
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let unreadable = |error: &Unreadable, output: &mut Output| {
        output.error(&error.message, error.hint.as_deref());
        Ended::Refused
    };
    let source = if arguments.from.as_os_str() == "-" {
        Source::standard_input()
    } else {
        Source::open(&arguments.from, arguments.format)
    };
    let read = source.and_then(|source| {
        let (format, read) = transfer::read(&source, arguments.format)?;
        let root = find_project(&project.settings.origin).ok();
        let place = transfer::place(&source, format, root.as_deref());
        Ok((source.name, format, place, read))
    });
    let (name, format, place, read) = match read {
        Ok(read) => read,
        Err(error) => return unreadable(&error, output),
    };
    let before = match project.read(Want::default(), output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let again = if arguments.again {
        Again::Add
    } else {
        Again::Skip
    };
    let source_id = SourceId {
        format,
        place: &place,
    };
    let mut plan = match transfer::plan(read, source_id, &before.board, again, &RandomIds) {
        Ok(plan) => plan,
        Err(error) => return unreadable(&error, output),
    };
    let commands = std::mem::take(&mut plan.commands);
    let board = if commands.is_empty() {
        Ok(Arc::clone(&before.board))
    } else if arguments.dry_run {
        project.rehearse(&commands, &before, output)
    } else {
        project.write(commands, output).map(|answer| answer.board)
    };
    let board = match board {
        Ok(board) => board,
        Err(ended) => return ended,
    };
    let report = ImportReport {
        name: &name,
        format,
        dry_run: arguments.dry_run,
        plan: &plan,
        board: &board,
    };
    if output.json {
        output.value(&report.value());
    } else {
        report.print(output);
    }
    Ended::Done
}

/// What was imported, to be printed.
struct ImportReport<'a> {
    name: &'a str,
    format: Format,
    dry_run: bool,
    plan: &'a Plan,
    board: &'a Board,
}

/// How many lines of each kind are shown to people.
const SHOWN: usize = 50;

impl ImportReport<'_> {
    fn value(&self) -> Value {
        let tasks = |ids: &[TaskId]| -> Vec<Value> {
            let tasks = ids.iter().filter_map(|&id| self.board.get(id));
            tasks.map(|task| task_json::full(task)).collect()
        };
        let notes = self.plan.notes.iter();
        let notes: Vec<Value> = notes
            .map(|note| json!({"item": note.item, "note": note.what}))
            .collect();
        json!({
            "source": self.name,
            "format": self.format.name(),
            "dryRun": self.dry_run,
            "added": tasks(&self.plan.added),
            "skipped": tasks(&self.plan.skipped),
            "notes": notes,
            "movedToDescriptions": self.plan.moved,
        })
    }

    fn print(&self, output: &mut Output) {
        let Plan {
            commands: _,
            added,
            skipped,
            notes,
            moved,
        } = self.plan;
        let (name, format) = (harmless(self.name), self.format.name());
        let verb = if self.dry_run {
            "Would import"
        } else {
            "Imported"
        };
        if self.dry_run {
            for task in added.iter().filter_map(|&id| self.board.get(id)) {
                super::list::row(task, self.board, output);
            }
        }
        output.line(&format!(
            "{verb} {} from {name} ({format}){}",
            count(added.len(), "task"),
            self.statuses()
        ));
        if !skipped.is_empty() {
            output.line("");
            let told = if skipped.len() == 1 {
                "1 task is here already: left as it is (--again brings it in once more)".to_owned()
            } else {
                let number = skipped.len();
                format!(
                    "{number} tasks are here already: left as they are (--again brings them in once more)"
                )
            };
            output.line(&output.style(Style::Strong, &told));
            for task in skipped
                .iter()
                .take(SHOWN)
                .filter_map(|&id| self.board.get(id))
            {
                super::list::row(task, self.board, output);
            }
            more(skipped.len(), output);
        }
        if !moved.is_empty() && !added.is_empty() {
            output.line("");
            output.line(&output.style(Style::Strong, "Kept in descriptions, for want of a field"));
            for (name, times) in moved {
                output.line(&format!("  {} ({times})", harmless(name)));
            }
        }
        if !notes.is_empty() {
            output.line("");
            output.line(&output.style(Style::Strong, "Did not fit"));
            for note in notes {
                output.line(&format!(
                    "  {}: {}",
                    harmless(&note.item),
                    harmless(&note.what)
                ));
            }
        }
        if self.dry_run {
            output.line("");
            output.line("Nothing was changed.");
        }
    }

    fn statuses(&self) -> String {
        let tasks: Vec<Status> = self
            .plan
            .added
            .iter()
            .filter_map(|&id| self.board.get(id).map(|task| task.status))
            .collect();
        let counts = Status::ALL.into_iter().filter_map(|status| {
            let count = tasks.iter().filter(|other| **other == status).count();
            (count > 0).then(|| format!("{count} {}", status.as_str()))
        });
        let counts: Vec<String> = counts.collect();
        if counts.is_empty() {
            String::new()
        } else {
            format!(": {}", counts.join(", "))
        }
    }
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn more(number: usize, output: &mut Output) {
    if number > SHOWN {
        output.line(&format!("  and {} more", number - SHOWN));
    }
}
