//! `todori man`: the manual, as a page that `man` shows.

use clap::{Args, CommandFactory as _};

use super::output::Output;
use super::project::Project;
use super::{Cli, Ended};
use crate::config::env;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori man | man -l -\n  todori man > ~/.local/share/man/man1/todori.1"
)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, _: &Project, output: &mut Output) -> Ended {
    let mut page = Vec::new();
    let main = Cli::command().disable_help_flag(true);
    let written = render(&main, &mut page);
    if let Err(error) = written {
        output.error("the manual could not be written", Some(&error.to_string()));
        return Ended::StoreFailed;
    }
    output.document(&page, "page");
    Ended::Done
}

/// The whole program on one page: what each verb takes comes after what all of them take.
fn render(main: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let manual = clap_mangen::Man::new(main.clone());
    manual.render_title(page)?;
    manual.render_name_section(page)?;
    manual.render_synopsis_section(page)?;
    manual.render_description_section(page)?;
    manual.render_options_section(page)?;
    for verb in main.get_subcommands() {
        let name = verb.get_name();
        page.extend_from_slice(format!(".SH \"TODORI {}\"\n", name.to_uppercase()).as_bytes());
        let verb = verb.clone().disable_help_flag(true);
        let text = verb
            .clone()
            .bin_name(format!("todori {name}"))
            .render_long_help();
        // Plain text, laid out as the help is.
        page.extend_from_slice(b".nf\n");
        for line in text.to_string().lines() {
            let line = escaped(line);
            let guard = if line.starts_with(['.', '\'']) {
                "\\&"
            } else {
                ""
            };
            page.extend_from_slice(format!("{guard}{line}\n").as_bytes());
        }
        page.extend_from_slice(b".fi\n");
    }
    page.extend_from_slice(after().as_bytes());
    Ok(())
}

/// How commands end, and what they heed.
fn after() -> String {
    let ends = [
        ("0", "Done."),
        ("1", "Refused: nothing was changed."),
        ("2", "The arguments were not understood."),
        ("3", "The store failed, or the output could not be written."),
    ];
    let others = [
        (
            "VISUAL, EDITOR",
            "What titles and descriptions are written with",
        ),
        ("NO_COLOR", "If set: no colours and no pictures"),
    ];
    let ours = env::OURS
        .iter()
        .filter_map(|variable| Some((variable.name, variable.says()?)));
    let row =
        |(name, says): (&str, &str)| format!(".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(says));
    let ends: String = ends.into_iter().map(row).collect();
    let ours: String = ours.map(|(name, says)| row((name, &says))).collect();
    let others: String = others.into_iter().map(row).collect();
    format!(".SH \"EXIT STATUS\"\n{ends}.SH ENVIRONMENT\n{ours}{others}")
}

/// Text that is shown as it is.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}
