//! Closes a connection so that its client gets to read the last answer. A system that closes a connection on which there
//! is something unread tells the other side to forget what was sent; and a client that is still sending reads nothing. So
//! after an answer that came before the end of the request, the rest of it is read and discarded for a while.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long, and how much of it, the rest of a request is read before the connection is closed.
const READ_ON_FOR: Duration = Duration::from_secs(3);
const READ_ON: usize = 64 * 1024 * 1024;

/// Whether a request has begun to arrive on a connection and was not read to its end. Shared by the stream, which sees it
/// begin, and whoever reads it.
#[derive(Debug, Clone, Default)]
pub(super) struct Unread(Arc<AtomicBool>);

impl Unread {
    fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// All of the request was read.
    pub(super) fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether there may be more of it.
    pub(super) fn is_some(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A stream that reads on for a while before it closes, if the last request was not read to its end.
pub(super) struct LingeringStream<S> {
    stream: S,
    unread: Unread,
    closing: Closing,
}

enum Closing {
    NotYet,
    /// Nothing more is sent; what still comes is discarded.
    ReadingOn {
        late: Pin<Box<Sleep>>,
        discarded: usize,
    },
    Done,
}

impl<S> LingeringStream<S> {
    pub(super) fn new(stream: S, unread: Unread) -> Self {
        Self {
            stream,
            unread,
            closing: Closing::NotYet,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LingeringStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            if buffer.filled().len() > before {
                self.unread.begin();
            } else {
                // The client has gone, or sends nothing more.
                self.unread.end();
            }
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            match &mut this.closing {
                Closing::NotYet => {
                    ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
                    this.closing = if this.unread.is_some() {
                        Closing::ReadingOn {
                            late: Box::pin(sleep(READ_ON_FOR)),
                            discarded: 0,
                        }
                    } else {
                        Closing::Done
                    };
                }
                Closing::ReadingOn { late, discarded } => {
                    let mut space = [0; 16 * 1024];
                    let mut space = ReadBuf::new(&mut space);
                    let is_late = late.as_mut().poll(context).is_ready();
                    if is_late || *discarded >= READ_ON {
                        this.closing = Closing::Done;
                        continue;
                    }
                    let read = ready!(Pin::new(&mut this.stream).poll_read(context, &mut space));
                    let count = space.filled().len();
                    *discarded += count;
                    if read.is_err() || count == 0 {
                        this.closing = Closing::Done;
                    }
                }
                Closing::Done => return Poll::Ready(Ok(())),
            }
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    /// How much a client could send after the server began to close, having read the first part of the request.
    async fn sent_while_closing(was_read: bool) -> usize {
        let (ours, mut theirs) = duplex(1024);
        let unread = Unread::default();
        let mut stream = LingeringStream::new(ours, unread.clone());
        theirs.write_all(b"head").await.unwrap();
        stream.read_exact(&mut [0; 4]).await.unwrap();
        if was_read {
            unread.end();
        }
        let sending = tokio::spawn(async move {
            let mut count = 0;
            while theirs.write_all(&[0; 512]).await.is_ok() && count < 1_000_000 {
                count += 512;
            }
            count
        });
        stream.shutdown().await.unwrap();
        drop(stream);
        sending.await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_read_is_read_before_closing_and_nothing_else() {
        assert!(sent_while_closing(false).await >= 1_000_000);
        assert!(sent_while_closing(true).await <= 1024);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_stops_is_not_waited_for() {
        let (ours, mut theirs) = duplex(1024);
        let unread = Unread::default();
        unread.begin();
        let mut stream = LingeringStream::new(ours, unread);
        let closed = tokio::spawn(async move { stream.shutdown().await });
        let mut end = Vec::new();
        theirs.read_to_end(&mut end).await.unwrap();
        theirs.write_all(b"x").await.unwrap();
        closed.await.unwrap().unwrap();
    }
}
