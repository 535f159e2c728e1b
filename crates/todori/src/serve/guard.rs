//! Admits HTTP requests or rejects them, by their head and before the body is read: Host against DNS rebinding, Origin
//! against pages of other sites, a bearer token, CORS. Knows no protocol above HTTP.

use std::net::{IpAddr, SocketAddr};

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

/// Decides which requests are admitted.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// The host names under which this server may be called, without ports.
    hosts: Vec<String>,
    /// The allowed origins besides those on this machine, as `scheme://host[:port]`.
    origins: Vec<String>,
    token: Option<String>,
}

/// Whether a route needs the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// No: anybody may ask who uses an allowed host name and origin.
    Public,
    /// Yes, if the server has one.
    NeedsToken,
}

/// Why a request is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) status: StatusCode,
    pub(crate) reason: &'static str,
}

impl Rejection {
    const fn forbidden(reason: &'static str) -> Self {
        Self {
            status: StatusCode::FORBIDDEN,
            reason,
        }
    }
}

impl Guard {
    pub(crate) fn new(
        address: SocketAddr,
        hosts: &[String],
        origins: &[String],
        token: Option<String>,
    ) -> Self {
        let mut hosts: Vec<String> = hosts
            .iter()
            .map(|host| host_name(host).to_lowercase())
            .collect();
        hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        if !address.ip().is_unspecified() {
            hosts.push(match address.ip() {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        let origins = origins
            .iter()
            .map(|origin| origin.trim_end_matches('/').to_lowercase());
        Self {
            hosts,
            origins: origins.collect(),
            token,
        }
    }

    /// Whether the server has a token, which every admitted request to a route that needs it has presented.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Checks a request. The order matters: a page of another site learns nothing, not even whether a token is right.
    pub(crate) fn admit(&self, parts: &Parts, access: Access) -> Result<(), Rejection> {
        self.check_host(parts)?;
        self.check_origin(&parts.headers)?;
        for name in ["mcp-session-id", "mcp-protocol-version", "content-type"] {
            single(&parts.headers, &http::HeaderName::from_static(name))?;
        }
        if access == Access::NeedsToken {
            self.check_token(&parts.headers)
        } else {
            Ok(())
        }
    }

    /// Rejects pages whose host name was made to resolve to this machine (DNS rebinding): a browser sends the name that
    /// it asked for.
    fn check_host(&self, parts: &Parts) -> Result<(), Rejection> {
        let host = single(&parts.headers, &HOST)?.and_then(|host| host.to_str().ok());
        let host = parts
            .uri
            .host()
            .or(host)
            .ok_or(Rejection::forbidden("the Host header is missing"))?;
        if host.contains(['@', '/', '\\']) {
            return Err(Rejection::forbidden("this host name is not allowed"));
        }
        let known = self
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(host_name(host)));
        if known {
            Ok(())
        } else {
            Err(Rejection::forbidden("this host name is not allowed"))
        }
    }

    /// Rejects pages of other sites: a browser sends the origin of the page. Other programs send none.
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        let Some(origin) = single(headers, &ORIGIN)? else {
            return Ok(());
        };
        let allowed = origin
            .to_str()
            .is_ok_and(|origin| self.allows_origin(origin));
        if allowed {
            Ok(())
        } else {
            Err(Rejection::forbidden("this origin is not allowed"))
        }
    }

    fn allows_origin(&self, origin: &str) -> bool {
        let origin = origin.to_lowercase();
        if self.origins.contains(&origin) {
            return true;
        }
        let Some((scheme, rest)) = origin.split_once("://") else {
            return false;
        };
        let local = matches!(host_name(rest), "localhost" | "127.0.0.1" | "[::1]");
        let port = rest.strip_prefix(host_name(rest)).unwrap_or("x");
        let port_fits = port.is_empty()
            || port
                .strip_prefix(':')
                .is_some_and(|port| port.parse::<u16>().is_ok());
        matches!(scheme, "http" | "https") && local && port_fits
    }

    /// Whether the server has a token and this request shows it.
    pub(crate) fn is_token_shown(&self, headers: &HeaderMap) -> bool {
        self.has_token() && self.check_token(headers).is_ok()
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let unauthorized = Rejection {
            status: StatusCode::UNAUTHORIZED,
            reason: "a bearer token is required",
        };
        let given = single(headers, &AUTHORIZATION)?.and_then(|given| given.to_str().ok());
        let given = given.and_then(|given| {
            let (scheme, token) = given.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let right =
            given.is_some_and(|given| equal_in_constant_time(given.as_bytes(), token.as_bytes()));
        if right { Ok(()) } else { Err(unauthorized) }
    }

    /// Sets the CORS headers: the origin that asked may read the answer, and no other.
    pub(crate) fn cors(&self, request: &HeaderMap, answer: &mut HeaderMap) {
        answer.append(http::header::VARY, HeaderValue::from_static("Origin"));
        let Some(origin) = request.get(ORIGIN) else {
            return;
        };
        if origin
            .to_str()
            .is_ok_and(|origin| self.allows_origin(origin))
        {
            answer.insert("access-control-allow-origin", origin.clone());
            answer.insert(
                "access-control-expose-headers",
                HeaderValue::from_static("mcp-session-id"),
            );
            answer.insert(
                "access-control-allow-methods",
                HeaderValue::from_static("GET, POST, DELETE, OPTIONS"),
            );
            answer.insert(
                "access-control-allow-headers",
                HeaderValue::from_static(
                    "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, \
                     last-event-id",
                ),
            );
        }
    }
}

/// The value of a header that may occur only once: a proxy could read the one and we the other.
fn single<'a>(
    headers: &'a HeaderMap,
    name: &http::HeaderName,
) -> Result<Option<&'a HeaderValue>, Rejection> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    match values.next() {
        None => Ok(first),
        Some(_) => Err(Rejection {
            status: StatusCode::BAD_REQUEST,
            reason: "a header stands there twice",
        }),
    }
}

/// A host without its port.
fn host_name(host: &str) -> &str {
    if let Some(end) = host.find(']') {
        return host.get(..=end).unwrap_or(host);
    }
    host.split(':').next().unwrap_or(host)
}

/// Compares in constant time, so that the duration does not reveal where the first difference is.
fn equal_in_constant_time(given: &[u8], expected: &[u8]) -> bool {
    let mut difference = given.len() ^ expected.len();
    for (place, byte) in expected.iter().enumerate() {
        let other = given.get(place).copied().unwrap_or(0);
        difference |= usize::from(byte ^ other);
    }
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        let address = "127.0.0.1:8636".parse().unwrap();
        let (hosts, origins) = (
            ["todori.example".to_owned()],
            ["https://app.example".to_owned()],
        );
        Guard::new(address, &hosts, &origins, Some("secret".to_owned()))
    }

    fn check(headers: &[(&str, &str)], expected: Result<(), u16>) {
        let mut request = http::Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let admitted = guard()
            .admit(&parts, Access::NeedsToken)
            .map_err(|rejection| rejection.status.as_u16());
        assert_eq!(admitted, expected, "{headers:?}");
    }

    const HOST: (&str, &str) = ("host", "localhost:8636");
    const TOKEN: (&str, &str) = ("authorization", "Bearer secret");

    #[test]
    fn a_page_with_a_rebound_name_is_rejected() {
        check(&[HOST, TOKEN], Ok(()));
        check(&[("host", "127.0.0.1"), TOKEN], Ok(()));
        check(&[("host", "[::1]:8636"), TOKEN], Ok(()));
        check(&[("host", "TODORI.example:443"), TOKEN], Ok(()));
        for bad in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "127.0.0.2",
            "localhost:1@evil.example",
            "",
            "[::2]",
        ] {
            check(&[("host", bad), TOKEN], Err(403));
        }
        check(&[TOKEN], Err(403));
        check(&[HOST, HOST, TOKEN], Err(400));
    }

    #[test]
    fn a_page_of_another_site_is_rejected() {
        for good in [
            "http://localhost:3000",
            "https://127.0.0.1",
            "http://[::1]:8636",
            "https://app.example",
        ] {
            check(&[HOST, TOKEN, ("origin", good)], Ok(()));
        }
        for bad in [
            "null",
            "https://evil.example",
            "http://localhost.evil.example",
            "https://app.example:8443",
            "file://localhost",
            "http://localhost:80x",
            "localhost",
            "http://127.0.0.1@evil.example",
        ] {
            check(&[HOST, TOKEN, ("origin", bad)], Err(403));
        }
    }

    #[test]
    fn without_the_right_token_nobody_is_admitted() {
        check(&[HOST], Err(401));
        for bad in [
            "Bearer wrong",
            "Bearer secretx",
            "Bearer secre",
            "Basic secret",
            "secret",
            "Bearer ",
        ] {
            check(&[HOST, ("authorization", bad)], Err(401));
        }
        check(&[HOST, ("authorization", "bearer secret")], Ok(()));
        check(&[HOST, TOKEN, TOKEN], Err(400));
    }

    #[test]
    fn only_the_origin_that_asks_may_read_the_answer() {
        let mut request = HeaderMap::new();
        let mut answer = HeaderMap::new();
        request.insert(ORIGIN, HeaderValue::from_static("http://localhost:3000"));
        guard().cors(&request, &mut answer);
        assert_eq!(
            answer["access-control-allow-origin"],
            "http://localhost:3000"
        );
        let mut answer = HeaderMap::new();
        request.insert(ORIGIN, HeaderValue::from_static("https://evil.example"));
        guard().cors(&request, &mut answer);
        assert!(!answer.contains_key("access-control-allow-origin"));
    }
}
