//! `todori install`: tells a client about todori, after showing what that changes.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use todori_store::find_project;

use super::changes::{self, Consent};
use super::output::{Output, Style, harmless};
use super::project::Project;
use super::{Ended, uninstall};
use crate::config::Folders;
use crate::install::{self, CLIENTS, Client, InstallRequest, Program, Server, Site};

const EXAMPLES: &str = "\
Clients: claude-code, codex, gemini, vscode, cursor, opencode, and git (merges boards task by task)

Examples:
  todori install                                   which clients are here
  todori install claude-code                       for everybody in this project, in .mcp.json
  todori install claude-code --hook --statusline   and tell each session where the project stands
  todori install codex --yes                       for all your projects, without asking
  todori install cursor --toolsets tasks,todo
  todori install vscode --http http://127.0.0.1:8636/mcp
  todori install gemini --print                    only show what would be written

`todori uninstall CLIENT` takes it back.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The client; without one: which there are, and where todori is installed
    #[arg(value_name = "CLIENT", value_parser = parse_client)]
    client: Option<&'static Client>,
    /// For all your projects, or for everybody in this one (default: this project, if there is one; Codex: user)
    #[arg(long, value_enum)]
    scope: Option<ScopeArgument>,
    #[arg(long, value_name = "NAMES", value_parser = parse_toolsets, help = super::serve::toolsets_help())]
    toolsets: Option<String>,
    /// Use a server that runs already, at this URL, instead of starting one
    #[arg(long, value_name = "URL", conflicts_with = "toolsets", value_parser = parse_url)]
    http: Option<String>,
    #[command(flatten)]
    extras: Extras,
    #[command(flatten)]
    answer: changes::Answer,
}

#[derive(Args)]
struct Extras {
    /// Claude Code: also a hook that tells each session where the project stands
    #[arg(long)]
    hook: bool,
    /// Claude Code: also a status line with progress and the next task
    #[arg(long)]
    statusline: bool,
}

/// What `--scope` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ScopeArgument {
    User,
    Project,
}

impl From<ScopeArgument> for install::InstallScope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::User => Self::User,
            ScopeArgument::Project => Self::Project,
        }
    }
}

pub(super) fn parse_client(text: &str) -> Result<&'static Client, String> {
    Client::find(text).ok_or_else(|| {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        format!("known: {}", names.join(", "))
    })
}

fn parse_toolsets(text: &str) -> Result<String, String> {
    match todori_dialects::select(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(unknown) => Err(format!("there is no toolset {unknown:?}")),
    }
}

fn parse_url(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"));
    let plain = |c: char| c.is_ascii_graphic() && !"\"'<>\\^`{|}".contains(c);
    match rest {
        Some(rest) if !rest.is_empty() && !rest.starts_with('/') && rest.chars().all(plain) => {
            Ok(text.to_owned())
        }
        Some(_) | None => Err("expected a URL such as http://127.0.0.1:8636/mcp".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let folders = Folders::resolve();
    let root = find_project(&project.settings.origin).ok();
    let site = Site {
        folders: &folders,
        project: root.as_deref(),
    };
    let Some(client) = arguments.client else {
        return list(&site, output);
    };
    if (arguments.extras.hook || arguments.extras.statusline) && !client.has_extras() {
        output.error("only Claude Code has hooks and a status line", None);
        return Ended::Usage;
    }
    let Some(program) = Program::find(&folders) else {
        output.error(
            "nobody knows where this program is",
            Some("put todori on the PATH"),
        );
        return Ended::StoreFailed;
    };
    let server = match (&arguments.http, &arguments.toolsets) {
        (Some(url), _) => Server::Http { url: url.clone() },
        (None, toolsets) => {
            let mut words = vec!["serve".to_owned()];
            if let Some(names) = toolsets {
                words.extend(["--toolsets".to_owned(), names.clone()]);
            }
            // Whoever names a store wants the agent to use that one, too.
            if let Some(store) = &project.settings.store {
                words.extend(["--store".to_owned(), store.to_string()]);
            }
            Server::Stdio {
                command: program.command.clone(),
                arguments: words,
            }
        }
    };
    let request = InstallRequest {
        client,
        scope: arguments.scope.map(Into::into),
        server,
        program,
        hook: arguments.extras.hook,
        statusline: arguments.extras.statusline,
    };
    let plan = match install::install(&request, &site) {
        Ok(plan) => plan,
        Err(error) => return changes::failed(&error, output),
    };
    if plan.is_empty() {
        return unchanged(&plan, client, output);
    }
    if !output.json {
        changes::show(&plan, output);
        remark(&plan, &request, output);
    }
    if arguments.answer.print {
        return finish(&plan, client, false, output);
    }
    let question = if plan.changes.iter().any(|change| change.replaces) {
        "Something is there already. Replace it?"
    } else {
        "Write this?"
    };
    match changes::ask(question, arguments.answer.yes, output) {
        Consent::NoTerminal => return changes::no_terminal(output),
        Consent::Refused => {
            output.line("Nothing was written.");
            return Ended::Refused;
        }
        Consent::Given => {}
    }
    match plan.apply(&site) {
        Ok(()) => finish(&plan, client, true, output),
        Err(error) => changes::failed(&error, output),
    }
}

fn unchanged(plan: &install::Plan, client: &Client, output: &mut Output) -> Ended {
    if output.json {
        return finish(plan, client, false, output);
    }
    for file in &plan.unchanged {
        let file = harmless(&file.display().to_string());
        output.line(&format!("It is there already, just like this: {file}"));
    }
    Ended::Done
}

/// What to know before saying yes.
fn remark(plan: &install::Plan, request: &InstallRequest, output: &mut Output) {
    let starts = matches!(request.server, Server::Stdio { .. });
    if !request.program.on_path && (starts || request.hook || request.statusline) {
        let command = harmless(&request.program.command);
        output.line(&format!(
            "`todori` on the PATH is not this program, so its full path is written: {command}"
        ));
    }
    let owned = plan
        .changes
        .iter()
        .any(|change| change.file.ends_with(".claude.json") && change.before.is_some());
    if owned {
        output.line("Claude Code writes this file itself while it runs: better end it first.");
    }
}

fn finish(plan: &install::Plan, client: &Client, written: bool, output: &mut Output) -> Ended {
    if output.json {
        let mut shown = changes::plan_json(plan);
        if let Some(shown) = shown.as_object_mut() {
            shown.insert("client".to_owned(), json!(client.name));
            shown.insert("written".to_owned(), json!(written));
        }
        output.value(&shown);
    } else if written {
        let scope = plan.scope.unwrap_or(install::InstallScope::Project);
        output.line(&format!("Done. {}", (client.next_step)(scope)));
        output.line(&format!(
            "To take it back: todori uninstall {}",
            client.name
        ));
    }
    Ended::Done
}

/// Which clients there are, which of them are on this machine, and where todori is installed.
fn list(site: &Site<'_>, output: &mut Output) -> Ended {
    let mut rows: Vec<Value> = Vec::new();
    for client in CLIENTS {
        let here = install::is_on_path(client.program, site.folders);
        let survey = install::survey(client, site);
        let files: Vec<String> = survey
            .files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        if output.json {
            rows.push(json!({"client": client.name, "found": here, "installed": files}));
            continue;
        }
        let broken = survey.errors.first();
        let state = match (files.as_slice(), here) {
            ([], _) if survey.unfinished => {
                output.style(Style::Busy, "in .gitattributes, but not in this clone")
            }
            ([], _) if let Some(error) = broken => {
                output.style(Style::Bad, &harmless(&error.message))
            }
            ([], true) => "found".to_owned(),
            ([], false) => output.style(Style::Faint, "not found on the PATH"),
            (files, _) => {
                let files = harmless(&files.join(", "));
                output.style(Style::Good, &format!("installed in {files}"))
            }
        };
        output.line(&format!("{:<12} {state}", client.name));
    }
    if output.json {
        output.value(&json!(rows));
    } else {
        output.line("");
        output.line("Install it: todori install CLIENT");
        uninstall::hint(output);
    }
    Ended::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_taken() {
        for good in [
            "http://127.0.0.1:8636/mcp",
            "https://todori.example/mcp/tasks,todo?session=a",
        ] {
            assert_eq!(parse_url(good).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "127.0.0.1:8636",
            "ftp://x/",
            "http://",
            "http:///mcp",
            "http://a b/",
            "http://a\"b",
        ] {
            assert!(parse_url(bad).is_err(), "{bad}");
        }
    }
}
