//! MCP over standard input and output: one message per line. Replaces the transport of the SDK, which leaves
//! malformed lines unanswered. A last line may lack its line break.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

use super::wire;

/// The longest line, in bytes.
const MAX_LINE: usize = 1024 * 1024;

/// Reads and writes messages, one per line.
pub(super) struct LineTransport<R, W> {
    input: R,
    output: Arc<Mutex<W>>,
    /// Bytes that were read but not yet taken as lines. They live here and not in a future, so that a cancelled read loses
    /// nothing.
    buffer: Vec<u8>,
    /// How much of the buffer was searched for a line break.
    searched: usize,
    /// Whether the rest of a line that is too long is being skipped.
    skipping: bool,
    started: bool,
    ended: bool,
}

impl<R, W> LineTransport<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input,
            output: Arc::new(Mutex::new(output)),
            buffer: Vec::with_capacity(8 * 1024),
            searched: 0,
            skipping: false,
            started: false,
            ended: false,
        }
    }
}

/// What the buffer begins with.
enum NextLine {
    Complete(Vec<u8>),
    TooLong,
    /// The line has not ended yet.
    Incomplete,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> LineTransport<R, W> {
    fn take_line(&mut self) -> NextLine {
        let rest = self.buffer.get(self.searched..).unwrap_or_default();
        let newline = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .map(|at| at + self.searched);
        let Some(newline) = newline else {
            self.searched = self.buffer.len();
            if self.skipping {
                self.buffer.clear();
                self.searched = 0;
            } else if self.buffer.len() > MAX_LINE {
                self.skipping = true;
                self.buffer.clear();
                self.searched = 0;
                return NextLine::TooLong;
            }
            return NextLine::Incomplete;
        };
        let line: Vec<u8> = self.buffer.drain(..=newline).collect();
        self.searched = 0;
        if std::mem::take(&mut self.skipping) {
            return self.take_line();
        }
        if line.len() > MAX_LINE + 2 {
            NextLine::TooLong
        } else {
            NextLine::Complete(line)
        }
    }

    /// The next line; `None` at the end of the input.
    async fn next_line(&mut self) -> Option<NextLine> {
        loop {
            match self.take_line() {
                NextLine::Incomplete => {}
                line @ (NextLine::Complete(_) | NextLine::TooLong) => return Some(line),
            }
            if self.ended {
                let last = std::mem::take(&mut self.buffer);
                return (!last.is_empty() && !self.skipping).then_some(NextLine::Complete(last));
            }
            // Cancel-safe: bytes move from the system into the buffer in one step, or not at all.
            match self.input.read_buf(&mut self.buffer).await {
                Ok(0) => self.ended = true,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot read standard input");
                    self.ended = true;
                }
            }
        }
    }
}

/// Answers a line that never reaches the service.
async fn answer<W: AsyncWrite + Unpin>(output: Arc<Mutex<W>>, answer: Value) {
    if let Err(error) = write(&output, &answer).await {
        tracing::warn!(%error, "cannot write to standard output");
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: &Mutex<W>,
    message: &(impl serde::Serialize + Sync),
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

/// A line without its line break; the first one also without a byte order mark.
fn trim(mut line: &[u8], first: bool) -> &[u8] {
    if first {
        line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    }
    line.trim_ascii()
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let line = match self.next_line().await? {
                NextLine::Complete(line) => line,
                NextLine::TooLong | NextLine::Incomplete => {
                    answer(Arc::clone(&self.output), wire::too_long(MAX_LINE)).await;
                    continue;
                }
            };
            let first = !std::mem::replace(&mut self.started, true);
            let line = trim(&line, first);
            if line.is_empty() {
                continue;
            }
            match wire::read(line) {
                Ok(message) => return Some(message),
                Err(refusal) => answer(Arc::clone(&self.output), refusal).await,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}
