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
use std::rc::Rc;

use clap::{Args, Parser, Subcommand};
use todori_domain::Status;

use crate::config::{Settings, SettingsError, env};
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
    /// The project's folder (default: the nearest one upwards that has a board or is a git repository)
    #[arg(long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Where tasks are kept: the folder of a project (default: this project's)
    #[arg(long, global = true, value_name = "ADDRESS")]
    store: Option<String>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    json: bool,
}

/// The verbs: each is a file, and a row here. A row names the module, which has `Arguments` and `run`; what stands behind
/// the module is handed to `run` as well.
macro_rules! verbs {
    ($($(#[$about:meta])* $verb:ident($module:ident $(, $more:expr)?),)*) => {
        #[derive(Subcommand)]
        enum Verb {
            $($(#[$about])* $verb($module::Arguments),)*
        }

        impl Verb {
            fn run(&self, project: &Project, output: &mut Output) -> Ended {
                match self {
                    $(Self::$verb(arguments) => $module::run(arguments, $($more,)? project, output),)*
                }
            }
        }
    };
}

verbs! {
    /// Make a board in this project
    Init(init),
    /// Add a task at the end of the list
    Add(add),
    /// List tasks: what is open, or as the filters say
    List(list),
    /// Show everything about a task
    Show(show),
    /// Start a task: it is then yours
    Start(start),
    /// Mark tasks as done
    #[command(
        after_help = "Examples:\n  todori done 3f2b\n  todori done login \"write the docs\"\n  todori sub done 3f2b.1        only a subtask of it"
    )]
    Done(mark, Status::Done),
    /// Change the words or the priority of a task
    Edit(edit),
    /// Mark tasks as blocked
    #[command(
        after_help = "Examples:\n  todori block 3f2b\n  todori dep add 3f2b 9a0c      where it waits for another task\n  todori reopen 3f2b"
    )]
    Block(mark, Status::Blocked),
    /// Put tasks off
    #[command(
        after_help = "Examples:\n  todori defer 3f2b\n  todori list --status deferred\n  todori reopen 3f2b"
    )]
    Defer(mark, Status::Deferred),
    /// Mark tasks as not to be done
    #[command(
        after_help = "Examples:\n  todori cancel 3f2b\n  todori undo                   takes it back"
    )]
    Cancel(mark, Status::Cancelled),
    /// Mark tasks as pending again
    #[command(after_help = "Examples:\n  todori reopen 3f2b\n  todori reopen login docs")]
    Reopen(mark, Status::Pending),
    /// Delete tasks
    Rm(rm),
    /// Put a task somewhere else in the list
    Move(move_to),
    /// Say what a task waits for
    Dep(dep),
    /// Add, finish and delete the subtasks of a task
    Sub(sub),
    /// Show who did what, and when
    Log(log),
    /// Take changes back: the last one, one task's, or all by somebody since a time
    Undo(undo),
    /// Bring two versions of a board's file together, for git
    Merge(merge),
    /// Say which task to take next, and why
    Next(next),
    /// Show the board in figures
    Stats(stats),
    /// Look on while agents work: progress as it happens
    Watch(watch),
    /// Bring tasks in from another program
    Import(import),
    /// Write tasks down for other programs
    Export(export),
    /// Check the project, the installation and what agents are charged, and say what to do
    Doctor(doctor),
    /// Call any tool that agents have, with its arguments as JSON
    Call(call),
    /// Show the tasks of a Claude Code run, live, from its stream on standard input
    Track(track),
    /// Add todori to an agent: Claude Code, Codex, Gemini CLI, VS Code, Cursor, opencode
    Install(install),
    /// Take back what install wrote
    Uninstall(uninstall),
    /// Answer a hook of Claude Code
    Hook(hook),
    /// Print a line for the status line of Claude Code
    Statusline(statusline),
    /// Serve agents over standard input and output (MCP), or over HTTP with a dashboard
    Serve(serve),
    /// Print what your shell needs to complete commands
    Completions(completions),
    /// Print the manual page: todori man | man -l -
    Man(man),
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
    let Common {
        project,
        store,
        json,
    } = cli.common;
    let settings = match Settings::resolve(project, store.as_deref()) {
        Ok(settings) => settings,
        Err(error) => {
            let (why, ended) = match &error {
                SettingsError::NoWorkingDirectory(why) => (why.to_string(), Ended::StoreFailed),
                SettingsError::NoAddress(why) => (why.to_string(), Ended::Usage),
            };
            Output::plain().error(&error.to_string(), Some(&why));
            return ended.into();
        }
    };
    let mut output = Output::new(&settings, json);
    // One runtime for whatever the verb waits for, on one thread: what is asked in order is answered in order.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => Rc::new(runtime),
        Err(error) => {
            output.error("cannot start", Some(&error.to_string()));
            return Ended::StoreFailed.into();
        }
    };
    let project = Project::new(settings, Rc::clone(&runtime));
    let ended = match &cli.verb {
        None => status::run(&project, &mut output),
        Some(verb) => verb.run(&project, &mut output),
    };
    drop(project);
    // A read of standard input may still be waiting on another thread; nobody needs its result.
    if let Some(runtime) = Rc::into_inner(runtime) {
        runtime.shutdown_background();
    }
    if output.is_lost() {
        output.error("the output could not be written", None);
        return Ended::StoreFailed.into();
    }
    ended.into()
}
