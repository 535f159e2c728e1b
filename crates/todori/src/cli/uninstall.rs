//! `todori uninstall`: takes back what `todori install` wrote, after showing it.

use clap::Args;
use serde_json::json;
use todori_store::find_project;

use super::Ended;
use super::changes::{self, Consent};
use super::install::{ScopeArgument, parse_client};
use super::output::Output;
use super::project::Project;
use crate::config::Folders;
use crate::install::{self, Client, Program, Site};

const EXAMPLES: &str = "\
Examples:
  todori uninstall claude-code                 wherever it is: this project and your own settings
  todori uninstall codex --scope user --yes    without asking
  todori uninstall cursor --print              only show what would be removed";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The client: claude-code, codex, gemini, vscode, cursor, opencode or git
    #[arg(value_name = "CLIENT", value_parser = parse_client)]
    client: &'static Client,
    /// Only from your own settings, or only from this project's (default: both)
    #[arg(long, value_enum)]
    scope: Option<ScopeArgument>,
    #[command(flatten)]
    answer: changes::Answer,
}

/// How to take things back.
pub(super) fn hint(output: &mut Output) {
    output.line("Take it back: todori uninstall CLIENT");
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let folders = Folders::resolve();
    let root = find_project(&project.settings.origin).ok();
    let site = Site {
        folders: &folders,
        project: root.as_deref(),
    };
    let client = arguments.client;
    let program = Program {
        command: "todori".to_owned(),
        on_path: true,
    };
    let scope = arguments.scope.map(Into::into);
    let plan = match install::uninstall(client, scope, &program, &site) {
        Ok(plan) => plan,
        Err(error) => return changes::failed(&error, output),
    };
    if plan.is_empty() && !output.json {
        output.line(&format!("todori is not installed in {}.", client.title));
        return Ended::Done;
    }
    if !output.json {
        changes::show(&plan, output);
    }
    let mut written = false;
    if !arguments.answer.print && !plan.is_empty() {
        match changes::ask("Remove this?", arguments.answer.yes, output) {
            Consent::NoTerminal => return changes::no_terminal(output),
            Consent::Refused => {
                output.line("Nothing was removed.");
                return Ended::Refused;
            }
            Consent::Given => {}
        }
        if let Err(error) = plan.apply(&site) {
            return changes::failed(&error, output);
        }
        written = true;
    }
    if output.json {
        let mut shown = changes::plan_json(&plan);
        if let Some(shown) = shown.as_object_mut() {
            shown.insert("client".to_owned(), json!(client.name));
            shown.insert("written".to_owned(), json!(written));
        }
        output.value(&shown);
    } else if written {
        output.line(&format!(
            "Removed. To bring it back: todori install {}",
            client.name
        ));
    }
    Ended::Done
}
