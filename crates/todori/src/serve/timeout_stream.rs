//! Disconnects slow clients. Wraps the stream of a connection, because the header timeout of hyper also ends connections
//! that are idle between two requests, as the connection pools of real clients keep them, and does not notice a client
//! that never reads its answer. The body of a request has a timeout of its own where it is read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// What a connection is doing, which decides how long its client may stay silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// The head of a request has begun to arrive, or the connection is new.
    ReadingHead,
    /// The last answer is sent, and the next request has not begun.
    Idle,
    /// The head of a request is there: the client waits for us.
    Responding,
}

/// The phase of a connection, shared by its stream and by the service that answers its requests.
#[derive(Debug, Clone)]
pub(super) struct SharedPhase(Arc<AtomicU8>);

impl Default for SharedPhase {
    fn default() -> Self {
        Self(Arc::new(AtomicU8::new(Phase::ReadingHead as u8)))
    }
}

impl SharedPhase {
    pub(super) fn set(&self, phase: Phase) {
        self.0.store(phase as u8, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Phase {
        let phases = [Phase::ReadingHead, Phase::Idle, Phase::Responding];
        let stored = self.0.load(Ordering::Relaxed);
        let is_stored = |phase: &Phase| *phase as u8 == stored;
        phases
            .into_iter()
            .find(is_stored)
            .unwrap_or(Phase::ReadingHead)
    }
}

/// The body of an answer, with a guard that is dropped when the body is sent or given up.
pub(super) struct BodyWithGuard<B, G> {
    body: B,
    _guard: G,
}

impl<B, G> BodyWithGuard<B, G> {
    pub(super) fn new(body: B, guard: G) -> Self {
        Self {
            body,
            _guard: guard,
        }
    }
}

impl<B: Body + Unpin, G: Unpin> Body for BodyWithGuard<B, G> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that fails with a timeout when its client is too slow.
pub(super) struct TimeoutStream<S> {
    stream: S,
    phase: SharedPhase,
    /// The phase for which the read timer was set.
    timed_phase: Phase,
    read_timer: Pin<Box<Sleep>>,
    /// Runs while the client does not read what it is sent.
    write_timer: Option<Pin<Box<Sleep>>>,
    timeout: Duration,
    idle_timeout: Duration,
}

impl<S> TimeoutStream<S> {
    pub(super) fn new(
        stream: S,
        phase: SharedPhase,
        timeout: Duration,
        idle_timeout: Duration,
    ) -> Self {
        Self {
            stream,
            phase,
            timed_phase: Phase::ReadingHead,
            read_timer: Box::pin(sleep(timeout)),
            write_timer: None,
            timeout,
            idle_timeout,
        }
    }

    /// How long the client may take in this phase; `None` while it waits for us.
    fn read_timeout(&self, phase: Phase) -> Option<Duration> {
        match phase {
            Phase::ReadingHead => Some(self.timeout),
            Phase::Idle => Some(self.idle_timeout),
            Phase::Responding => None,
        }
    }

    /// Fails a write when the client has not read its answer for too long.
    fn check_write(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.write_timer = None;
            return written;
        }
        let timeout = self.timeout;
        let timer = self
            .write_timer
            .get_or_insert_with(|| Box::pin(sleep(timeout)));
        if timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let has_bytes = read.is_ready() && buffer.filled().len() > before;
        let begins = has_bytes && self.phase.get() == Phase::Idle;
        if begins {
            self.phase.set(Phase::ReadingHead);
        }
        let phase = self.phase.get();
        if begins || phase != self.timed_phase {
            self.timed_phase = phase;
            if let Some(timeout) = self.read_timeout(phase) {
                self.read_timer.as_mut().reset(Instant::now() + timeout);
            }
        }
        if read.is_ready() {
            // Whatever has arrived is taken, however late we came to look for it.
            return read;
        }
        // The timer is set once for each head: sending a byte now and then does not extend it.
        let is_late =
            self.read_timeout(phase).is_some() && self.read_timer.as_mut().poll(context).is_ready();
        if is_late {
            Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
        } else {
            read
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.check_write(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.check_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(200);
    const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

    async fn outcome(phase: &SharedPhase, bytes: &[u8], every: Duration) -> io::Result<usize> {
        let (ours, mut theirs) = duplex(1024);
        let mut stream = TimeoutStream::new(ours, phase.clone(), TIMEOUT, IDLE_TIMEOUT);
        let bytes = bytes.to_vec();
        let sending = tokio::spawn(async move {
            for byte in bytes {
                sleep(every).await;
                if theirs.write_all(&[byte]).await.is_err() {
                    return;
                }
            }
        });
        let mut buffer = [0; 64];
        let mut count = 0;
        let read = loop {
            match stream.read(&mut buffer).await {
                Ok(0) => break Ok(count),
                Ok(more) => count += more,
                Err(error) => break Err(error),
            }
        };
        drop(stream);
        sending.abort();
        read
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_disconnected() {
        let (ours, _theirs) = duplex(16);
        let mut stream = TimeoutStream::new(ours, SharedPhase::default(), TIMEOUT, IDLE_TIMEOUT);
        let written = stream.write_all(&[0; 64]).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_head_is_disconnected_and_an_idle_connection_is_not() {
        let drip = outcome(
            &SharedPhase::default(),
            &[b'x'; 20],
            Duration::from_millis(50),
        )
        .await;
        assert_eq!(
            drip.unwrap_err().kind(),
            io::ErrorKind::TimedOut,
            "a byte now and then does not help"
        );
        let silent = outcome(&SharedPhase::default(), b"x", Duration::from_secs(5)).await;
        assert_eq!(silent.unwrap_err().kind(), io::ErrorKind::TimedOut);
        let idle = SharedPhase::default();
        idle.set(Phase::Idle);
        assert_eq!(
            outcome(&idle, b"x", Duration::from_secs(1)).await.unwrap(),
            1,
            "being idle is not being slow"
        );
        let responding = SharedPhase::default();
        responding.set(Phase::Responding);
        assert_eq!(
            outcome(&responding, b"x", Duration::from_secs(9))
                .await
                .unwrap(),
            1,
            "the client waits for us"
        );
    }
}
