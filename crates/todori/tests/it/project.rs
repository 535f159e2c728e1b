//! A folder, and the program run in it with nothing inherited.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take before a test gives up. Never how long it should take.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Project {
    folder: TempDir,
}

/// What a command printed, and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

impl Project {
    /// A folder with a `.todori`, which makes it a project.
    pub(crate) fn new() -> Self {
        let project = Self::nowhere();
        fs::create_dir(project.path().join(".todori")).unwrap();
        project
    }

    /// A folder that is no project.
    pub(crate) fn nowhere() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn board_file(&self) -> PathBuf {
        self.path().join(".todori/tasks.yaml")
    }

    pub(crate) fn board_text(&self) -> String {
        fs::read_to_string(self.board_file()).unwrap()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this plays somebody with an editor"
    )]
    pub(crate) fn write_board(&self, text: impl AsRef<[u8]>) {
        fs::write(self.board_file(), text).unwrap();
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_todori"));
        command.env_clear().current_dir(self.path());
        command
            .env("USER", "ada")
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Printed {
        printed(self.command().args(arguments).output().unwrap())
    }

    /// Runs a command that must work, and gives the JSON it printed.
    pub(crate) fn json<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Value {
        let printed = printed(
            self.command()
                .arg("--json")
                .args(arguments)
                .output()
                .unwrap(),
        );
        assert_eq!(printed.code, 0, "{printed:?}");
        serde_json::from_str(&printed.out).unwrap()
    }

    pub(crate) fn serve(&self) -> Server {
        Server::start(self.command())
    }
}

/// What a client of 2026-07-28 says of itself in every request.
pub(crate) fn modern_meta(able: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "Modern Client", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": able,
    })
}

/// The abilities of a client that shows widgets.
pub(crate) fn shows_widgets() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}})
}

pub(crate) fn printed(output: Output) -> Printed {
    Printed {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap_or(-1),
    }
}

/// A running `todori serve`, and the other end of its pipes. Ended when it goes out of scope.
pub(crate) struct Server {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: i64,
}

impl Server {
    pub(crate) fn start(mut command: Command) -> Self {
        command
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            lines,
            next_id: 0,
        }
    }

    /// Sends bytes as they are; false once the server is gone.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) -> bool {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).is_ok()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        assert!(
            self.send_raw(format!("{message}\n").as_bytes()),
            "the server is gone"
        );
    }

    /// The next message; every line must be one.
    pub(crate) fn receive(&mut self) -> Value {
        self.try_receive().expect("an answer")
    }

    /// The next message; none once the server has closed its output.
    pub(crate) fn try_receive(&mut self) -> Option<Value> {
        let line = self.lines.recv_timeout(PATIENCE).ok()?;
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert_eq!(
            message["jsonrpc"], "2.0",
            "standard output holds JSON-RPC only: {line}"
        );
        Some(message)
    }

    /// Asks and waits for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Asks as a client of 2026-07-28 does.
    pub(crate) fn ask_modern(&mut self, method: &str, params: Value) -> Value {
        self.ask_modern_as(&json!({}), method, params)
    }

    /// The same, from a client that is able to do something.
    pub(crate) fn ask_modern_as(&mut self, able: &Value, method: &str, mut params: Value) -> Value {
        params["_meta"] = modern_meta(able);
        self.ask(method, params)
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        self.initialize_as(&json!({}), version)
    }

    /// The same, as a client that is able to do something.
    pub(crate) fn initialize_as(&mut self, able: &Value, version: &str) -> Value {
        let client = json!({"name": "test-client", "version": "1.0"});
        let answer = self.ask(
            "initialize",
            json!({"protocolVersion": version, "capabilities": able, "clientInfo": client}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Calls a tool and gives its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Calls the direct method and gives its result.
    pub(crate) fn direct(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Closes the input and waits for the end; gives the exit code.
    pub(crate) fn finish(&mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
