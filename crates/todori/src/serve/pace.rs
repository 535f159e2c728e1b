//! Time limits for what a client sends: the head of a request must come quickly once it has begun, but a connection may
//! rest between two requests, as the pools of real clients keep them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// What a connection is doing; told by both ends of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Doing(Arc<AtomicU8>);

const BEGINNING: u8 = 0;
const RESTING: u8 = 1;
const HEARING: u8 = 2;
const ANSWERING: u8 = 3;

impl Doing {
    /// The head of a request is there.
    pub(super) fn answer(&self) {
        self.0.store(ANSWERING, Ordering::Relaxed);
    }

    /// The answer is sent; the next request may take its time to come.
    pub(super) fn rest(&self) {
        self.0.store(RESTING, Ordering::Relaxed);
    }

    fn now(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    fn hear(&self) {
        self.0.store(HEARING, Ordering::Relaxed);
    }
}

/// The body of an answer, and something that is kept until it is sent or given up.
pub(super) struct Kept<B, K> {
    body: B,
    _kept: K,
}

impl<B, K> Kept<B, K> {
    pub(super) fn new(body: B, kept: K) -> Self {
        Self { body, _kept: kept }
    }
}

impl<B: Body + Unpin, K: Unpin> Body for Kept<B, K> {
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

/// A stream that is cut when it is too slow.
pub(super) struct Paced<S> {
    stream: S,
    doing: Doing,
    /// What the alarm was set for.
    timed: u8,
    alarm: Pin<Box<Sleep>>,
    /// Set while the client does not take what it is sent.
    unread: Option<Pin<Box<Sleep>>>,
    slowest: Duration,
    longest_rest: Duration,
}

impl<S> Paced<S> {
    pub(super) fn new(stream: S, doing: Doing, slowest: Duration, longest_rest: Duration) -> Self {
        let alarm = Box::pin(sleep(slowest));
        Self {
            stream,
            doing,
            timed: BEGINNING,
            alarm,
            unread: None,
            slowest,
            longest_rest,
        }
    }

    /// How long the client may stay silent, or slow, at what it is doing; none while it waits for us.
    fn limit(&self, doing: u8) -> Option<Duration> {
        match doing {
            RESTING => Some(self.longest_rest),
            ANSWERING => None,
            _ => Some(self.slowest),
        }
    }
}

impl<S> Paced<S> {
    /// Gives up on a client that does not take its answer.
    fn timed_write(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        let slowest = self.slowest;
        let alarm = self.unread.get_or_insert_with(|| Box::pin(sleep(slowest)));
        if alarm.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() && buffer.filled().len() > before && self.doing.now() == RESTING {
            self.doing.hear();
        }
        let doing = self.doing.now();
        if doing != self.timed {
            self.timed = doing;
            if let Some(limit) = self.limit(doing) {
                self.alarm.as_mut().reset(Instant::now() + limit);
            }
        }
        if read.is_ready() && doing == ANSWERING {
            return read;
        }
        // A byte now and then does not help: the alarm is set once for each head.
        let late = self.limit(doing).is_some() && self.alarm.as_mut().poll(context).is_ready();
        if late {
            Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
        } else {
            read
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.timed_write(context, written)
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
        self.timed_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const SLOWEST: Duration = Duration::from_millis(200);
    const LONGEST_REST: Duration = Duration::from_secs(2);

    async fn outcome(doing: &Doing, bytes: &[u8], every: Duration) -> io::Result<usize> {
        let (ours, mut theirs) = duplex(1024);
        let mut paced = Paced::new(ours, doing.clone(), SLOWEST, LONGEST_REST);
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
            match paced.read(&mut buffer).await {
                Ok(0) => break Ok(count),
                Ok(more) => count += more,
                Err(error) => break Err(error),
            }
        };
        drop(paced);
        sending.abort();
        read
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_cut() {
        let (ours, _theirs) = duplex(16);
        let mut paced = Paced::new(ours, Doing::default(), SLOWEST, LONGEST_REST);
        let written = paced.write_all(&[0; 64]).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_drips_is_cut_and_a_rest_is_not() {
        let drip = outcome(&Doing::default(), &[b'x'; 20], Duration::from_millis(50)).await;
        assert_eq!(
            drip.unwrap_err().kind(),
            io::ErrorKind::TimedOut,
            "a byte now and then does not help"
        );
        let silent = outcome(&Doing::default(), b"x", Duration::from_secs(5)).await;
        assert_eq!(silent.unwrap_err().kind(), io::ErrorKind::TimedOut);
        let resting = Doing::default();
        resting.rest();
        assert_eq!(
            outcome(&resting, b"x", Duration::from_secs(1))
                .await
                .unwrap(),
            1,
            "a rest is no slowness"
        );
        let answering = Doing::default();
        answering.answer();
        assert_eq!(
            outcome(&answering, b"x", Duration::from_secs(9))
                .await
                .unwrap(),
            1,
            "they wait for us"
        );
    }
}
