//! `todori rm`: takes tasks away, all of them or none. They stay in the history.

use clap::Args;
use serde_json::json;
use todori_domain::{Command, Verdict};

use super::output::{Output, harmless};
use super::project::Project;
use super::{Ended, pick};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori rm 3f2b\n  todori rm \"old login\"\n  todori undo               brings it back"
)]
pub(super) struct Arguments {
    /// The tasks: their ids, the first characters of them, or words of their titles
    #[arg(required = true, value_name = "TASK")]
    tasks: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let tasks = match pick::tasks(&arguments.tasks, project, output) {
        Ok(tasks) => tasks,
        Err(ended) => return ended,
    };
    let commands = tasks.into_iter().map(|task| Command::Delete { task });
    let answer = match project.write(commands.collect(), output) {
        Ok(answer) => answer,
        Err(ended) => return ended,
    };
    let Verdict::Changed(change) = &answer.verdict else {
        return Ended::StoreFailed;
    };
    let gone = change.tasks.iter().filter(|task| task.after.is_none());
    let gone: Vec<_> = gone.filter_map(|task| task.before.as_ref()).collect();
    if output.json {
        let ids: Vec<String> = gone.iter().map(|task| task.id.to_string()).collect();
        output.value(&json!({"deleted": ids}));
        return Ended::Done;
    }
    for task in gone {
        output.line(&format!(
            "Deleted {} {}",
            task.id.prefix(8),
            harmless(task.title.as_str())
        ));
    }
    output.line("`todori undo` brings this back.");
    Ended::Done
}
