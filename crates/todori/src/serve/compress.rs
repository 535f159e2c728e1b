//! Compresses large answers with gzip for clients that accept it. Only what is sent as a whole: streams of events must not
//! wait in a buffer.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::{BodyExt as _, Full};

use super::answers::Body;

/// Smaller answers are sent as they are.
const MIN_BYTES: usize = 4 * 1024;

/// A text that is sent more than once, compressed beforehand if it is large enough.
#[derive(Debug)]
pub(super) struct Text {
    plain: Bytes,
    gzip: Option<Bytes>,
}

impl Text {
    /// Takes a while for a large text.
    pub(super) fn new(plain: impl Into<Bytes>) -> Self {
        let plain = plain.into();
        let gzip = (plain.len() >= MIN_BYTES).then(|| gzip(&plain)).flatten();
        Self { plain, gzip }
    }

    /// An answer with this text, compressed if the client accepts gzip.
    pub(super) fn answer(&self, asked: &HeaderMap) -> Response<Body> {
        let smaller = self.gzip.as_ref().filter(|_| accepts_gzip(asked));
        let text = smaller.unwrap_or(&self.plain).clone();
        let mut answer = Response::new(Full::new(text).boxed());
        let headers = answer.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if smaller.is_some() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        answer
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter();
    let mut accepted = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    accepted.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        // `q=0` means: not acceptable.
        named && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn gzip(text: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_accept_gzip_get_it() {
        let check = |accepts: &'static str, text: &str, expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepts));
            let answer = Text::new(text.to_owned()).answer(&headers);
            let compressed = answer.headers().contains_key(CONTENT_ENCODING);
            assert_eq!(compressed, expected, "{accepts}, {} bytes", text.len());
        };
        let long = "x".repeat(MIN_BYTES);
        check("gzip, deflate, br", &long, true);
        check("br;q=1.0, gzip;q=0.8", &long, true);
        check("gzip;q=0, identity", &long, false);
        check("br", &long, false);
        check("gzip", "short", false);
    }
}
