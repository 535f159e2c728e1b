//! The body of a request: read within limits of time and size, or not at all.

use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};

use super::answers::{Body, error};
use super::linger::Unread;

/// The largest body of a request, in bytes.
pub(crate) const MAX_BODY: usize = 1024 * 1024;
/// A body that is not larger than this is skipped before the next request, instead of closing the connection.
const SKIPPED: u64 = 16 * 1024;

/// The body of a request that is being answered.
pub(super) struct RequestBody {
    body: Incoming,
    unread: Unread,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, unread: Unread) -> Self {
        if body.is_end_stream() {
            unread.end();
        }
        Self { body, unread }
    }

    /// Whether the connection can't be used for another request unless all of this is read.
    pub(super) fn is_in_the_way(&self) -> bool {
        self.body
            .size_hint()
            .exact()
            .is_none_or(|size| size > SKIPPED)
    }

    /// Reads all of it, unless it takes too long or is too large.
    pub(super) async fn read(self, timeout: Duration) -> Result<Bytes, Response<Body>> {
        match tokio::time::timeout(timeout, self.read_all()).await {
            Err(_) => Err(error(
                StatusCode::REQUEST_TIMEOUT,
                -32600,
                "the body took too long",
            )),
            Ok(read) => read,
        }
    }

    async fn read_all(mut self) -> Result<Bytes, Response<Body>> {
        let mut kept = Vec::new();
        while let Some(frame) = self.body.frame().await {
            let Ok(frame) = frame else {
                let reason = "the body could not be read";
                return Err(error(StatusCode::BAD_REQUEST, -32600, reason));
            };
            let Some(data) = frame.data_ref() else {
                continue;
            };
            if kept.len() + data.len() > MAX_BODY {
                let reason = format!("a body may have at most {MAX_BODY} bytes");
                return Err(error(StatusCode::PAYLOAD_TOO_LARGE, -32600, &reason));
            }
            kept.extend_from_slice(data);
        }
        self.unread.end();
        Ok(Bytes::from(kept))
    }
}
