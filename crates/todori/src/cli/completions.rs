//! `todori completions`: what a shell needs to complete commands.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::output::Output;
use super::{Cli, Ended};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori completions bash > ~/.local/share/bash-completion/completions/todori\n  todori completions zsh > \"${fpath[1]}/_todori\"\n  todori completions fish > ~/.config/fish/completions/todori.fish"
)]
pub(super) struct Arguments {
    /// The shell: bash, zsh or fish
    #[arg(value_parser = parse_shell)]
    shell: Shell,
}

fn parse_shell(text: &str) -> Result<Shell, String> {
    match text {
        "bash" => Ok(Shell::Bash),
        "zsh" => Ok(Shell::Zsh),
        "fish" => Ok(Shell::Fish),
        _ => Err("expected bash, zsh or fish".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "todori", &mut script);
    output.document(&script, "script");
    Ended::Done
}
