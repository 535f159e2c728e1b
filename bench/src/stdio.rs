//! A client of a server over pipes: one JSON-RPC request at a time. Knows nothing of what is asked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Outcome;

/// A server process and the pipes to it. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) result: Value,
    /// From the first byte of the request to the last one of the answer.
    pub(crate) took: Duration,
}

impl Client {
    /// Starts a server.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
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
        let parameters = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "todori-bench", "version": env!("CARGO_PKG_VERSION")},
        });
        let answer = self.ask("initialize", &parameters)?;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.input
            .write_all(format!("{initialized}\n").as_bytes())?;
        Ok(answer)
    }

    /// Sends a request and waits for its answer; an answer that reports an error ends the run, since the time that an
    /// error takes says nothing.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Outcome<Answer> {
        self.asked += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": parameters});
        let request = format!("{request}\n");
        let mut line = Vec::with_capacity(8 * 1024);
        let begun = Instant::now();
        self.input.write_all(request.as_bytes())?;
        loop {
            line.clear();
            if self.output.read_until(b'\n', &mut line)? == 0 {
                return Err(format!("the server ended instead of answering {method}").into());
            }
            let took = begun.elapsed();
            let mut answer: Value = serde_json::from_slice(&line)?;
            // Notifications may come between.
            if answer.get("id").and_then(Value::as_u64) != Some(self.asked) {
                continue;
            }
            let result = answer.get_mut("result").map(Value::take);
            let result = result.filter(|result| result.get("isError") != Some(&json!(true)));
            return match result {
                Some(result) => Ok(Answer { result, took }),
                None => Err(format!("the answer to {method} was {answer}").into()),
            };
        }
    }

    /// The number of the process.
    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Neither can fail in a way that matters: a process that is gone already is what is wanted.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
