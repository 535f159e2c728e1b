//! `todori completions`: what a shell needs to complete commands.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use todori_domain::{Priority, Status};

use super::known::one_of;
use super::output::Output;
use super::project::Project;
use super::{Cli, Ended};
use crate::install::CLIENTS;
use crate::transfer::Format;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori completions bash > ~/.local/share/bash-completion/completions/todori\n  todori completions zsh > \"${fpath[1]}/_todori\"\n  todori completions fish > ~/.config/fish/completions/todori.fish"
)]
pub(super) struct Arguments {
    /// The shell: bash, zsh or fish
    #[arg(value_parser = one_of(parse_shell, SHELLS), hide_possible_values = true)]
    shell: Shell,
}

/// The shells that are known.
const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

fn parse_shell(text: &str) -> Result<Shell, String> {
    match text {
        "bash" => Ok(Shell::Bash),
        "zsh" => Ok(Shell::Zsh),
        "fish" => Ok(Shell::Fish),
        _ => Err("expected bash, zsh or fish".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments, _: &Project, output: &mut Output) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "todori", &mut script);
    if arguments.shell == Shell::Fish {
        script.extend_from_slice(for_fish(&command()).as_bytes());
    }
    output.document(&script, "script");
    Ended::Done
}

/// The command line, with the words that shells may offer where its own parsers do not list them.
fn command() -> clap::Command {
    let clients = || CLIENTS.iter().map(|client| client.name).collect::<Vec<_>>();
    let offers = [
        ("export", "status", Status::ALL.map(Status::as_str).to_vec()),
        (
            "export",
            "priority",
            Priority::ALL.map(Priority::as_str).to_vec(),
        ),
        ("import", "format", Format::ALL.map(Format::name).to_vec()),
        ("install", "client", clients()),
        ("uninstall", "client", clients()),
        ("hook", "event", vec!["session-start"]),
    ];
    offers
        .into_iter()
        .fold(Cli::command(), |command, (verb, argument, words)| {
            command.mut_subcommand(verb, |verb| {
                verb.mut_arg(argument, |argument| {
                    argument.value_parser(PossibleValuesParser::new(words))
                })
            })
        })
}

/// The words for arguments without a name, which the generator leaves out for fish.
fn for_fish(command: &clap::Command) -> String {
    let mut script = String::new();
    for verb in command.get_subcommands() {
        for argument in verb.get_positionals() {
            let words = argument.get_possible_values();
            let words: Vec<&str> = words.iter().map(PossibleValue::get_name).collect();
            if !words.is_empty() {
                let (verb, words) = (verb.get_name(), words.join(" "));
                script += &format!(
                    "complete -c todori -n \"__fish_todori_using_subcommand {verb}\" -f -a \"{words}\"\n"
                );
            }
        }
    }
    script
}
