//! `todori call`: any tool that agents have, from a shell.

use std::io::Read as _;

use clap::Args;
use serde_json::{Map, Value};

use super::Ended;
use super::output::Output;
use super::project::Project;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  todori call get_tasks\n  todori call create_task '{\"title\": \"Run the tests\", \"priority\": \"high\"}'\n  todori call get_task - < arguments.json"
)]
pub(super) struct Arguments {
    /// The tool's name, such as `create_task`
    #[arg(value_name = "TOOL")]
    tool: String,
    /// Its arguments as a JSON object; `-` reads them from standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    arguments: String,
}

pub(super) fn run(arguments: &Arguments, project: &Project, output: &mut Output) -> Ended {
    let Arguments { tool, arguments } = arguments;
    let text = if arguments == "-" {
        let mut text = String::new();
        if let Err(error) = std::io::stdin().take(1024 * 1024).read_to_string(&mut text) {
            output.error("cannot read the arguments", Some(&error.to_string()));
            return Ended::Usage;
        }
        text
    } else {
        arguments.clone()
    };
    let arguments = match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => map,
        Ok(_) => {
            output.error(
                "the arguments must be a JSON object, such as {\"id\": \"3f2b\"}",
                None,
            );
            return Ended::Usage;
        }
        Err(error) => {
            output.error("the arguments are not JSON", Some(&error.to_string()));
            return Ended::Usage;
        }
    };
    print(tool, arguments, project, output)
}

/// Calls a tool and prints what it answers.
pub(super) fn print(
    tool: &str,
    arguments: Map<String, Value>,
    project: &Project,
    output: &mut Output,
) -> Ended {
    match project.call(tool, arguments) {
        None => {
            let known: Vec<&str> = todori_dialects::ALL
                .iter()
                .flat_map(|dialect| dialect.tools)
                .map(|tool| tool.name)
                .collect();
            output.error(
                &format!("there is no tool {tool}"),
                Some(&format!("known: {}", known.join(", "))),
            );
            Ended::Usage
        }
        Some(Ok(reply)) => {
            output.value(&reply.bare);
            Ended::Done
        }
        Some(Err(fault)) => {
            output.fault(&fault.to_json());
            if fault.code() == -32603 {
                Ended::StoreFailed
            } else {
                Ended::Refused
            }
        }
    }
}
