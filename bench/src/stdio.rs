//! A client of a server over pipes: one JSON-RPC request at a time. Knows nothing of what is asked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::Outcome;
use crate::process::Process;
use crate::protocol::{self, Answer};

/// A server process and the pipes to it. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Client {
    process: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Client {
    /// Starts a server.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        let mut process = Process::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let (input, output) = (process.child.stdin.take(), process.child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err("a process was started without its pipes".into());
        };
        Ok(Self {
            process,
            input,
            output: BufReader::new(output),
            asked: 0,
        })
    }

    /// Introduces itself and waits for the answer, as every client of the protocol does first.
    pub(crate) fn initialize(&mut self) -> Outcome<Answer> {
        let answer = self.ask("initialize", &protocol::introduction())?;
        let initialized = protocol::initialized();
        self.input
            .write_all(format!("{initialized}\n").as_bytes())?;
        Ok(answer)
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Outcome<Answer> {
        self.asked += 1;
        let request = format!("{}\n", protocol::request(self.asked, method, parameters));
        let mut line = Vec::with_capacity(8 * 1024);
        let begun = Instant::now();
        self.input.write_all(request.as_bytes())?;
        loop {
            line.clear();
            if self.output.read_until(b'\n', &mut line)? == 0 {
                return Err(format!("the server ended instead of answering {method}").into());
            }
            let took = begun.elapsed();
            let message: Value = serde_json::from_slice(&line)?;
            // Notifications may come between.
            if message.get("id").and_then(Value::as_u64) == Some(self.asked) {
                return Answer::read(message, method, took);
            }
        }
    }

    /// The server's process.
    pub(crate) fn process(&self) -> &Process {
        &self.process
    }
}
