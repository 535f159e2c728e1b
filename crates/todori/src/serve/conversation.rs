//! One connection: requests in, answers out, one after the other, until either side has had enough. Knows how long a client
//! may take and how a connection ends; what is answered is for others to know.

use std::convert::Infallible;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::answers::{Body, close};
use super::count::Count;
use super::linger::{LingeringStream, Unread};
use super::request_body::RequestBody;
use super::timeout_stream::{BodyWithGuard, Phase, SharedPhase, TimeoutStream};

/// A client must have sent the head of a request, and then its body, within this time.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection may be idle between two requests.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// The largest head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;
const MAX_HEADERS: usize = 64;

/// Marks an answer that is a stream, which stays open for as long as its client likes.
#[derive(Debug, Clone, Copy)]
pub(super) struct StaysOpen;

/// Marks a connection as idle once an answer is sent.
struct IdleWhenSent(SharedPhase);

impl Drop for IdleWhenSent {
    fn drop(&mut self) {
        self.0.set(Phase::Idle);
    }
}

/// Answers the requests on a connection until it ends. Once `closed` says so, no further one is taken. What is being
/// answered is counted, except for streams that stay open.
pub(super) async fn converse<S, A, F>(
    stream: S,
    phase: SharedPhase,
    answering: &Count,
    answer: A,
    mut closed: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    A: Fn(Request<RequestBody>) -> F,
    F: Future<Output = Response<Body>>,
{
    let unread = Unread::default();
    let stream = LingeringStream::new(stream, unread.clone());
    let stream = TimeoutStream::new(stream, phase.clone(), TIMEOUT, IDLE_TIMEOUT);
    let service = service_fn(|request: Request<Incoming>| {
        // Here, not in the future: hyper looks at the stream again before it polls that, and whoever has sent a whole
        // head is not slow.
        phase.set(Phase::Responding);
        let counted = answering.add();
        let request = request.map(|body| RequestBody::new(body, unread.clone()));
        let is_in_the_way = request.body().is_in_the_way();
        let answered = answer(request);
        let (phase, unread) = (phase.clone(), unread.clone());
        async move {
            let mut answer = answered.await;
            if is_in_the_way && unread.is_some() {
                // The rest of the body would be taken for the next request.
                close(answer.headers_mut());
            }
            // An answer is under way until its last byte is sent or its client is gone.
            let stays_open = answer.extensions().get::<StaysOpen>().is_some();
            let guard = (IdleWhenSent(phase), (!stays_open).then_some(counted));
            Ok::<_, Infallible>(answer.map(|body| BodyWithGuard::new(body, guard)))
        }
    });
    let mut builder = http1::Builder::new();
    builder.max_headers(MAX_HEADERS);
    // The one is for what has arrived and is no whole head yet, the other for a head that arrived all at once.
    builder.max_buf_size(MAX_HEAD).max_header_size(MAX_HEAD);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let closing = async { drop(closed.wait_for(|closed| *closed).await) };
    let served = tokio::select! {
        served = &mut connection => served,
        () = closing => {
            // Closed at once if it is idle, otherwise after the answer that is under way.
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::{advance, sleep};

    use super::*;
    use crate::serve::answers::json_answer;

    const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    async fn serve(stream: DuplexStream, each_takes: Duration) {
        let answer = async |_| {
            sleep(each_takes).await;
            json_answer(StatusCode::OK, &serde_json::json!("answered"))
        };
        let (_open, closed) = watch::channel(false);
        let phase = SharedPhase::default();
        converse(stream, phase, &Count::default(), answer, closed).await;
    }

    /// Reads one answer; gives whether it was one.
    async fn is_answered(stream: &mut DuplexStream) -> bool {
        let mut heard = Vec::new();
        while !heard.ends_with(b"\"answered\"") {
            match stream.read_u8().await {
                Ok(byte) => heard.push(byte),
                Err(_) => return false,
            }
        }
        true
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_asks_again_and_again_is_never_cut() {
        for each_takes in [TIMEOUT / 10, TIMEOUT / 2, TIMEOUT * 2] {
            let (ours, mut theirs) = duplex(1024);
            let serving = tokio::spawn(serve(ours, each_takes));
            for number in 0..50 {
                theirs.write_all(GET).await.unwrap();
                assert!(is_answered(&mut theirs).await, "{number}, {each_takes:?}");
            }
            drop(theirs);
            serving.await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_is_not_cut_because_the_server_was_late() {
        let (ours, mut theirs) = duplex(1024);
        let serving = serve(ours, Duration::ZERO);
        tokio::pin!(serving);
        for _ in 0..3 {
            theirs.write_all(GET).await.unwrap();
            // It looks at the stream for the first time, or again, long after the request came.
            advance(TIMEOUT * 2).await;
            let answered = tokio::select! {
                () = &mut serving => false,
                answered = is_answered(&mut theirs) => answered,
            };
            assert!(answered);
        }
    }
}
