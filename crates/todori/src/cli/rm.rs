//! `todori rm`: takes tasks away, all of them or none. They stay in the history.

use clap::Args;
use serde_json::json;
use todori_domain::{Command, TaskRef, Verdict};

use super::Ended;
use super::output::{Output, harmless};
use super::project::Project;

#[derive(Args)]
pub(super) struct Arguments {
    /// The ids of the tasks, or the first characters of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

pub(super) fn run(arguments: Arguments, project: &Project, output: &mut Output) -> Ended {
    let commands = arguments.ids.into_iter().map(|id| Command::Delete {
        task: TaskRef::new(id),
    });
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
    output.line("It is still in `todori log`.");
    Ended::Done
}
