//! A running `todori serve --http`, and a client that sends exactly what it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::{Project, modern_meta};

/// How long anything may take before a test gives up. Never how long it should take.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Web {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// What it prints on standard error after it has said where it is.
    errors: Option<JoinHandle<String>>,
}

/// An answer: its status, its head, and its body without chunks.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// The last message of the body, whether it is JSON or a stream of events.
    pub(crate) fn message(&self) -> Value {
        if let Ok(value) = serde_json::from_str(&self.body) {
            return value;
        }
        let mut data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim);
        let last = data.rfind(|data| !data.is_empty());
        serde_json::from_str(last.unwrap_or_else(|| panic!("no message in {self:?}"))).unwrap()
    }
}

impl Web {
    /// Starts on a free port of this machine.
    pub(crate) fn start(project: &Project, arguments: &[&str]) -> Self {
        Self::run(project, project.command(), arguments)
    }

    /// The same, with a list of the files that it opens, written into a file.
    pub(crate) fn start_traced(project: &Project, trace: &Path, arguments: &[&str]) -> Self {
        let program = project.command();
        let mut command = wrapped(&program, "strace");
        // With -D the child is the program itself, which the end of the test ends.
        command
            .args(["-D", "-f", "-qq", "-e", "trace=openat", "-o"])
            .arg(trace);
        command.arg(program.get_program());
        Self::run(project, command, arguments)
    }

    /// The same, with no more file descriptors than this.
    pub(crate) fn start_with_descriptors(
        project: &Project,
        descriptors: usize,
        arguments: &[&str],
    ) -> Self {
        let program = project.command();
        let mut command = wrapped(&program, "sh");
        let limited = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
        command.arg("-c").arg(limited).arg(program.get_program());
        Self::run(project, command, arguments)
    }

    fn run(project: &Project, mut command: Command, arguments: &[&str]) -> Self {
        command.env("XDG_RUNTIME_DIR", project.path().join("runtime"));
        command
            .args(["serve", "--http", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        let address = line
            .trim()
            .trim_start_matches("todori serves at http://")
            .trim_end_matches("/mcp");
        let address = address
            .parse()
            .unwrap_or_else(|_| panic!("it did not start: {line}"));
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            drop(errors.read_to_string(&mut text));
            text
        });
        Self {
            child,
            address,
            errors: Some(errors),
        }
    }

    /// Waits for its end; gives its exit code and what it printed on standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        let errors = self.errors.take().map(|errors| errors.join().unwrap());
        (code, errors.unwrap_or_default())
    }

    /// Opens a connection for several requests.
    pub(crate) fn keep_alive(&self) -> KeepAlive {
        KeepAlive {
            stream: BufReader::new(self.connect()),
            host: self.address.to_string(),
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        // A server that has heard enough may close before all is sent.
        drop(stream.write_all(format!("{head}{body}").as_bytes()));
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        parse(&bytes)
    }

    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], message: &Value) -> Answer {
        let mut all = vec![("Content-Type", "application/json")];
        all.extend_from_slice(headers);
        self.send("POST", path, &all, &message.to_string())
    }

    /// Calls a method without any session.
    pub(crate) fn ask(&self, path: &str, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(path, &[], &message).message()
    }

    /// Calls a method as a client of 2026-07-28 does.
    pub(crate) fn ask_modern(&self, path: &str, method: &str, params: Value) -> Answer {
        self.ask_modern_as(&json!({}), path, method, params)
    }

    /// The same, from a client that is able to do something.
    pub(crate) fn ask_modern_as(
        &self,
        able: &Value,
        path: &str,
        method: &str,
        mut params: Value,
    ) -> Answer {
        params["_meta"] = modern_meta(able);
        let name = params
            .get("name")
            .or(params.get("uri"))
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut headers = vec![
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        if !name.is_empty() {
            headers.push(("Mcp-Name", &name));
        }
        self.post(path, &headers, &message)
    }

    /// Opens a session of an older revision and gives its id.
    pub(crate) fn session(&self, path: &str) -> String {
        self.session_as(&json!({}), path)
    }

    /// The same, for a client that is able to do something.
    pub(crate) fn session_as(&self, able: &Value, path: &str) -> String {
        let answer = self.post(path, &[], &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": able, "clientInfo": {"name": "older", "version": "1"}}}));
        let id = answer
            .header("mcp-session-id")
            .expect("a session")
            .to_owned();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(
            self.post(path, &[("Mcp-Session-Id", &id)], &initialized)
                .status,
            202
        );
        id
    }

    /// Calls a method within a session.
    pub(crate) fn ask_in(&self, session: &str, path: &str, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params});
        self.post(path, &[("Mcp-Session-Id", session)], &message)
            .message()
    }

    /// Opens a stream and gives its lines.
    pub(crate) fn lines(&self, request: &str) -> impl Iterator<Item = String> + use<> {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        BufReader::new(stream).lines().map_while(Result::ok)
    }

    pub(crate) fn signal(&self, signal: &str) {
        let killed = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
    }
}

/// A connection that stays open between requests.
pub(crate) struct KeepAlive {
    stream: BufReader<TcpStream>,
    host: String,
}

impl KeepAlive {
    /// Sends a request and reads its answer; none once the server has closed the connection.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<Answer> {
        let host = &self.host;
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.stream.get_mut().write_all(request.as_bytes()).ok()?;
        self.read()
    }

    /// Reads one answer, which says how long it is.
    fn read(&mut self) -> Option<Answer> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let mut answer = parse(head.as_bytes());
        let length = answer.header("content-length").unwrap_or("0").parse();
        let mut body = vec![0; length.unwrap()];
        self.stream.read_exact(&mut body).ok()?;
        answer.body = String::from_utf8(body).unwrap();
        Some(answer)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A command that is to start another one, in the same place and with the same environment.
fn wrapped(program: &Command, by: &str) -> Command {
    let mut command = Command::new(by);
    let environment = program.get_envs();
    let environment = environment.filter_map(|(name, value)| Some((name, value?)));
    command.env_clear().envs(environment).stdin(Stdio::null());
    command.current_dir(program.get_current_dir().unwrap());
    command
}

fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked {
        unchunk(body)
    } else {
        body.to_owned()
    };
    Answer {
        status,
        head: head.to_owned(),
        body,
    }
}

fn unchunk(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else {
            break;
        };
        if size == 0 {
            break;
        }
        text.push_str(rest.get(..size).unwrap_or(rest));
        body = rest.get(size + 2..).unwrap_or_default();
    }
    text
}
