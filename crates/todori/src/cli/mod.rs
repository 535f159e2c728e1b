//! The command line: one file for each verb. Everything goes through the tracker, as it does for agents.

mod add;
mod call;
mod changes;
mod completions;
mod dep;
mod display;
mod doctor;
mod edit;
mod export;
mod hook;
mod host;
mod import;
mod init;
mod install;
mod known;
mod list;
mod log;
mod man;
mod mark;
mod merge;
mod move_to;
mod next;
mod output;
mod pick;
mod project;
mod rm;
mod serve;
mod show;
mod start;
mod stats;
mod status;
mod statusline;
mod sub;
mod task_json;
mod track;
mod tree;
mod undo;
mod uninstall;
mod usage;
mod watch;
mod when;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use todori_domain::Status;

use crate::config::{Settings, env};
use output::Output;
use project::Project;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Done,
    Refused,
    Usage,
    StoreFailed,
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Done => Self::SUCCESS,
            Ended::Refused => Self::from(1),
            Ended::Usage => Self::from(2),
            Ended::StoreFailed => Self::from(3),
        }
    }
}

#[derive(Parser)]
#[command(
    name = "todori",
    version,
    about = "The task tracker that AI agents and their people share",
    after_help = after_help(),
    disable_help_subcommand = true
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// What every verb takes.
#[derive(Args, Clone)]
struct Common {
    /// The project's folder (default: the nearest one upwards with a .todori or .git)
    #[arg(long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Verb {
    /// Make a board in this project
    #[command(
        after_help = "Examples:\n  todori init                   in the root of the git repository, or right here\n  todori init --project ~/notes"
    )]
    Init,
    /// Add a task at the end of the list
    Add(add::Arguments),
    /// List tasks: what is open, or as the filters say
    List(list::Arguments),
    /// Show everything about a task
    Show(show::Arguments),
    /// Start a task: it is then yours
    Start(start::Arguments),
    /// Mark tasks as done
    #[command(
        after_help = "Examples:\n  todori done 3f2b\n  todori done login \"write the docs\"\n  todori sub done 3f2b.1        only a step of it"
    )]
    Done(mark::Arguments),
    /// Change the words or the priority of a task
    Edit(edit::Arguments),
    /// Mark tasks as blocked
    #[command(
        after_help = "Examples:\n  todori block 3f2b\n  todori dep add 3f2b 9a0c      where it waits for another task\n  todori reopen 3f2b"
    )]
    Block(mark::Arguments),
    /// Put tasks off
    #[command(
        after_help = "Examples:\n  todori defer 3f2b\n  todori list --status deferred\n  todori reopen 3f2b"
    )]
    Defer(mark::Arguments),
    /// Mark tasks as not to be done
    #[command(
        after_help = "Examples:\n  todori cancel 3f2b\n  todori undo                   takes it back"
    )]
    Cancel(mark::Arguments),
    /// Mark tasks as pending again
    #[command(after_help = "Examples:\n  todori reopen 3f2b\n  todori reopen login docs")]
    Reopen(mark::Arguments),
    /// Delete tasks
    Rm(rm::Arguments),
    /// Put a task somewhere else in the list
    Move(move_to::Arguments),
    /// Say what a task waits for
    Dep(dep::Arguments),
    /// Add, finish and delete the steps of a task
    Sub(sub::Arguments),
    /// Show who did what, and when
    Log(log::Arguments),
    /// Take changes back: the last one, one task's, or all by somebody since a time
    Undo(undo::Arguments),
    /// Bring two versions of a board's file together, for git
    Merge(merge::Arguments),
    /// Say which task to take next, and why
    #[command(
        after_help = "Examples:\n  todori next\n  todori start \"$(todori next --json | jq -r .task.id)\""
    )]
    Next,
    /// Show the board in figures
    #[command(after_help = "Examples:\n  todori stats\n  todori stats --json | jq .byStatus")]
    Stats,
    /// Look on while agents work: progress as it happens
    Watch(watch::Arguments),
    /// Bring tasks in from another program
    Import(import::Arguments),
    /// Write tasks down for other programs
    Export(export::Arguments),
    /// Check the project, the installation and what agents are charged, and say what to do
    #[command(
        after_help = "One line for each thing: ok, note or problem, and what to do about it. Ends with 1 if there is a problem.\n\n\
        Examples:\n  todori doctor\n  todori doctor --json | jq -r '.findings[] | select(.level == \"problem\") | .says'"
    )]
    Doctor,
    /// Call any tool that agents have, with its arguments as JSON
    Call(call::Arguments),
    /// Show the tasks of a Claude Code run, live, from its stream on standard input
    Track(track::Arguments),
    /// Add todori to an agent: Claude Code, Codex, Gemini CLI, VS Code, Cursor, opencode
    Install(install::Arguments),
    /// Take back what install wrote
    Uninstall(uninstall::Arguments),
    /// Answer a hook of Claude Code
    Hook(hook::Arguments),
    /// Print a line for the status line of Claude Code
    Statusline(statusline::Arguments),
    /// Serve agents over standard input and output (MCP), or over HTTP with a dashboard
    Serve(serve::Arguments),
    /// Print what your shell needs to complete commands
    Completions(completions::Arguments),
    /// Print the manual page: todori man | man -l -
    #[command(
        after_help = "Examples:\n  todori man | man -l -\n  todori man > ~/.local/share/man/man1/todori.1"
    )]
    Man,
}

fn after_help() -> String {
    let lines = env::OURS.iter().filter_map(|variable| {
        let says = variable.says()?;
        Some(format!("  {:<20} {says}", variable.name))
    });
    let lines: Vec<String> = lines.collect();
    format!(
        "Without a verb: where things stand.\n\nEnvironment:\n{}",
        lines.join("\n")
    )
}

/// Runs the command that was given.
pub(crate) fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::answer(&error).into(),
    };
    let settings = match Settings::resolve(cli.common.project.clone()) {
        Ok(settings) => settings,
        Err(error) => {
            Output::plain().error("there is no working directory", Some(&error.to_string()));
            return Ended::StoreFailed.into();
        }
    };
    let mut output = Output::new(&settings, cli.common.json);
    if let Some(Verb::Serve(arguments)) = cli.verb {
        return serve::run(arguments, &settings, &mut output).into();
    }
    if let Some(Verb::Track(arguments)) = cli.verb {
        return track::run(&arguments, &settings, output).into();
    }
    if let Some(Verb::Hook(arguments)) = cli.verb {
        return hook::run(&arguments, settings, &mut output).into();
    }
    if let Some(Verb::Statusline(_)) = cli.verb {
        return statusline::run(settings, &output).into();
    }
    let project = Project::new(settings);
    let ended = match cli.verb {
        None => status::run(&project, &mut output),
        Some(Verb::Init) => init::run(&project, &mut output),
        Some(Verb::Add(arguments)) => add::run(&arguments, &project, &mut output),
        Some(Verb::List(arguments)) => list::run(&arguments, &project, &mut output),
        Some(Verb::Show(arguments)) => show::run(&arguments, &project, &mut output),
        Some(Verb::Start(arguments)) => start::run(&arguments, &project, &mut output),
        Some(Verb::Done(ids)) => mark::run(&ids, Status::Done, &project, &mut output),
        Some(Verb::Edit(arguments)) => edit::run(&arguments, &project, &mut output),
        Some(Verb::Block(ids)) => mark::run(&ids, Status::Blocked, &project, &mut output),
        Some(Verb::Defer(ids)) => mark::run(&ids, Status::Deferred, &project, &mut output),
        Some(Verb::Cancel(ids)) => mark::run(&ids, Status::Cancelled, &project, &mut output),
        Some(Verb::Reopen(ids)) => mark::run(&ids, Status::Pending, &project, &mut output),
        Some(Verb::Rm(arguments)) => rm::run(&arguments, &project, &mut output),
        Some(Verb::Sub(arguments)) => sub::run(&arguments, &project, &mut output),
        Some(Verb::Move(arguments)) => move_to::run(&arguments, &project, &mut output),
        Some(Verb::Dep(arguments)) => dep::run(&arguments, &project, &mut output),
        Some(Verb::Log(arguments)) => log::run(&arguments, &project, &mut output),
        Some(Verb::Undo(arguments)) => undo::run(&arguments, &project, &mut output),
        Some(Verb::Merge(arguments)) => merge::run(&arguments, &mut output),
        Some(Verb::Next) => next::run(&project, &mut output),
        Some(Verb::Stats) => stats::run(&project, &mut output),
        Some(Verb::Watch(arguments)) => watch::run(&arguments, &project, &mut output),
        Some(Verb::Import(arguments)) => import::run(&arguments, &project, &mut output),
        Some(Verb::Export(arguments)) => export::run(&arguments, &project, &mut output),
        Some(Verb::Doctor) => doctor::run(&project, &mut output),
        Some(Verb::Call(arguments)) => call::run(arguments, &project, &mut output),
        Some(Verb::Completions(arguments)) => completions::run(&arguments, &mut output),
        Some(Verb::Man) => man::run(&mut output),
        Some(Verb::Install(arguments)) => install::run(&arguments, &project.settings, &mut output),
        Some(Verb::Uninstall(arguments)) => {
            uninstall::run(&arguments, &project.settings, &mut output)
        }
        Some(Verb::Serve(_) | Verb::Track(_) | Verb::Hook(_) | Verb::Statusline(_)) => Ended::Usage,
    };
    if output.is_lost() {
        output.error("the output could not be written", None);
        return Ended::StoreFailed.into();
    }
    ended.into()
}
