//! `todori hook`: what Claude Code runs by itself. Tells a session that starts where the project stands. Never fails a
//! session: whatever goes wrong is a line on standard error.

use clap::Args;
use serde_json::{Map, json};

use super::Ended;
use super::host::HookInput;
use super::output::{Output, harmless};
use super::project::Project;

/// Claude Code cuts what is longer.
const MOST: usize = 10_000;

#[derive(Args)]
#[command(
    after_help = "Example, in .claude/settings.json (`todori install claude-code --hook` writes it):
  {\"hooks\": {\"SessionStart\": [{\"matcher\": \"startup|resume|clear|compact\", \"hooks\": [
    {\"type\": \"command\", \"command\": \"todori hook session-start\"}]}]}}"
)]
pub(super) struct Arguments {
    /// What happened: session-start
    #[arg(value_name = "EVENT")]
    event: String,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let shown = match arguments.event.as_str() {
        "session-start" => session_start(project),
        other => Err(format!("there is no hook {other}; known: session-start")),
    };
    match shown {
        Ok(None) => {}
        Ok(Some(text)) if output.json => {
            let told = json!({"hookEventName": "SessionStart", "additionalContext": text});
            output.value(&json!({ "hookSpecificOutput": told }));
        }
        Ok(Some(text)) => {
            let lines: Vec<String> = text.split('\n').map(harmless).collect();
            output.print(&lines.join("\n"));
        }
        Err(why) => output.error(&why, None),
    }
    Ended::Done
}

/// Where the project stands, if there is something to do.
fn session_start(project: &Project) -> Result<Option<String>, String> {
    let input = HookInput::read();
    let settings = input.apply_to(project.settings.clone());
    let actor = input.actor(&settings);
    let project = project.with(settings);
    let mut dialects = todori_dialects::ALL.iter();
    let prompt = dialects
        .find_map(|dialect| dialect.session_start)
        .ok_or("there is no prompt for the start of a session")?;
    let nothing = Map::new();
    let request = prompt
        .request(&nothing)
        .map_err(|missing| format!("{missing} is missing"))?;
    let Some(answer) = project.ask_quietly(actor, request)? else {
        return Ok(None);
    };
    if !answer.board.in_order().any(|task| task.status.is_open()) {
        return Ok(None);
    }
    let text = prompt
        .render(&nothing, &answer)
        .map_err(|_| "the prompt could not be worded")?;
    Ok(Some(text.chars().take(MOST).collect()))
}
